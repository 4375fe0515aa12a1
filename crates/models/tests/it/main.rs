//! Providers from the outside: both dialects through one suite, against a fake that speaks their wires over
//! real HTTP and turns away what the vendors would turn away.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test says what it expects by panicking"
)]

mod bench;
mod answers;
mod requests;
mod failures;
mod retries;
mod offline;
mod changes;
