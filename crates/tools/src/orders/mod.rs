//! Standing orders as tools: reminders and other jobs with `cron`, tasks that go on by themselves with `tasks.*`. What
//! comes due when, and keeping it, is `tasks`'.

mod cron;
mod data;
mod end;
mod give;
mod look;

pub(crate) use cron::Cron;
pub(crate) use end::{TasksCancel, TasksComplete};
pub(crate) use give::{TasksCreate, TasksCreateEventTrigger, TasksCreateRecurring};
pub(crate) use look::{TasksHistory, TasksList};

use crate::{Labels, ToolContext};
use ::tasks::{Orders, OrdersError, TaskView};
use uuid::Uuid;

/// How much of a prompt or a message a line shows.
const SHOWN_CHARS: usize = 120;

/// Looks at what was ordered: the owner's private business.
const LOOKS: Labels = Labels { reads_private: true, idempotent: true, ..Labels::NONE };

/// Gives or changes an order. The call's id is the order's, so the same call twice is one order.
const GIVES: Labels = Labels { reads_private: false, keeps: true, ..LOOKS };

/// What makes an order: this call and no other.
fn origin_key(context: &ToolContext) -> Option<String> {
    Some(format!("call:{}", context.call))
}

/// Why it was not done, as a sentence.
fn why(error: OrdersError) -> String {
    let text = error.to_string();
    let mut chars = text.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect::<String>() + ".")
}

fn task_id(text: &str) -> Result<Uuid, String> {
    text.trim().parse().map_err(|_| format!("There is no task `{text:.60}`: `tasks.list` shows their ids."))
}

/// A task on one line.
fn task_line(orders: &Orders, task: &TaskView) -> String {
    let mut line = format!("{} {} {}", task.id, task.kind, task.status);
    if let Some(description) = &task.runs.description {
        line.push_str(&format!(", {description}"));
    }
    if let Some(next) = task.runs.next_run {
        line.push_str(&format!(", next {}", orders.shown(next)));
    }
    if task.runs.runs > 0 && task.kind != "one_shot" {
        line.push_str(&format!(", {} runs", task.runs.runs));
    }
    if task.runs.failures > 0 {
        line.push_str(&format!(", failed {} times in a row", task.runs.failures));
    }
    if let Some(reason) = &task.terms.reason {
        line.push_str(&format!(" ({})", crate::text::line(reason, SHOWN_CHARS)));
    }
    line + ": " + &crate::text::line(&task.prompt, SHOWN_CHARS)
}
