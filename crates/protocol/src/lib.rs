//! The words of the house as types: what a trigger, a message, a call, a fact and an event are.
//!
//! Holds no behaviour beyond building and reading those values. It knows neither IO nor async nor the
//! clock; whoever creates an id or a time hands it in. A type lives here only when two rooms need it.
//!
//! Reading order: `id` names things, `message` is what is said, `call` is what is done, `approval` what
//! the owner is asked about it, `client` what a client does itself, `program` what the model wrote to be run, `trigger`
//! starts a turn, `model` is what a language model answers, `fact` is what happened in a turn, `event` is a fact with its
//! place in the log, `delta` is what streams by and may be lost.

mod id;
mod message;
mod call;
mod approval;
mod client;
mod program;
mod notice;
mod trigger;
mod model;
mod fact;
mod event;
mod delta;

pub use approval::{Approved, AskedCall, Decision};
pub use call::{Call, CallResult, CallStatus, Labels, Risk, ToolDefinition, Verdict};
pub use client::{ClientCall, ClientTool};
pub use delta::{Delta, DeltaKind};
pub use event::Event;
pub use fact::{Fact, Judgement, Outcome, TurnLimits};
pub use id::{ApprovalId, BadSessionKey, CallId, SessionKey, TurnId};
pub use message::{Attachment, Block, Message, Role};
pub use model::{ModelError, ModelErrorKind, StopReason, Usage};
pub use notice::Notice;
pub use program::{Forecast, Foreseen, Program, ProgramEnd, RUN_CODE, code_of};
pub use trigger::{Trigger, TriggerKind};

#[cfg(test)]
mod tests;
