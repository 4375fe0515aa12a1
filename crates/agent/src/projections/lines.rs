//! Which lines an event adds to which file.

use super::file_name::file_name;
use jiff::{Timestamp, tz::TimeZone};
use protocol::{Block, Call, CallId, CallResult, Event, Fact, Outcome, Trigger, TriggerKind};
use serde::Serialize;
use serde_json::Value;

/// One line of a session's transcript.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Line<'a> {
    role: &'static str,
    content: &'a str,
    timestamp: Timestamp,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<&'a str>,
    /// Whether it may hold words of strangers.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    untrusted: bool,
}

/// One line of the daily log: a whole turn.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Day<'a> {
    timestamp: Timestamp,
    source: &'a str,
    session_key: &'a str,
    run_id: String,
    message: String,
    response: String,
    tool_calls: Vec<DayCall<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DayCall<'a> {
    name: &'a str,
    input: &'a str,
    output: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_ms: Option<i64>,
}

/// Whether the lines of this fact tell something of the turn's earlier events.
pub(super) fn needs_story(fact: &Fact) -> bool {
    matches!(fact, Fact::CallDone { .. } | Fact::TurnFinished { .. })
}

/// The lines an event adds, each with its file. `story` holds the turn's events if `needs_story`.
pub(super) fn of(event: &Event, story: &[Event], zone: &TimeZone) -> Vec<(String, Value)> {
    let transcript = format!("sessions/{}.jsonl", file_name(&event.session));
    let mut lines: Vec<(String, Value)> = Vec::new();
    let mut say = |line: Line<'_>| lines.push((transcript.clone(), json(&line)));
    let line = |role, content| Line {
        role,
        content,
        timestamp: event.at,
        tool_name: None,
        error: None,
        untrusted: false,
    };
    match &event.fact {
        Fact::TurnStarted { trigger, .. } | Fact::TurnSteered { trigger, .. } => {
            let untrusted = trigger.kind == TriggerKind::Hook || !trigger.history.is_empty();
            let role = if trigger.kind.is_background() { "event" } else { "user" };
            say(Line { untrusted, ..line(role, &text(&trigger.content)) });
        }
        Fact::ModelDone { blocks, .. } => {
            let text = Block::text_of(blocks);
            if !text.is_empty() {
                say(line("assistant", &text));
            }
            for call in calls(blocks) {
                say(Line { tool_name: Some(&call.tool), ..line("tool_use", &call.arguments) });
            }
        }
        Fact::ProgramAsked { calls, .. } => {
            for call in calls {
                say(Line { tool_name: Some(&call.tool), ..line("tool_use", &call.arguments) });
            }
        }
        Fact::ModelFailed { error, partial } => {
            say(Line { error: Some(&error.message), ..line("assistant", &Block::text_of(partial)) });
        }
        Fact::CallDone { result } => {
            let error = result.is_error().then_some(result.output.as_str());
            let tool_name = find_call(story, result.call).map(|call| call.tool.as_str());
            let untrusted = result.untrusted;
            say(Line { tool_name, error, untrusted, ..line("tool_result", &result.output) });
        }
        Fact::TurnAborted { partial } => {
            say(Line { error: Some("stopped by the owner"), ..line("assistant", &Block::text_of(partial)) });
        }
        Fact::TurnFinished { outcome } => {
            if let Outcome::LimitReached { reason } = outcome {
                say(Line { error: Some(reason), ..line("assistant", "") });
            }
            lines.extend(day(event, outcome, story, zone));
        }
        Fact::Noticed { notice } => {
            say(Line { untrusted: notice.untrusted, ..line("assistant", &notice.text) });
        }
        Fact::ModelAsked { .. }
        | Fact::CallsJudged { .. }
        | Fact::ApprovalRequested { .. }
        | Fact::ApprovalDecided { .. }
        | Fact::ClientAsked { .. }
        | Fact::CallStarted { .. }
        | Fact::ProgramStarted { .. }
        | Fact::ProgramEnded { .. }
        | Fact::AuthAccepted { .. }
        | Fact::AuthRefused { .. }
        | Fact::AuthRotated
        | Fact::HistoryCut { .. }
        | Fact::TaskChanged { .. } => {}
    }
    lines
}

