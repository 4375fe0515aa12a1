//! Programs checked by the real compiler, and run in real processes inside the real sandbox.

// A test that cannot set its scene has failed; clippy's own exemption covers test functions only.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod house;
mod programs;
mod bombs;
mod library;

mod support;
mod contained;
mod repeated;
mod foreseen;
