//! The room as others use it: the real weights, and an endpoint over real HTTP.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod endpoint;
mod fake;
mod fetch;
mod local;
mod weights;
