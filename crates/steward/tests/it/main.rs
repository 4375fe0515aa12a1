//! The real binary as an owner uses it: its own home, a fake provider over real HTTP, real signals.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod ask;
mod chat;
mod code;
mod crash;
mod daemon;
mod doors;
mod hands;
mod home;
mod models;
mod orders;
mod page;
mod programs;
mod rules;
mod world;
