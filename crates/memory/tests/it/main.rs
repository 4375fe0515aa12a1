//! Writes and searches real files in a real folder. The cutting and scoring of text is tested beside its code.

// A test that cannot set its scene has failed; clippy's own exemption covers test functions only.
#![allow(clippy::expect_used, clippy::panic, clippy::unwrap_used)]

mod support;
mod write;
mod edit;
mod search;
mod index;
mod crash;
mod watch;
