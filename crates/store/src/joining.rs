//! What happened in a conversation while nobody came to it is told in one turn: when one such trigger is claimed, the
//! others that wait join it. Nothing is dropped: every trigger stands in the inbox, the latest are told in full and the
//! older ones by name. What the owner says, and what strangers send in, never joins.

use crate::{Result, blobs, inbox::title_of, sqlite::Unit, turns::TurnRef};
use protocol::{Block, Trigger, TriggerKind};
use rusqlite::params;

/// How many are told in full. More would crowd out the conversation itself.
pub(crate) const TOLD_IN_FULL: usize = 20;

/// How many different names the older ones are summed up under.
const MAX_NAMES: usize = 20;

/// How many may join one turn; the rest wait for the next. Bounds what one transaction reads.
const MAX_JOINED: i64 = 500;

const INTRODUCTION: &str = include_str!("prompts/joined.md");

/// Whether triggers of this kind may be told together.
pub(crate) fn may_join(kind: TriggerKind) -> bool {
    matches!(kind, TriggerKind::ProcessExit | TriggerKind::Due | TriggerKind::Heartbeat)
}

/// Lets everything that waits beside a trigger that is about to start its turn join it, and returns what that turn
/// begins with. Triggers that want another model have a turn of their own.
pub(crate) fn join_waiting(unit: &Unit<'_>, turn: &TurnRef, trigger: Trigger) -> Result<Trigger> {
    if !may_join(trigger.kind) {
        return Ok(trigger);
    }
    let sql = "SELECT turn, trigger FROM inbox AS row INDEXED BY inbox_open
               WHERE session = ?1 AND state != 'done' AND state = 'queued' AND background = 1 AND turn != ?2
                 AND json_extract(trigger, '$.kind') IN ('process_exit', 'due', 'heartbeat')
                 AND json_extract(trigger, '$.model') IS ?3
                 AND NOT EXISTS (SELECT 1 FROM events WHERE events.turn = row.turn)
               ORDER BY position LIMIT ?4";
    let into = turn.turn.to_string();
    let mut statement = unit.connection.prepare_cached(sql)?;
    let parameters = params![turn.session.as_str(), into, trigger.model, MAX_JOINED];
    let rows =
        statement.query_map(parameters, |row| Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?)))?;
    let waiting: Vec<(String, String)> = rows.collect::<rusqlite::Result<_>>()?;
    let mut told = vec![trigger];
    for (joined, encoded) in &waiting {
        for sql in [
            "UPDATE inbox SET state = 'joined', joined = ?1 WHERE turn = ?2",
            "UPDATE firings SET turn = ?1 WHERE turn = ?2 AND outcome IS NULL",
            "UPDATE tasks SET turn = ?1 WHERE turn = ?2",
        ] {
            unit.connection.prepare_cached(sql)?.execute(params![into, joined])?;
        }
        told.push(blobs::decode(unit.connection, encoded)?);
    }
    Ok(told_together(told))
}

/// One trigger that tells all of these, the oldest first. It is the first of them in everything but its content.
pub(crate) fn told_together(mut told: Vec<Trigger>) -> Trigger {
    if told.len() == 1 {
        return told.remove(0);
    }
    let older = told.len().saturating_sub(TOLD_IN_FULL);
    let mut content = vec![Block::text(INTRODUCTION.replace("{count}", &told.len().to_string()))];
    if older > 0 {
        content.push(Block::text(format!("\n{}\n", summed_up(&told[..older]))));
    }
    for (number, trigger) in (older + 1..).zip(&told[older..]) {
        content.push(Block::text(format!("\n{number}. ")));
        content.extend(trigger.content.iter().cloned());
        content.push(Block::text("\n"));
    }
    let mut first = told.swap_remove(0);
    first.content = content;
    first
}

fn summed_up(older: &[Trigger]) -> String {
    let mut names: Vec<(String, usize)> = Vec::new();
    let mut others = 0;
    for trigger in older {
        let name = title_of(Block::text_of(&trigger.content).trim_start());
        let room = names.len() < MAX_NAMES;
        match names.iter_mut().find(|(known, _)| *known == name) {
            Some((_, count)) => *count += 1,
            None if room => names.push((name, 1)),
            None => others += 1,
        }
    }
    let mut parts: Vec<String> = names.iter().map(|(name, count)| format!("{count} × \"{name}\"")).collect();
    if others > 0 {
        parts.push(format!("{others} others"));
    }
    format!("1–{}, in short: {}", older.len(), parts.join(", "))
}

#[cfg(test)]
mod tests;
