//! `tasks.cancel` ends any task; `tasks.complete` ends the one whose run calls it.

use super::{GIVES, LOOKS, task_id, why};
use crate::{Labels, Presentation, ToolContext, ToolOutput, TypedTool};
use ::tasks::Orders;
use schemars::JsonSchema;
use serde::Deserialize;

/// `tasks.cancel`.
pub(crate) struct TasksCancel {
    pub orders: Orders,
}

/// What it takes.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct One {
    task_id: String,
}

impl TypedTool for TasksCancel {
    const NAME: &'static str = "tasks.cancel";
    const DESCRIPTION: &'static str = "Stop a task for good.";
    const LABELS: Labels = GIVES;
    type Input = One;

    fn show(&self, input: &One) -> Presentation {
        Presentation::new("Stop a task for good", input.task_id.clone())
    }

    async fn run(&self, input: One, _: &ToolContext) -> ToolOutput {
        let ending = async {
            let task = self.orders.cancel(task_id(&input.task_id)?, None).await.map_err(why)?;
            Ok(ToolOutput::text(format!("The task is {}.", task.status)))
        };
        ending.await.into()
    }
}

/// `tasks.complete`.
pub(crate) struct TasksComplete {
    pub orders: Orders,
}

/// What it takes.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Fulfilled {
    reason: String,
    task_id: Option<String>,
}

impl TypedTool for TasksComplete {
    const NAME: &'static str = "tasks.complete";
    const DESCRIPTION: &'static str = "End this task: its purpose is fulfilled. Then say what is to be told.";
    /// It ends nothing but the order whose run calls it, and the owner is told what that run says: it may be done unasked
    /// whatever the run has read.
    const LABELS: Labels = Labels { reads_private: false, ..LOOKS };
    type Input = Fulfilled;

    fn show(&self, input: &Fulfilled) -> Presentation {
        Presentation::new("End this task", input.reason.clone())
    }

    async fn run(&self, input: Fulfilled, context: &ToolContext) -> ToolOutput {
        let ending = async {
            let key = context.session.as_str().strip_prefix("task--");
            let id = key.ok_or("This conversation is no task: there is nothing to end.")?;
            if input.task_id.is_some_and(|named| named.trim() != id) {
                return Err(
                    "Only the task of this conversation can be ended here; `tasks.cancel` stops others."
                        .into(),
                );
            }
            let task = self.orders.complete(task_id(id)?, Some(input.reason)).await.map_err(why)?;
            Ok(ToolOutput::text(format!("The task is {}.", task.status)))
        };
        ending.await.into()
    }
}
