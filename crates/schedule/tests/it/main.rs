//! The public face of the room against somebody else's reading and against brute force.

mod croner;
mod laws;
