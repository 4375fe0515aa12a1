//! The built-in tools against real files, real processes and real servers on loopback.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod support;
mod reading;
mod writing;
mod searching;
mod places;
mod running;
mod background;
mod fetching;
mod searching_web;
mod orders;
mod definitions;
mod values;
