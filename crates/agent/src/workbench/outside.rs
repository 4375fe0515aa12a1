//! A tool's way out: progress to whoever watches, triggers into the inbox, rows for processes that go on.

use futures::future::BoxFuture;
use policy::Redactor;
use protocol::{Block, Delta, DeltaKind, Trigger, TriggerKind};
use std::sync::Arc;
use store::{ProcessRow, Store, StoreError, TurnRef};
use tools::{Outside, ProcessEnd, ProcessStart};

/// The source of triggers that tell of a process's end.
const PROCESS: &str = "process";

/// What one call's tool can reach.
pub(super) struct House {
    store: Store,
    at: TurnRef,
    /// The tool's name.
    tool: String,
    redactor: Arc<Redactor>,
}

impl House {
    pub fn new(store: Store, at: TurnRef, tool: String, redactor: Arc<Redactor>) -> Self {
        Self { store, at, tool, redactor }
    }
}

impl Outside for House {
    fn progress(&self, text: &str) {
        self.store.publish(Delta {
            session: self.at.session.clone(),
            turn: self.at.turn,
            // Progress belongs to no attempt; it must not void the text of one.
            attempt: 0,
            offset: 0,
            kind: DeltaKind::Progress,
            text: self.redactor.redact(text).into_owned(),
            tool: Some(self.tool.clone()),
        });
    }

    fn enqueue(&self, mut trigger: Trigger) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async move {
            for block in &mut trigger.content {
                if let Block::Text { text } = block {
                    *text = self.redactor.redact(text).into_owned();
                }
            }
            self.store.accept(trigger).await.map(|_| ()).map_err(|error| error.to_string())
        })
    }

    fn process_started(&self, process: ProcessStart) -> BoxFuture<'_, Result<(), String>> {
        let ProcessStart { call, id, session, command } = process;
        let command = self.redactor.redact(&command).into_owned();
        let row = ProcessRow { call, name: id, session, command };
        Box::pin(async move { self.store.process_started(row).await.map_err(|error| error.to_string()) })
    }

    fn process_ended(&self, process: ProcessEnd) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(
            async move { self.store.process_ended(process.call).await.map_err(|error| error.to_string()) },
        )
    }
}

/// Tells the conversations of processes that were lost with an earlier life of this program.
pub(crate) async fn tell_of_lost(store: &Store) -> Result<(), StoreError> {
    for process in store.running_processes().await? {
        let text = format!(
            "[The background process `{}` was lost: Steward ended while it ran, so it was stopped. It ran: {}]",
            process.name, process.command
        );
        store
            .accept(Trigger {
                source: PROCESS.into(),
                external_id: process.call.to_string(),
                session: process.session,
                kind: TriggerKind::ProcessExit,
                content: vec![Block::Text { text }],
                history: Vec::new(),
                model: None,
                steer: false,
            })
            .await?;
        store.process_ended(process.call).await?;
    }
    Ok(())
}
