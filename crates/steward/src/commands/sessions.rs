//! `steward sessions`: what was talked about. Only `export` writes; the others read beside a running Steward.

use crate::terminal::say;
use crate::{
    cli::Sessions,
    client::Client,
    house,
    terminal::{Markdown, clean},
};
use anyhow::Context;
use protocol::{Block, Event, Fact, Outcome, SessionKey};
use std::{
    io::{self, IsTerminal},
    process::ExitCode,
};
use store::View;

pub(crate) async fn run(command: Sessions) -> anyhow::Result<ExitCode> {
    if let Sessions::Export = command {
        let mut client = Client::open().await?;
        let files = client.rebuild_transcripts().await?;
        client.close().await?;
        say!("{files} files written");
        return Ok(ExitCode::SUCCESS);
    }
    let (home, _, _) = house::enter()?;
    let Some(view) = house::view(&home) else {
        say!("No conversations yet. `steward chat` begins one.");
        return Ok(ExitCode::SUCCESS);
    };
    match command {
        Sessions::List { limit, json } => list(&view, limit, json).await?,
        Sessions::Show { session, limit } => show(&view, &session, limit).await?,
        Sessions::Export => {}
    }
    Ok(ExitCode::SUCCESS)
}

/// Prints conversations, the latest first.
pub(crate) async fn list(view: &View, limit: usize, json: bool) -> anyhow::Result<()> {
    let rows = view.sessions(limit).await?;
    if rows.is_empty() && !json {
        say!("No conversations yet. `steward chat` begins one.");
    }
    let width = rows.iter().map(|row| row.key.as_str().chars().count()).max().unwrap_or(0).min(48);
    for row in rows {
        if json {
            let line = serde_json::json!({
                "sessionKey": row.key, "title": row.title, "turns": row.turns,
                "createdAt": row.created_at, "updatedAt": row.updated_at,
            });
            say!("{}", serde_json::to_string(&line)?);
            continue;
        }
        let updated = row.updated_at.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M");
        let turns = format!("{} {}", row.turns, if row.turns == 1 { "turn" } else { "turns" });
        say!("{:width$}  {updated}  {turns:>9}  {}", row.key.as_str(), clean(&row.title));
    }
    Ok(())
}

/// Prints a conversation's latest turns.
pub(crate) async fn show(view: &View, session: &SessionKey, limit: usize) -> anyhow::Result<()> {
    let mut events: Vec<Event> = view.recent_turns(session, limit).await?.into_iter().flatten().collect();
    let oldest = events.first().map_or(0, |event| event.seq);
    events.extend(view.notices(session, oldest, u64::MAX, limit).await?);
    events.sort_by_key(|event| event.seq);
    if events.is_empty() {
        let key = session.as_str();
        anyhow::bail!("there is no conversation `{key}`; `steward sessions list` shows what there is");
    }
    let styled = io::stdout().is_terminal();
    for event in &events {
        for line in lines(event, styled).context("cannot show an event")? {
            say!("{line}\n");
        }
    }
    Ok(())
}

fn lines(event: &Event, styled: bool) -> anyhow::Result<Vec<String>> {
    let time = event.at.to_zoned(jiff::tz::TimeZone::system()).strftime("%Y-%m-%d %H:%M").to_string();
    Ok(match &event.fact {
        Fact::TurnStarted { trigger, .. } | Fact::TurnSteered { trigger, .. } => {
            let who = if trigger.kind.is_background() { "what happened" } else { "you" };
            vec![format!("{who} · {time}\n{}", clean(&Block::text_of(&trigger.content)))]
        }
        Fact::ModelDone { model, blocks, .. } => answer(blocks, model, styled),
        Fact::ModelFailed { partial, .. } | Fact::TurnAborted { partial } => {
            answer(partial, "cut off", styled)
        }
        Fact::CallDone { result } => vec![format!("tool\n{}", clean(&result.output))],
        Fact::TurnFinished { outcome: Outcome::Failed { error } } => {
            vec![format!("[failed: {}]", clean(&error.message))]
        }
        Fact::TurnFinished { outcome: Outcome::LimitReached { reason } } => vec![format!("[{reason}]")],
        Fact::Noticed { notice } => vec![format!("{}\n{}", clean(&notice.from), clean(&notice.text))],
        Fact::TurnFinished { outcome: Outcome::Aborted } => vec!["[stopped by you]".into()],
        _ => Vec::new(),
    })
}

fn answer(blocks: &[Block], model: &str, styled: bool) -> Vec<String> {
    let text = Block::text_of(blocks);
    if text.is_empty() {
        return Vec::new();
    }
    let mut markdown = Markdown::default();
    let text = if styled { markdown.push(&text) + &markdown.finish() } else { clean(&text) };
    vec![format!("steward · {model}\n{text}")]
}
