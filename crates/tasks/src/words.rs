//! How standing orders are put to the assistant: templates with what is the case filled in. Pure.

use jiff::{Timestamp, tz::TimeZone};
use protocol::{Block, SessionKey, Trigger, TriggerKind};
use schedule::Schedule;
use store::{HookTask, JobKind, JobRow};

const REMINDER: &str = include_str!("prompts/reminder.md");
const CRON_EVENT: &str = include_str!("prompts/cron-event.md");
const TASK_RUN: &str = include_str!("prompts/task-run.md");
const HEARTBEAT: &str = include_str!("prompts/heartbeat.md");
const HOOK: &str = include_str!("prompts/hook.md");
const EXEC_EVENT: &str = include_str!("prompts/exec-event.md");

/// What a job says when a slot of it has come. Source and external id are the store's to give.
pub(crate) fn trigger(job: &JobRow, schedule: &Schedule, slot: Timestamp, zone: &TimeZone) -> Trigger {
    let due = slot.to_zoned(zone.clone()).strftime("%A %Y-%m-%d %H:%M").to_string();
    let comes_again = !matches!(schedule, Schedule::At { .. });
    let template = match job.order.kind {
        JobKind::Heartbeat => HEARTBEAT,
        JobKind::Task => TASK_RUN,
        JobKind::Reminder if comes_again => CRON_EVENT,
        JobKind::Reminder => REMINDER,
    };
    let task = job.order.task.map(|task| task.to_string()).unwrap_or_default();
    let text = fill(
        template,
        &[
            ("name", &job.order.name),
            ("schedule", &schedule.describe(zone)),
            ("due", &due),
            ("task", &task),
            ("message", &job.order.message),
        ],
    );
    let kind = match job.order.kind {
        // What was ordered after words of strangers came in may be theirs.
        _ if job.order.tainted => TriggerKind::Hook,
        JobKind::Heartbeat => TriggerKind::Heartbeat,
        JobKind::Reminder | JobKind::Task => TriggerKind::Due,
    };
    said(job.order.session.clone(), kind, text, job.order.model.clone())
}

/// What was handed in, after the order it was handed in for. The fence is one that does not occur in it.
pub(crate) fn handed_in(task: &HookTask, body: &str) -> Vec<Block> {
    let mut fence = "-----".to_owned();
    while body.contains(&fence) {
        fence.push('-');
    }
    let id = task.id.to_string();
    let parts = [("message", task.prompt.as_str()), ("task", &id), ("fence", &fence), ("body", body)];
    vec![Block::text(fill(HOOK, &parts))]
}

/// What is said when a command that went on in the background has ended: `event` tells which, and how.
pub fn process_ended(event: &str) -> String {
    fill(EXEC_EVENT, &[("event", event)])
}

fn said(session: SessionKey, kind: TriggerKind, text: String, model: Option<String>) -> Trigger {
    Trigger {
        source: String::new(),
        external_id: String::new(),
        session,
        kind,
        content: vec![Block::text(text)],
        history: Vec::new(),
        model,
        steer: false,
    }
}

/// The template with its gaps filled. What is filled in is never looked at again, whatever it holds.
fn fill(template: &str, parts: &[(&str, &str)]) -> String {
    let mut text = String::with_capacity(template.len());
    let mut rest = template.trim_end();
    while let Some((before, after)) = rest.split_once('{') {
        text.push_str(before);
        let gap = after.split_once('}').and_then(|(name, after)| {
            parts.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value, after))
        });
        match gap {
            Some((value, after)) => {
                text.push_str(value);
                rest = after;
            }
            None => {
                text.push('{');
                rest = after;
            }
        }
    }
    text.push_str(rest);
    text
}

#[cfg(test)]
mod tests;
