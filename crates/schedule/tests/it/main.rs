//! The public face of the room against somebody else's reading and against brute force.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says what it expects by panicking"
)]

mod croner;
mod laws;