fn day(event: &Event, outcome: &Outcome, story: &[Event], zone: &TimeZone) -> Option<(String, Value)> {
    let trigger = story.iter().find_map(|event| match &event.fact {
        Fact::TurnStarted { trigger, .. } => Some(trigger),
        _ => None,
    })?;
    let line = Day {
        timestamp: event.at,
        source: &trigger.source,
        session_key: event.session.as_str(),
        run_id: event.turn.to_string(),
        message: messages(trigger, story),
        response: response(story),
        tool_calls: story.iter().filter_map(|event| day_call(event, story)).collect(),
        error: match outcome {
            Outcome::Completed => None,
            Outcome::Aborted => Some("stopped by the owner".into()),
            Outcome::LimitReached { reason } => Some(reason.clone()),
            Outcome::Failed { error } => Some(error.message.clone()),
        },
    };
    let date = event.at.to_zoned(zone.clone()).date();
    Some((format!("daily/{date}.jsonl"), json(&line)))
}

/// What was said to the assistant in a turn.
fn messages(trigger: &Trigger, story: &[Event]) -> String {
    let mut said = vec![text(&trigger.content)];
    said.extend(story.iter().filter_map(|event| match &event.fact {
        Fact::TurnSteered { trigger, .. } => Some(text(&trigger.content)),
        _ => None,
    }));
    said.join("\n\n")
}

/// What the assistant said in a turn.
fn response(story: &[Event]) -> String {
    let said = story.iter().filter_map(|event| match &event.fact {
        Fact::ModelDone { blocks, .. } => Some(Block::text_of(blocks)),
        Fact::ModelFailed { partial, .. } | Fact::TurnAborted { partial } => Some(Block::text_of(partial)),
        _ => None,
    });
    said.filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n\n")
}

fn day_call<'a>(event: &'a Event, story: &'a [Event]) -> Option<DayCall<'a>> {
    let Fact::CallDone { result } = &event.fact else { return None };
    let call = find_call(story, result.call)?;
    let started = story.iter().find(|earlier| is_start(&earlier.fact, result));
    let duration_ms = started.map(|start| event.at.as_millisecond() - start.at.as_millisecond());
    Some(DayCall { name: &call.tool, input: &call.arguments, output: &result.output, duration_ms })
}

fn is_start(fact: &Fact, result: &CallResult) -> bool {
    match fact {
        Fact::CallStarted { call } => *call == result.call,
        Fact::ClientAsked { calls } => calls.iter().any(|handed| handed.call.id == result.call),
        _ => false,
    }
}

fn find_call(story: &[Event], id: CallId) -> Option<&Call> {
    story.iter().find_map(|event| match &event.fact {
        Fact::ModelDone { blocks, .. } => calls(blocks).find(|call| call.id == id),
        Fact::ProgramAsked { calls, .. } => calls.iter().find(|call| call.id == id),
        _ => None,
    })
}

fn calls(blocks: &[Block]) -> impl Iterator<Item = &Call> {
    blocks.iter().filter_map(|block| if let Block::Call(call) = block { Some(call) } else { None })
}

/// What was said, with a word for each picture or file.
fn text(blocks: &[Block]) -> String {
    let part = |block: &Block| match block {
        Block::Text { text } => Some(text.clone()),
        Block::Attachment(attachment) => {
            Some(format!("[{}]", attachment.name.as_deref().unwrap_or(&attachment.mime_type)))
        }
        _ => None,
    };
    blocks.iter().filter_map(part).collect::<Vec<_>>().join("\n")
}

fn json(line: &impl Serialize) -> Value {
    serde_json::to_value(line).unwrap_or_else(|error| Value::String(error.to_string()))
}
