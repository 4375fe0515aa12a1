//! The front doors: one loopback port with HTTP, WebSocket and server-sent events in three dialects over one
//! log. The only room that knows frames and statuses.
//!
//! It knows neither the agent nor models nor tools: it writes to the store's inbox, sends signals, follows the
//! feed, and reaches everything else through `Backstage`, which the binary implements.
//!
//! Reading order: `gateway` joins it all, `server` takes connections, `guard` and `gate` say who may come in,
//! `routes` is the line of table every door is made of; `story` puts what happened so that any dialect can
//! tell it (`programs` keeps whose calls are whose) and `sse` tells it, `asking` puts a message and stays with its turn; then the `doors` themselves, and
//! the `socket` that is the largest of them.

mod asking;
mod backstage;
mod doors;
mod fault;
mod gate;
mod gateway;
mod guard;
mod programs;
mod reading;
mod routes;
mod server;
mod socket;
mod sse;
mod story;

pub use backstage::{
    AgentInfo, Backstage, Detected, FoundKey, FoundServer, LabelInfo, NewKey, NotDone, OwnerRules,
    PrimitiveInfo, ProviderInfo, SandboxInfo, SettingsInfo, ToolInfo, Toolbox,
};
pub use gate::new_token;
pub use gateway::{Gateway, GatewayParts, is_loopback};
pub use socket::Connection;
#[doc(hidden)]
pub use socket::reread;
