//! The doors against a real port, a real file and real clients. There is no agent in this room: the tests play
//! it by claiming turns and writing their facts.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod completions;
mod desk;
mod http;
mod idle;
mod orders;
mod page;
mod programs;
mod resuming;
mod socket;
mod world;
