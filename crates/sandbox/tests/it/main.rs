//! Runs real commands in the real sandbox. Pure parts are tested beside their code.

// A test that cannot set its scene has failed; clippy's own exemption covers test functions only.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod support;
mod run;
mod probe;
mod programs;
mod network;
mod approved;
mod degraded;
mod files;
mod users;
mod own;
