//! What waits for the owner's word. A decision is a signal: one transaction that checks the calls are still
//! open, writes the decision, and wakes the turn. The first decision wins, and each counts once.

use crate::{
    Durability, Result, Store, StoreError, View, blobs,
    signals::unpark,
    sqlite::Unit,
    turns::{self, TurnRef},
};
use jiff::Timestamp;
use protocol::{ApprovalId, AskedCall, CallId, Decision, Event, Fact, Forecast, SessionKey, TurnId};
use rusqlite::{Connection, OptionalExtension, params};

/// A screen that waits.
#[derive(Debug, Clone, PartialEq)]
pub struct OpenApproval {
    /// Its id.
    pub approval: ApprovalId,
    /// The conversation.
    pub session: SessionKey,
    /// The turn that waits.
    pub turn: TurnId,
    /// The calls still undecided, as they are shown.
    pub calls: Vec<AskedCall>,
    /// When it counts as denied.
    pub expires_at: Timestamp,
    /// Whose calls these are, if a program asked for them, and what it seems about to do after them.
    pub forecast: Option<Forecast>,
}

/// What became of a decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DecideAnswer {
    /// It counts.
    Decided,
    /// At least one of the calls was decided before, or its turn was stopped; nothing was changed.
    AlreadySettled(CallId),
    /// Too late; nothing was changed.
    Expired,
    /// No such screen, or a call that is not on it.
    Unknown,
    /// The rule is none of those that were shown.
    UnknownRule,
}

impl Store {
    /// The owner decides about calls of a screen.
    pub async fn decide(
        &self,
        approval: ApprovalId,
        decisions: Vec<Decision>,
        by: &str,
    ) -> Result<DecideAnswer> {
        let by = by.to_owned();
        self.write("decide", Durability::Synced, move |unit| decide(unit, approval, decisions, by)).await
    }

    /// Denies what has waited too long. Returns how many calls that were.
    pub async fn expire_approvals(&self) -> Result<usize> {
        self.write("expire", Durability::Synced, |unit| {
            let now = unit.now;
            let due: Vec<OpenApproval> =
                open(unit.connection)?.into_iter().filter(|open| open.expires_at <= now).collect();
            for screen in &due {
                let deny = |asked: &AskedCall| Decision {
                    call: asked.call,
                    approved: false,
                    reason: Some("expired".into()),
                    rule: None,
                };
                let decisions = screen.calls.iter().map(deny).collect();
                let at = TurnRef { session: screen.session.clone(), turn: screen.turn };
                let fact =
                    Fact::ApprovalDecided { approval: screen.approval, decisions, by: "the clock".into() };
                turns::append(unit, &at, &[fact])?;
                unpark(unit, screen.turn)?;
            }
            Ok(due.iter().map(|screen| screen.calls.len()).sum())
        })
        .await
    }

    /// Takes back a rule the owner made. Returns whether there was one.
    pub async fn remove_rule(&self, rule: &str) -> Result<bool> {
        let rule = rule.to_owned();
        self.write("remove rule", Durability::Synced, move |unit| {
            Ok(unit.connection.execute("DELETE FROM rules WHERE rule = ?1", [rule])? > 0)
        })
        .await
    }
}

impl View {
    /// All screens that wait, the oldest first.
    pub async fn open_approvals(&self) -> Result<Vec<OpenApproval>> {
        self.read(open).await
    }

    /// The screen a call was put on, whether it still waits or not.
    pub async fn approval_of(&self, call: CallId) -> Result<Option<ApprovalId>> {
        self.read(move |connection| {
            let sql = "SELECT approval FROM approvals WHERE call = ?1";
            let found: Option<String> =
                connection.prepare_cached(sql)?.query_row([call.to_string()], |row| row.get(0)).optional()?;
            found.map(|approval| parse_approval(&approval)).transpose()
        })
        .await
    }

    /// Whether there ever was such a screen.
    pub async fn was_asked(&self, approval: ApprovalId) -> Result<bool> {
        self.read(move |connection| {
            let sql = "SELECT 1 FROM approvals WHERE approval = ?1";
            Ok(connection.prepare_cached(sql)?.exists([approval.to_string()])?)
        })
        .await
    }

    /// The rules the owner made while deciding, the oldest first.
    pub async fn rules(&self) -> Result<Vec<String>> {
        self.read(|connection| {
            let mut statement = connection.prepare_cached("SELECT rule FROM rules ORDER BY made_at, rule")?;
            let rules = statement.query_map([], |row| row.get(0))?;
            Ok(rules.collect::<rusqlite::Result<_>>()?)
        })
        .await
    }
}

