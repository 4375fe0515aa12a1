//! The tools that come with the house, registered in one place.
//!
//! What each needs is handed in; which of them a session is offered is for others to choose.

use crate::{
    commands::{Bash, Exec, Process, Processes},
    files::{Edit, Glob, Grep, Read, Write},
    memory::{MemoryGet, MemorySearch, MemoryWrite},
    orders::{
        Cron, TasksCancel, TasksComplete, TasksCreate, TasksCreateEventTrigger, TasksCreateRecurring,
        TasksHistory, TasksList,
    },
    registry::{RegisterError, Registry},
    web::{Fetcher, SearchEndpoint, WebFetch, WebSearch},
};
use ::memory::Memory;
use ::tasks::Orders;
use sandbox::Sandbox;

/// What the built-in tools are made of.
pub struct Builtin {
    /// Where commands run.
    pub sandbox: Sandbox,
    /// Those that go on after their calls.
    pub processes: Processes,
    /// The way to the web.
    pub fetcher: Fetcher,
    /// The search engine; without one there is no `websearch`.
    pub search: Option<SearchEndpoint>,
    /// What the assistant remembers, if it may.
    pub memory: Option<Memory>,
    /// Standing orders, if there are to be any.
    pub orders: Option<Orders>,
}

/// A registry with every built-in tool.
pub fn builtin(parts: Builtin) -> Result<Registry, RegisterError> {
    let mut registry = Registry::new();
    registry.register(Read)?;
    registry.register(Write)?;
    registry.register(Edit)?;
    registry.register(Glob)?;
    registry.register(Grep)?;
    let Builtin { sandbox, processes, fetcher, search, memory, orders } = parts;
    registry.register(Bash { sandbox: sandbox.clone() })?;
    registry.register(Exec { sandbox, processes: processes.clone() })?;
    registry.register(Process { processes })?;
    registry.register(WebFetch { fetcher })?;
    if let Some(endpoint) = search {
        registry.register(WebSearch::new(endpoint))?;
    }
    if let Some(memory) = memory {
        registry.register(MemorySearch { memory: memory.clone() })?;
        registry.register(MemoryGet { memory: memory.clone() })?;
        registry.register(MemoryWrite { memory })?;
    }
    if let Some(orders) = orders {
        register_orders(&mut registry, &orders)?;
    }
    Ok(registry)
}

fn register_orders(registry: &mut Registry, orders: &Orders) -> Result<(), RegisterError> {
    registry.register(Cron { orders: orders.clone() })?;
    registry.register(TasksList { orders: orders.clone() })?;
    registry.register(TasksHistory { orders: orders.clone() })?;
    registry.register(TasksCreate { orders: orders.clone() })?;
    registry.register(TasksCreateRecurring { orders: orders.clone() })?;
    registry.register(TasksCreateEventTrigger { orders: orders.clone() })?;
    registry.register(TasksCancel { orders: orders.clone() })?;
    registry.register(TasksComplete { orders: orders.clone() })
}
