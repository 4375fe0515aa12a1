//! The WebSocket door.

mod approvals;
mod entrance;
mod log;
mod memory;
mod methods;
mod page;
mod pushes;

use crate::world::*;
