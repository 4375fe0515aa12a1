//! `tasks.create`, `tasks.createRecurring`, `tasks.createEventTrigger`: orders that go on by themselves, each in a
//! conversation of its own.

use super::{GIVES, cron::read, data::Task, origin_key, task_line, why};
use crate::{Labels, Presentation, ToolContext, ToolOutput, TypedTool, output_of};
use ::tasks::{Missed, Orders, TaskOrder, TaskView};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// `tasks.create`.
pub(crate) struct TasksCreate {
    pub orders: Orders,
}

/// What it takes.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Once {
    prompt: String,
}

impl TypedTool for TasksCreate {
    const NAME: &'static str = "tasks.create";
    const DESCRIPTION: &'static str = "Do something once, in the background.";
    const LABELS: Labels = GIVES;
    type Input = Once;
    const OUTPUT: Option<fn() -> Value> = Some(output_of::<Task>);

    fn show(&self, input: &Once) -> Presentation {
        Presentation::new("Begin a task in the background", input.prompt.clone())
    }

    async fn run(&self, input: Once, context: &ToolContext) -> ToolOutput {
        let given = self.orders.create_one_shot(order(input.prompt, context)).await.map_err(why);
        given.map(|task| told("Begun", &self.orders, &task)).into()
    }
}

/// `tasks.createRecurring`.
pub(crate) struct TasksCreateRecurring {
    pub orders: Orders,
}

/// What it takes.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Again {
    prompt: String,
    /// As for cron
    schedule: Value,
}

impl TypedTool for TasksCreateRecurring {
    const NAME: &'static str = "tasks.createRecurring";
    const DESCRIPTION: &'static str = "Do something again and again.";
    const LABELS: Labels = GIVES;
    type Input = Again;
    const OUTPUT: Option<fn() -> Value> = Some(output_of::<Task>);

    fn show(&self, input: &Again) -> Presentation {
        let when = match read(&self.orders, &input.schedule) {
            Ok(schedule) => self.orders.describe(&schedule),
            Err(_) => input.schedule.to_string(),
        };
        Presentation::new(format!("Set a task: {when}"), input.prompt.clone())
    }

    async fn run(&self, input: Again, context: &ToolContext) -> ToolOutput {
        let giving = async {
            let schedule = read(&self.orders, &input.schedule)?;
            let order = order(input.prompt, context);
            let task = self.orders.create_recurring(order, schedule, Missed::Once).await.map_err(why)?;
            Ok(told("Set", &self.orders, &task))
        };
        giving.await.into()
    }
}

/// `tasks.createEventTrigger`.
pub(crate) struct TasksCreateEventTrigger {
    pub orders: Orders,
}

/// What it takes.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Whenever {
    prompt: String,
    secret: Option<String>,
}

/// What it gives.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Hooked {
    #[serde(flatten)]
    task: Task,
    /// Path to POST to; not shown again.
    #[serde(skip_serializing_if = "Option::is_none")]
    hook: Option<String>,
}

impl TypedTool for TasksCreateEventTrigger {
    const NAME: &'static str = "tasks.createEventTrigger";
    const DESCRIPTION: &'static str = "Do something whenever a webhook is called.";
    const LABELS: Labels = GIVES;
    type Input = Whenever;
    const OUTPUT: Option<fn() -> Value> = Some(output_of::<Hooked>);

    fn show(&self, input: &Whenever) -> Presentation {
        let signed = if input.secret.is_some() { ", signed" } else { "" };
        Presentation::new(
            format!("Set a task that runs whenever its webhook is called{signed}"),
            input.prompt.clone(),
        )
    }

    async fn run(&self, input: Whenever, context: &ToolContext) -> ToolOutput {
        let order = order(input.prompt, context);
        let given = self.orders.create_event_trigger(order, input.secret).await.map_err(why);
        let told = given.map(|(task, token)| {
            let line = task_line(&self.orders, &task);
            let path = token.map(|token| format!("/api/hooks/{token}"));
            let hook = match &path {
                Some(path) => format!(
                    "Whatever is POSTed to {path} on this gateway starts a run. Tell the owner this address \
                     now: it is not shown again."
                ),
                None => "It was set before, and its address was shown then; if that is lost, cancel it and set it anew."
                    .to_owned(),
            };
            let value = Hooked { task: Task::from(&task), hook: path };
            ToolOutput::text(format!("Set.\n{line}\n{hook}")).with(&value)
        });
        told.into()
    }
}

fn told(done: &str, orders: &Orders, task: &TaskView) -> ToolOutput {
    ToolOutput::text(format!("{done}.\n{}", task_line(orders, task))).with(&Task::from(task))
}

/// What comes of it is told where the owner is.
fn order(prompt: String, context: &ToolContext) -> TaskOrder {
    TaskOrder {
        prompt,
        deliver: Some("last".into()),
        origin: Some(context.session.clone()),
        origin_key: origin_key(context),
        tainted: context.tainted,
        ..TaskOrder::default()
    }
}
