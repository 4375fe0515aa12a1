//! Development only: fake model providers that speak the vendors' wires over real HTTP and check what they
//! are sent. Never linked into the product.
//!
//! Reading order: `script` is what a test wants answered, in words both dialects share; `fake_model` is the
//! server; `wire` turns a rendered script into the bytes, pauses and hang-ups of a response; `anthropic` and
//! `openai` are the dialects, file for file alike: `render` writes an answer, `validate` checks a request.
//! `long_session` gives a home a past; `http` and `crowd` are clients of a gateway, one and many; `report` prints what
//! benchmarks measured.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a broken fake should fail its test at once"
)]

mod script;
mod fake_model;
mod wire;
mod validation;
mod anthropic;
mod openai;
mod long_session;
mod http;
mod crowd;
mod report;

pub use crowd::{Crowd, Heard};
pub use fake_model::{FakeModel, RecordedRequest};
pub use http::{Answer, Door, Events, Sent};
pub use long_session::fill_session;
pub use report::{Row, middle_ms, print};
pub use script::Script;
