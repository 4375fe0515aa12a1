//! What of a standing order's turn is worth telling the owner: its last word, a screen that waits, the first failure of
//! several. What nobody needs to hear is left out: silence, and a heartbeat that found nothing or says the same again.

use super::{intend, jobs_of};
use crate::{
    Result, blobs,
    jobs::{self, JobKind, JobRow},
    sqlite::Unit,
    turns::RawEvent,
};
use protocol::{ApprovalId, AskedCall, Block, Event, Fact, Notice, Outcome, SessionKey, TurnId};
use rusqlite::{Connection, OptionalExtension, params};
use uuid::Uuid;

/// What a heartbeat answers when there is nothing to tell.
const NOTHING_TO_TELL: &str = "HEARTBEAT_OK";

/// For so long a heartbeat does not say the same twice.
const SAME_AGAIN_MS: i64 = 24 * 60 * 60 * 1000;

/// So many events of a conversation are looked at for words of strangers: more than a model is shown of it.
const LOOKED_BACK: i64 = 1_000;

/// Somebody who waits to hear of a turn.
struct Listener {
    target: String,
    /// Whose word it is.
    from: String,
    job: Option<JobRow>,
    /// The first slot the turn tells of.
    slot: i64,
}

/// Writes intents for what an event is worth telling.
pub(crate) fn record(unit: &mut Unit<'_>, event: &Event) -> Result<()> {
    match &event.fact {
        Fact::TurnFinished { outcome } => tell_of_end(unit, event, outcome),
        Fact::ApprovalRequested { approval, calls, .. } => tell_of_screen(unit, event, *approval, calls),
        _ => Ok(()),
    }
}

fn tell_of_end(unit: &mut Unit<'_>, event: &Event, outcome: &Outcome) -> Result<()> {
    let why = match outcome {
        Outcome::Aborted => return Ok(()),
        Outcome::Completed => None,
        Outcome::LimitReached { reason } => Some(reason.as_str()),
        Outcome::Failed { error } => Some(error.message.as_str()),
    };
    let listeners = listeners(unit.connection, event.turn)?;
    let mut told: Vec<&str> = Vec::new();
    for listener in listeners.iter() {
        let job = listener.job.as_ref();
        let (key, text) = match (why, job) {
            (None, _) => {
                (turn_key(event.turn, &listener.target, &told), last_word(unit.connection, event.turn)?)
            }
            (Some(_), Some(job)) if job.failures > 0 => continue,
            (Some(why), Some(job)) => {
                (format!("job-failed:{}:{}", job.id, listener.slot), failure(listener, why))
            }
            (Some(why), None) => (turn_key(event.turn, &listener.target, &told), failure(listener, why)),
        };
        let heartbeat = job.is_some_and(|job| job.order.kind == JobKind::Heartbeat);
        let same = why.is_none() && told.contains(&listener.target.as_str());
        let silent = heartbeat && (finds_nothing(&text) || said_before(unit, job, &text)?);
        if text.trim().is_empty() || same || silent {
            continue;
        }
        told.push(&listener.target);
        let notice = notice(unit.connection, event, listener, text, None)?;
        intend(unit, &key, &listener.target, job.map(|job| job.id), &notice)?;
    }
    Ok(())
}

fn tell_of_screen(
    unit: &mut Unit<'_>,
    event: &Event,
    approval: ApprovalId,
    calls: &[AskedCall],
) -> Result<()> {
    let Some(listener) = listeners(unit.connection, event.turn)?.into_iter().next() else { return Ok(()) };
    let summaries: Vec<&str> = calls.iter().map(|asked| asked.summary.as_str()).collect();
    let text = format!("Waits for your approval: {}", summaries.join("; "));
    let notice = notice(unit.connection, event, &listener, text, Some(approval))?;
    let job = listener.job.map(|job| job.id);
    intend(unit, &format!("approval:{approval}"), &listener.target, job, &notice).map(|_| ())
}

/// One turn is told once at each place.
fn turn_key(turn: TurnId, target: &str, told: &[&str]) -> String {
    if told.is_empty() { format!("turn:{turn}") } else { format!("turn:{turn}:{target}") }
}

fn failure(listener: &Listener, why: &str) -> String {
    match &listener.job {
        Some(job) if job.next_slot.is_some() => {
            format!(
                "This could not be done: {why}. It is tried again at its next time; until then nothing is said of further failures."
            )
        }
        _ => format!("This could not be done: {why}"),
    }
}

