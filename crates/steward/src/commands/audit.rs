//! `steward audit`: everything that happened, and whether it is still as it was written.

use crate::terminal::say;
use crate::{cli::Audit, house, terminal::clean};
use protocol::{Block, ClientCall, Event, Fact, ProgramEnd};
use std::process::ExitCode;
use store::ChainState;

/// How much of a text one line shows, in characters.
const MAX_CHARS: usize = 100;

pub(crate) async fn run(command: Audit) -> anyhow::Result<ExitCode> {
    let (home, _, _) = house::enter()?;
    let Some(view) = house::view(&home) else {
        say!("Nothing has happened yet.");
        return Ok(ExitCode::SUCCESS);
    };
    match command {
        Audit::Verify => match view.verify_chain().await? {
            ChainState::Whole { events, head } => {
                say!("{events} events, the chain is whole; head {head}")
            }
            ChainState::Broken { seq, reason } => {
                eprintln!("steward: the log was changed at event {seq}: {reason}");
                return Ok(ExitCode::FAILURE);
            }
        },
        Audit::Tail { limit, json } => {
            let newest = view.newest().await?;
            for event in view.events_after(newest.saturating_sub(limit as u64), limit).await? {
                match json {
                    true => say!("{}", serde_json::to_string(&event)?),
                    false => say!("{}", line(&event)),
                }
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

fn line(event: &Event) -> String {
    let time = event.at.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M:%S");
    let about = clean(&about(&event.fact)).replace('\n', " ");
    let about: String = about.chars().take(MAX_CHARS).collect();
    format!("{:>6}  {time}  {}  {:18}  {about}", event.seq, event.session, event.fact.kind())
}

fn about(fact: &Fact) -> String {
    match fact {
        Fact::TurnStarted { trigger, .. } | Fact::TurnSteered { trigger, .. } => {
            Block::text_of(&trigger.content)
        }
        Fact::ModelAsked { model, attempt } => format!("{model}, attempt {attempt}"),
        Fact::ModelDone { blocks, usage, .. } => {
            format!("{} tokens: {}", usage.output_tokens, Block::text_of(blocks))
        }
        Fact::ModelFailed { error, .. } => error.message.clone(),
        Fact::CallsJudged { judgements } => {
            judgements.iter().map(|it| format!("{} {:?}", it.call, it.verdict)).collect::<Vec<_>>().join("; ")
        }
        Fact::ApprovalRequested { calls, .. } => {
            calls.iter().map(|call| format!("{}: {}", call.tool, call.summary)).collect::<Vec<_>>().join("; ")
        }
        Fact::ApprovalDecided { decisions, by, .. } => {
            let word = |approved| if approved { "approved" } else { "denied" };
            let said: Vec<String> =
                decisions.iter().map(|it| format!("{} {}", word(it.approved), it.call)).collect();
            format!("{} by {by}", said.join("; "))
        }
        Fact::ClientAsked { calls } => {
            let handed = |it: &ClientCall| format!("{} {}: {}", it.call.id, it.call.tool, it.reason);
            calls.iter().map(handed).collect::<Vec<_>>().join("; ")
        }
        Fact::CallStarted { call } => call.to_string(),
        Fact::CallDone { result } => format!("{} {:?}: {}", result.call, result.status, result.output),
        Fact::ProgramStarted { call, program } => {
            format!("{call}, {} bytes for {}", program.javascript.len(), program.engine)
        }
        Fact::ProgramAsked { program, calls, told, .. } => {
            let asked: Vec<String> = calls.iter().map(|call| format!("{} {}", call.id, call.tool)).collect();
            format!("{program} after {told} results: {}", asked.join("; "))
        }
        Fact::ProgramEnded { program, end, .. } => match end {
            ProgramEnd::Returned { value, .. } => format!("{program} gives {value}"),
            ProgramEnd::Failed { name, message, .. } => format!("{program} fails, {name}: {message}"),
        },
        Fact::AuthAccepted { door } => door.clone(),
        Fact::AuthRefused { door, reason } => format!("{door}: {reason}"),
        Fact::Noticed { notice } => format!("{}: {}", notice.from, notice.text),
        Fact::TaskChanged { status, reason } => match reason {
            Some(reason) => format!("{status}: {reason}"),
            None => status.clone(),
        },
        Fact::HistoryCut { kept } => format!("{kept} messages stay in view"),
        Fact::TurnAborted { .. } | Fact::AuthRotated => String::new(),
        Fact::TurnFinished { outcome } => format!("{outcome:?}"),
    }
}
