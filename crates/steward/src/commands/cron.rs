//! `steward cron`: what comes due, set, listed, changed, removed, run in between.

use super::approvals::WAITING;
use crate::{
    cli::{Cron, Missed},
    client::Client,
    terminal::{clean, clock_time, say},
};
use anyhow::Context;
use protocol::{Block, Fact, SessionKey};
use serde_json::{Value, json};
use std::process::ExitCode;
use store::FeedItem;

pub(crate) async fn run(command: Cron) -> anyhow::Result<ExitCode> {
    let mut client = Client::open().await?;
    let done = act(&mut client, command).await;
    client.close().await?;
    done
}

async fn act(client: &mut Client, command: Cron) -> anyhow::Result<ExitCode> {
    match command {
        Cron::Add { name, when, message, session, deliver, missed, delete_after_run, disabled, model } => {
            let schedule = when.schedule().context("say when: --when, --at, --every or --cron")?;
            let mut order = json!({
                "name": name, "schedule": schedule, "message": message, "session": session, "deliver": deliver,
                "missed": missed.word(), "deleteAfterRun": delete_after_run, "enabled": !disabled,
                // However often it has to be sent, it is one.
                "clientJobId": uuid::Uuid::now_v7(),
            });
            if let Some(model) = model {
                order["model"] = model.into();
            }
            let set = client.call("jobs.add", order).await?;
            say!("{}", line(&set["job"]));
            hint(client);
        }
        Cron::List { json } => list(client, json).await?,
        Cron::Update { name, when, rename, message, deliver, missed, enable, disable } => {
            let on = match (enable, disable) {
                (true, _) => Some(true),
                (_, true) => Some(false),
                _ => None,
            };
            let parts = [
                ("schedule", when.schedule()),
                ("name", rename.map(Value::from)),
                ("message", message.map(Value::from)),
                ("deliver", deliver.map(Value::from)),
                ("missed", missed.map(Missed::word).map(Value::from)),
                ("enabled", on.map(Value::from)),
            ];
            let mut change = json!({ "id": name });
            let given = parts.into_iter().filter_map(|(part, value)| value.map(|value| (part, value)));
            let given = given.map(|(part, value)| change[part] = value).count();
            anyhow::ensure!(
                given > 0,
                "say what to change: `steward cron update --help` lists what there is"
            );
            let changed = client.call("jobs.update", change).await?;
            say!("{}", line(&changed["job"]));
            hint(client);
        }
        Cron::Remove { name } => {
            client.call("jobs.remove", json!({ "id": name })).await?;
            say!("Removed: {name}");
        }
        Cron::Run { name } => return run_now(client, &name).await,
        Cron::Status { json } => status(client, json).await?,
        Cron::History { name, limit, json } => {
            let past = client.call("jobs.history", json!({ "id": name, "limit": limit })).await?;
            let firings = past["firings"].as_array().cloned().unwrap_or_default();
            if firings.is_empty() && !json {
                say!("It has not run yet.");
            }
            for firing in &firings {
                match json {
                    true => say!("{firing}"),
                    false => say!("{}", firing_line(firing)),
                }
            }
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn list(client: &mut Client, json: bool) -> anyhow::Result<()> {
    let (mut cursor, mut count) = (Value::Null, 0);
    loop {
        let page = client.call("jobs.list", json!({ "cursor": cursor })).await?;
        for job in page["jobs"].as_array().into_iter().flatten() {
            count += 1;
            match json {
                true => say!("{job}"),
                false => say!("{}", line(job)),
            }
        }
        cursor = page["next"].clone();
        if cursor.is_null() {
            break;
        }
    }
    if count == 0 && !json {
        say!("Nothing is set. `steward cron add --help` shows how.");
    }
    Ok(())
}

async fn status(client: &mut Client, json: bool) -> anyhow::Result<()> {
    let status = client.call("jobs.status", json!({})).await?;
    if json {
        say!("{status}");
        return Ok(());
    }
    let next =
        status["nextRun"].as_str().map_or("nothing is due".into(), |at| format!("next {}", clock_time(at)));
    let zone = status["timeZone"].as_str().unwrap_or("this machine's zone");
    say!("{} set; {next} ({zone})", status["jobs"]);
    hint(client);
    Ok(())
}

/// Runs a job, and says what is said in its conversation until it is over.
async fn run_now(client: &mut Client, name: &str) -> anyhow::Result<ExitCode> {
    let job = client.call("jobs.get", json!({ "id": name })).await?["job"].take();
    let session: SessionKey = job["session"].as_str().unwrap_or_default().parse()?;
    client.listen(&session).await?;
    client.call("jobs.run", json!({ "id": name })).await?;
    let latest = json!({ "id": job["id"], "limit": 1 });
    let slot = client.call("jobs.history", latest).await?["firings"][0]["slot"].take();
    loop {
        let FeedItem::Event(event) = client.next().await? else { continue };
        match &event.fact {
            Fact::ModelDone { blocks, .. } => say!("{}", clean(&Block::text_of(blocks))),
            Fact::ApprovalRequested { approval, .. } => {
                eprintln!("steward: this waits for your decision: `steward approvals approve {approval}`");
                return Ok(ExitCode::from(WAITING));
            }
            Fact::TurnFinished { .. } => {
                if let Some(code) = over(client, &job["id"], &slot).await {
                    return Ok(code);
                }
            }
            _ => {}
        }
    }
}

/// What came of a firing, if it is over. The turn that ended may have been another.
async fn over(client: &mut Client, job: &Value, slot: &Value) -> Option<ExitCode> {
    let past = client.call("jobs.history", json!({ "id": job, "limit": 50 })).await;
    // One that goes once it has run is gone by then.
    let Ok(past) = past else { return Some(ExitCode::SUCCESS) };
    let mut firings = past["firings"].as_array().into_iter().flatten();
    let firing = firings.find(|firing| firing["slot"] == *slot && !firing["endedAt"].is_null())?;
    eprintln!("{}", firing_line(firing));
    Some(if firing["outcome"] == "completed" { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// What is set fires only while somebody keeps it.
fn hint(client: &Client) {
    if client.is_alone() {
        eprintln!("steward: no daemon runs, so nothing fires now: `steward serve` stays");
    }
}

fn line(job: &Value) -> String {
    let text = |name: &str| clean(job[name].as_str().unwrap_or_default());
    let next = match job["nextRun"].as_str() {
        Some(at) => format!("next {}", clock_time(at)),
        None if job["enabled"] == true => "not again".into(),
        None => "off".into(),
    };
    let mut line = format!("{} · {} · {next}", text("name"), text("describe"));
    if job["kind"] != "reminder" {
        line.push_str(&format!(" · {}", text("kind")));
    }
    if let Some(outcome) = job["lastRun"]["outcome"].as_str() {
        line.push_str(&format!(" · last {outcome}"));
    }
    if job["failures"].as_u64().is_some_and(|failures| failures > 1) {
        line.push_str(&format!(" ({} in a row)", job["failures"]));
    }
    line
}

fn firing_line(firing: &Value) -> String {
    let outcome = firing["outcome"].as_str().unwrap_or("running");
    let note = firing["note"].as_str().map(|note| format!(" · {}", clean(note))).unwrap_or_default();
    format!("{} · {outcome}{note}", clock_time(firing["slot"].as_str().unwrap_or_default()))
}