/// Whether a heartbeat's answer says that there is nothing to tell, however it is dressed up.
pub(super) fn finds_nothing(text: &str) -> bool {
    text.trim_matches(|c: char| !c.is_alphanumeric()) == NOTHING_TO_TELL
}

fn said_before(unit: &Unit<'_>, job: Option<&JobRow>, text: &str) -> Result<bool> {
    let Some(job) = job else { return Ok(false) };
    let sql = "SELECT notice FROM outbox INDEXED BY outbox_by_job WHERE job = ?1 AND created_at > ?2";
    let since = unit.now.as_millisecond().saturating_sub(SAME_AGAIN_MS);
    let mut statement = unit.connection.prepare_cached(sql)?;
    let mut rows = statement.query(params![job.id.to_string(), since])?;
    while let Some(row) = rows.next()? {
        let notice: Notice = blobs::decode(unit.connection, &row.get::<_, String>(0)?)?;
        if notice.approval.is_none() && notice.text.trim() == text.trim() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn notice(
    connection: &Connection,
    event: &Event,
    listener: &Listener,
    text: String,
    approval: Option<ApprovalId>,
) -> Result<Notice> {
    let tainted = listener.job.as_ref().is_some_and(|job| job.order.tainted);
    Ok(Notice {
        id: Uuid::now_v7(),
        from: listener.from.clone(),
        text,
        session: Some(event.session.clone()),
        approval,
        untrusted: tainted || took_in_strangers(connection, &event.session)?,
    })
}

/// Those who wait to hear of a turn: of the jobs it tells of, or of the task it is a run of.
fn listeners(connection: &Connection, turn: TurnId) -> Result<Vec<Listener>> {
    let mut listeners = Vec::new();
    for (id, slot) in jobs_of(connection, turn)? {
        let Some(job) = jobs::find(connection, &id.to_string())? else { continue };
        let Some(target) = job.order.deliver.clone() else { continue };
        let from = match (job.order.kind, job.order.task) {
            (JobKind::Heartbeat, _) => "heartbeat".to_owned(),
            (_, Some(task)) => format!("task {task}"),
            (_, None) => format!("reminder {}", job.order.name),
        };
        listeners.push(Listener { target, from, job: Some(job), slot });
    }
    let sql = "SELECT tasks.id, tasks.deliver FROM inbox JOIN tasks ON tasks.session = inbox.session
               WHERE inbox.turn = ?1 AND inbox.source IN ('task', 'hook') AND tasks.deliver IS NOT NULL";
    let task: Option<(String, String)> = connection
        .prepare_cached(sql)?
        .query_row([turn.to_string()], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    listeners.extend(task.map(|(task, target)| Listener {
        target,
        from: format!("task {task}"),
        job: None,
        slot: 0,
    }));
    Ok(listeners)
}

/// The text of the turn's last answer.
fn last_word(connection: &Connection, turn: TurnId) -> Result<String> {
    let sql = "SELECT seq, session, turn, at, version, body FROM events
               WHERE turn = ?1 AND kind = 'model.done' ORDER BY seq DESC LIMIT 1";
    let row = connection.prepare_cached(sql)?.query_row([turn.to_string()], RawEvent::read).optional()?;
    Ok(match row.map(|row| row.decode(connection)).transpose()?.map(|event| event.fact) {
        Some(Fact::ModelDone { blocks, .. }) => Block::text_of(&blocks),
        _ => String::new(),
    })
}

/// Whether words of strangers are in the conversation a turn ended in: by what started one of its turns, or by a call.
/// What the model is shown reaches no further back than this looks.
fn took_in_strangers(connection: &Connection, session: &SessionKey) -> Result<bool> {
    let sql = "SELECT 1 FROM (SELECT kind, body FROM events WHERE session = ?1 ORDER BY seq DESC LIMIT ?2)
               WHERE (kind = 'call.done' AND json_extract(body, '$.result.untrusted') = 1)
                  OR (kind = 'turn.started' AND json_extract(body, '$.trigger.kind') = 'hook')
                  OR (kind = 'notice' AND json_extract(body, '$.notice.untrusted') = 1)";
    Ok(connection.prepare_cached(sql)?.exists(params![session.as_str(), LOOKED_BACK])?)
}

#[cfg(test)]
mod tests;
