//! The truth of the house in one file: inbox, events, sessions, usage, and the live feed over them.
//!
//! The API speaks in `protocol`'s words and is storage-neutral: no SQLite type leaves this crate. It knows
//! neither HTTP nor models nor tools, and decides nothing about a turn; it only sees to it that what was
//! accepted is there, in one order, after any crash.
//!
//! Reading order: `Store` is the handle that writes, `View` the one that only reads. `inbox` takes triggers
//! and leases them to drivers, `turns` writes the facts of a turn, `signals`, `approvals` and `clients` address a
//! turn under way, `chain` makes the log tamper-evident, `processes` outlive their calls. `tasks` are orders with a
//! conversation of their own, `jobs` what comes due, `firings` that it did, `joining` lets what happened meanwhile be
//! told in one turn, `outbox` is what the owner is to be told. `doors` notes who came in, `feed` shows everything to
//! subscribers, `sessions` and `usage` are what lists are made of. `sqlite` is the only place with a connection.

mod error;
mod store;
mod inbox;
mod turns;
mod signals;
mod approvals;
mod clients;
mod processes;
mod tasks;
mod jobs;
mod firings;
mod joining;
mod outbox;
mod doors;
mod chain;
mod feed;
mod view;
mod notices;
mod sessions;
mod usage;
mod cursors;
mod blobs;
mod sqlite;

pub mod failpoint;

pub use approvals::{DecideAnswer, OpenApproval};
pub use chain::ChainState;
pub use clients::{ClientAnswer, ClientSession};
pub use cursors::Cursor;
pub use error::StoreError;
pub use feed::{FeedItem, Subscription};
pub use firings::{Fire, Fired, FiringRow};
pub use inbox::{Accepted, Claim, Lane};
pub use jobs::{JobChange, JobFilter, JobKind, JobOrder, JobRow, MAX_OPEN_FIRINGS, NewJob, SlotChange};
pub use outbox::{NewNotice, OutboxRow};
pub use processes::ProcessRow;
pub use sessions::{SessionFilter, SessionRow};
pub use signals::{AbortAnswer, Signals};
pub use store::{Store, TimeSource};
pub use tasks::{
    HookDelivery, HookTaken, HookTask, NewTask, NewTaskKind, TaskAnswer, TaskFilter, TaskKind, TaskRow,
    TaskRunRow, TaskRuns, TaskStatus, TaskTerms,
};
pub use turns::{Durability, Finish, TurnRef};
pub use usage::UsageRow;
pub use view::{EventFilter, TurnRow, View};

/// What every call of this crate gives.
pub type Result<T> = std::result::Result<T, StoreError>;
