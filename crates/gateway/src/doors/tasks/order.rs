//! An order as clients give it, over HTTP or a socket: for now, to come again, or whenever something outside happens.

use super::shown::Task;
use crate::{fault::Fault, gateway::Gateway};
use protocol::SessionKey;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tasks::{Missed, TaskOrder, Written};

/// The longest prompt, in bytes.
const MAX_PROMPT_BYTES: usize = 256 << 10;

/// An order.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Order {
    /// What to do.
    prompt: String,
    /// When: at once, again and again, or whenever something is handed in.
    #[serde(default)]
    kind: Kind,
    /// For `recurring`: `{"kind":"cron","expr":"0 9 * * *","tz":"Europe/Berlin"}`, `{"kind":"every","everyMs":3600000}`, or
    /// a phrase such as `every weekday at 9`.
    schedule: Option<Value>,
    /// For `recurring`: what becomes of times that passed while Steward was off: `skip`, `once` or `all`.
    #[serde(default)]
    #[schemars(with = "Option<String>")]
    missed: Missed,
    /// For `event`: what deliveries must be signed with.
    secret: Option<String>,
    /// Where the owner is told what came of it: `last`, `none`, a place, or the key of a conversation.
    deliver: Option<String>,
    /// Who orders.
    requester_id: Option<String>,
    /// Where it was ordered.
    channel_id: Option<String>,
    /// The model to use, `provider/model`.
    model: Option<String>,
    /// The client's own name for the order; sent twice, it is one task.
    client_task_id: Option<String>,
}

#[derive(Clone, Copy, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Kind {
    #[default]
    OneShot,
    Recurring,
    #[serde(alias = "event_triggered")]
    Event,
}

/// A task as it was given.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Given {
    #[serde(flatten)]
    pub task: Task,
    /// Where to hand something in. It is shown this once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hook: Option<Hook>,
}

/// Where something is handed in for a task.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Hook {
    url: String,
    token: String,
}

/// Takes an order; it is durable when this returns.
pub(crate) async fn give(gateway: &Gateway, order: Order) -> Result<Given, Fault> {
    order.check(gateway)?;
    match order.kind {
        Kind::OneShot => at_once(gateway, order).await,
        Kind::Recurring => {
            let schedule = order.schedule.clone().ok_or_else(|| {
                Fault::bad_request("`schedule` is missing: say when, such as \"every weekday at 9\"")
            })?;
            let written: Written = serde_json::from_value(schedule)
                .map_err(|error| Fault::bad_request(format!("`schedule`: {error}")))?;
            let (schedule, missed) = (gateway.orders().read(&written)?, order.missed);
            let task = gateway.orders().create_recurring(order.into(), schedule, missed).await?;
            Ok(Given { task: task.into(), hook: None })
        }
        Kind::Event => {
            let secret = order.secret.clone();
            let (task, token) = gateway.orders().create_event_trigger(order.into(), secret).await?;
            let hook =
                token.map(|token| Hook { url: format!("{}/api/hooks/{token}", gateway.address()), token });
            Ok(Given { task: task.into(), hook })
        }
    }
}

impl Order {
    fn check(&self, gateway: &Gateway) -> Result<(), Fault> {
        if self.prompt.trim().is_empty() {
            return Err(Fault::bad_request("`prompt` is empty: say what to do"));
        }
        if self.prompt.len() > MAX_PROMPT_BYTES {
            let message = format!("`prompt` is longer than {} kB", MAX_PROMPT_BYTES >> 10);
            return Err(Fault::bad_request(message));
        }
        if self.schedule.is_some() && self.kind != Kind::Recurring {
            return Err(Fault::bad_request("`schedule` is for orders of the kind `recurring`"));
        }
        if self.secret.is_some() && self.kind != Kind::Event {
            return Err(Fault::bad_request("`secret` is for orders of the kind `event`"));
        }
        if let Some(model) = &self.model {
            gateway.backstage().check_model(model).map_err(Fault::bad_request)?;
        }
        Ok(())
    }
}

/// An order for now may be as long as a message.
async fn at_once(gateway: &Gateway, order: Order) -> Result<Given, Fault> {
    let deliver = order.deliver.as_deref().filter(|deliver| *deliver != "none");
    let deliver = deliver.map(|deliver| deliver.parse::<SessionKey>()).transpose().map_err(|error| {
        let message =
            format!("`deliver`: {error}; say `last`, `none`, a place, or the key of a conversation");
        Fault::bad_request(message)
    })?;
    let task = TaskOrder { deliver: deliver.map(String::from), ..order.into() };
    let row = gateway.store().create_task(task).await?;
    Ok(Given { task: gateway.orders().task(row.id).await?.into(), hook: None })
}

impl From<Order> for TaskOrder {
    fn from(order: Order) -> Self {
        Self {
            prompt: order.prompt,
            deliver: order.deliver,
            client_id: order.client_task_id,
            requester_id: order.requester_id,
            channel_id: order.channel_id,
            model: order.model,
            ..Self::default()
        }
    }
}
