//! The machine, tried from three sides: single steps by example, whole turns under a random scheduler that
//! crashes at will, and arbitrary facts in arbitrary order.

mod examples;
mod interleavings;
mod programs;
mod world;