/// Keeps the table in step with the log.
pub(crate) fn record(unit: &Unit<'_>, event: &Event) -> Result<()> {
    match &event.fact {
        Fact::ApprovalRequested { approval, calls, expires_at, forecast } => {
            let sql =
                "INSERT INTO approvals (call, approval, turn, session, asked, expires_at, forecast, state)
                       VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, 'open')";
            // It stands with every call: each may be the last that is open.
            let forecast =
                forecast.as_ref().map(|forecast| blobs::encode(unit.connection, forecast)).transpose()?;
            for asked in calls {
                unit.connection.prepare_cached(sql)?.execute(params![
                    asked.call.to_string(),
                    approval.to_string(),
                    event.turn.to_string(),
                    event.session.as_str(),
                    blobs::encode(unit.connection, asked)?,
                    expires_at.as_millisecond(),
                    forecast,
                ])?;
            }
        }
        Fact::ApprovalDecided { decisions, .. } => {
            for decision in decisions {
                close(unit, decision.call, if decision.approved { "approved" } else { "denied" })?;
            }
        }
        Fact::CallDone { result } => close(unit, result.call, "settled")?,
        _ => {}
    }
    Ok(())
}

fn close(unit: &Unit<'_>, call: CallId, state: &str) -> Result<()> {
    let sql = "UPDATE approvals SET state = ?1 WHERE call = ?2 AND state = 'open'";
    unit.connection.prepare_cached(sql)?.execute(params![state, call.to_string()])?;
    Ok(())
}

fn decide(
    unit: &mut Unit<'_>,
    approval: ApprovalId,
    decisions: Vec<Decision>,
    by: String,
) -> Result<DecideAnswer> {
    let mut at = None;
    for decision in &decisions {
        let sql =
            "SELECT session, turn, state, expires_at, asked FROM approvals WHERE call = ?1 AND approval = ?2";
        let row: Option<(String, String, String, i64, String)> = unit
            .connection
            .prepare_cached(sql)?
            .query_row(params![decision.call.to_string(), approval.to_string()], |row| {
                Ok((row.get(0)?, row.get(1)?, row.get(2)?, row.get(3)?, row.get(4)?))
            })
            .optional()?;
        let Some((session, turn, state, expires_at, asked)) = row else { return Ok(DecideAnswer::Unknown) };
        if state != "open" {
            return Ok(DecideAnswer::AlreadySettled(decision.call));
        }
        if expires_at <= unit.now.as_millisecond() {
            return Ok(DecideAnswer::Expired);
        }
        let asked: AskedCall = blobs::decode(unit.connection, &asked)?;
        if let Some(rule) = &decision.rule {
            if !decision.approved || !asked.rules.contains(rule) {
                return Ok(DecideAnswer::UnknownRule);
            }
            make_rule(unit, rule, decision.call)?;
        }
        at = Some(TurnRef { session: turns::parse_session(&session)?, turn: turns::parse_turn(&turn)? });
    }
    let Some(at) = at else { return Ok(DecideAnswer::Unknown) };
    turns::append(unit, &at, &[Fact::ApprovalDecided { approval, decisions, by }])?;
    unpark(unit, at.turn)?;
    Ok(DecideAnswer::Decided)
}

fn make_rule(unit: &Unit<'_>, rule: &str, call: CallId) -> Result<()> {
    let sql = "INSERT OR IGNORE INTO rules (rule, call, made_at) VALUES (?1, ?2, ?3)";
    let parameters = params![rule, call.to_string(), unit.now.as_millisecond()];
    unit.connection.prepare_cached(sql)?.execute(parameters)?;
    Ok(())
}

fn open(connection: &Connection) -> Result<Vec<OpenApproval>> {
    let sql = "SELECT approval, session, turn, asked, expires_at, forecast FROM approvals WHERE state = 'open' ORDER BY rowid";
    let mut statement = connection.prepare_cached(sql)?;
    let mut rows = statement.query([])?;
    let mut screens: Vec<OpenApproval> = Vec::new();
    while let Some(row) = rows.next()? {
        let approval = parse_approval(&row.get::<_, String>(0)?)?;
        let asked: AskedCall = blobs::decode(connection, &row.get::<_, String>(3)?)?;
        if let Some(screen) = screens.iter_mut().find(|screen| screen.approval == approval) {
            screen.calls.push(asked);
            continue;
        }
        let forecast: Option<String> = row.get(5)?;
        screens.push(OpenApproval {
            approval,
            session: turns::parse_session(&row.get::<_, String>(1)?)?,
            turn: turns::parse_turn(&row.get::<_, String>(2)?)?,
            calls: vec![asked],
            expires_at: Timestamp::from_millisecond(row.get(4)?).unwrap_or(Timestamp::UNIX_EPOCH),
            forecast: forecast.map(|forecast| blobs::decode(connection, &forecast)).transpose()?,
        });
    }
    Ok(screens)
}

fn parse_approval(text: &str) -> Result<ApprovalId> {
    text.parse().map_err(|error| StoreError::Corrupt { what: "approval".into(), source: Box::new(error) })
}
