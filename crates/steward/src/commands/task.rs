//! `steward task`: orders that go on by themselves, given, listed, followed, ended.

use super::approvals::WAITING;
use crate::{
    cli::{NewTask, Task},
    client::Client,
    terminal::{clean, clock_time, say},
};
use anyhow::Context;
use protocol::{Block, Event, Fact, Outcome, SessionKey};
use serde_json::{Value, json};
use std::process::ExitCode;
use store::FeedItem;
use tokio::signal::unix::{SignalKind, signal};

pub(crate) async fn run(command: Task) -> anyhow::Result<ExitCode> {
    let mut client = Client::open().await?;
    let done = act(&mut client, command).await;
    client.close().await?;
    done
}

async fn act(client: &mut Client, command: Task) -> anyhow::Result<ExitCode> {
    match command {
        Task::New(task) => return new(client, task).await,
        Task::List { status, kind, limit, json } => list(client, status, kind, limit, json).await?,
        Task::Show { task, json } => show(client, &task, json).await?,
        Task::Cancel { task, reason } => {
            let id = find(client, &task).await?;
            let stopped = client.call("tasks.cancel", json!({ "id": id, "reason": reason })).await?;
            say!("{}", line(&stopped["task"]));
        }
        Task::Watch { task } => {
            let id = find(client, &task).await?;
            client.stay();
            return watch(client, &id).await;
        }
    }
    Ok(ExitCode::SUCCESS)
}

async fn new(client: &mut Client, task: NewTask) -> anyhow::Result<ExitCode> {
    let schedule = task.when.schedule();
    let kind = match (&schedule, task.on_event) {
        (Some(_), _) => "recurring",
        (None, true) => "event",
        (None, false) => "one_shot",
    };
    let parts = [
        ("schedule", schedule),
        ("secret", task.secret.map(Value::from)),
        ("deliver", task.deliver.map(Value::from)),
        ("model", task.model.map(Value::from)),
    ];
    let name = uuid::Uuid::now_v7();
    let mut order = json!({ "prompt": task.prompt.join(" "), "kind": kind, "clientTaskId": name });
    for (part, value) in parts {
        if let Some(value) = value {
            order[part] = value;
        }
    }
    let given = client.call("tasks.create", order).await?;
    say!("{}", line(&given["task"]));
    if let Some(url) = given["hook"]["url"].as_str() {
        say!("POST to {url}\nThis address is shown once; whoever has it can start a run.");
        if client.is_alone() {
            eprintln!("steward: no daemon runs, so nobody listens there now: `steward serve` does");
        }
    }
    let id = given["task"]["id"].as_str().unwrap_or_default().to_owned();
    match kind {
        // Nobody else would do it.
        "one_shot" if client.is_alone() => watch(client, &id).await,
        _ => {
            eprintln!("steward: `steward task watch {id}` follows it");
            Ok(ExitCode::SUCCESS)
        }
    }
}

async fn list(
    client: &mut Client,
    status: Option<String>,
    kind: Option<String>,
    limit: usize,
    json: bool,
) -> anyhow::Result<()> {
    let wanted = json!({ "status": status, "kind": kind, "limit": limit });
    let page = client.call("tasks.list", wanted).await?;
    let tasks = page["tasks"].as_array().cloned().unwrap_or_default();
    if tasks.is_empty() && !json {
        say!("No tasks. `steward task new --help` shows how to give one.");
    }
    for task in &tasks {
        match json {
            true => say!("{task}"),
            false => say!("{}", line(task)),
        }
    }
    Ok(())
}

async fn show(client: &mut Client, wanted: &str, json: bool) -> anyhow::Result<()> {
    let id = find(client, wanted).await?;
    let mut found = client.call("tasks.get", json!({ "id": id })).await?;
    let runs = client.call("tasks.history", json!({ "id": id, "limit": 20 })).await?["runs"].take();
    if json {
        found["task"]["history"] = runs;
        say!("{}", found["task"]);
        return Ok(());
    }
    say!("{}", line(&found["task"]));
    say!("conversation: {}", found["task"]["sessionKey"].as_str().unwrap_or_default());
    for run in runs.as_array().into_iter().flatten() {
        let (at, outcome) =
            (run["at"].as_str().unwrap_or_default(), run["outcome"].as_str().unwrap_or_default());
        say!("{} · {outcome} · {}", clock_time(at), clean(run["text"].as_str().unwrap_or_default()));
    }
    Ok(())
}

/// The id that begins so.
async fn find(client: &mut Client, wanted: &str) -> anyhow::Result<String> {
    if wanted.parse::<uuid::Uuid>().is_ok() {
        return Ok(wanted.to_owned());
    }
    let (mut cursor, mut found) = (Value::Null, Vec::new());
    loop {
        let page = client.call("tasks.list", json!({ "cursor": cursor, "limit": 500 })).await?;
        let ids = page["tasks"].as_array().into_iter().flatten().filter_map(|task| task["id"].as_str());
        found.extend(ids.filter(|id| id.starts_with(wanted)).map(str::to_owned));
        cursor = page["next"].clone();
        if cursor.is_null() {
            break;
        }
    }
    match found.len() {
        0 => anyhow::bail!("no task begins with `{wanted}`; `steward task list` shows them"),
        1 => found.pop().context("just counted"),
        _ => anyhow::bail!("several tasks begin with `{wanted}`: write more of the id"),
    }
}

/// Says what a task does until it is over. The task goes on if this is stopped.
async fn watch(client: &mut Client, id: &str) -> anyhow::Result<ExitCode> {
    let found = client.call("tasks.get", json!({ "id": id })).await?;
    let session: SessionKey = found["task"]["sessionKey"].as_str().unwrap_or_default().parse()?;
    client.listen(&session).await?;
    // What ended before anybody listened is told from its history.
    let task = client.call("tasks.get", json!({ "id": id })).await?["task"].take();
    if !task["endedAt"].is_null() {
        show(client, id, false).await?;
        return Ok(code(&task));
    }
    let mut interrupt = signal(SignalKind::interrupt())?;
    loop {
        let item = tokio::select! {
            item = client.next() => item?,
            _ = interrupt.recv() => {
                eprintln!("steward: the task goes on");
                return Ok(ExitCode::SUCCESS);
            }
        };
        let FeedItem::Event(event) = item else { continue };
        tell(&event);
        if let Fact::ApprovalRequested { .. } = &event.fact
            && client.is_alone()
        {
            return Ok(ExitCode::from(WAITING));
        }
        if matches!(event.fact, Fact::TurnFinished { .. } | Fact::TaskChanged { .. }) {
            let task = client.call("tasks.get", json!({ "id": id })).await?["task"].take();
            if !task["endedAt"].is_null() && is_over(client, &task).await? {
                say!("{}", line(&task));
                return Ok(code(&task));
            }
        }
    }
}

/// Whether the latest run has had its say.
async fn is_over(client: &mut Client, task: &Value) -> anyhow::Result<bool> {
    let runs = client.call("tasks.history", json!({ "id": task["id"], "limit": 1 })).await?;
    // One that never ran has had all the say it will have.
    Ok(runs["runs"][0]["outcome"] != "running")
}

fn tell(event: &Event) {
    let at = clock_time(&event.at.to_string());
    match &event.fact {
        Fact::TurnStarted { .. } => eprintln!("{at} · run started"),
        Fact::ModelDone { blocks, .. } => {
            let text = Block::text_of(blocks);
            if !text.is_empty() {
                say!("{}", clean(&text));
            }
        }
        Fact::ApprovalRequested { approval, calls, .. } => {
            for call in calls {
                say!("{} · {}", clean(&call.tool), clean(&call.summary));
            }
            say!(
                "{at} · waits for your decision: `steward approvals approve {approval}` or `… deny {approval}`"
            );
        }
        Fact::TurnFinished { outcome } => match outcome {
            Outcome::Completed => eprintln!("{at} · run finished"),
            Outcome::Aborted => eprintln!("{at} · run stopped"),
            Outcome::LimitReached { reason } => eprintln!("{at} · run ended: {}", clean(reason)),
            Outcome::Failed { error } => eprintln!("{at} · run failed: {}", clean(&error.message)),
        },
        _ => {}
    }
}

fn code(task: &Value) -> ExitCode {
    if task["status"] == "completed" { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn line(task: &Value) -> String {
    let text = |name: &str| clean(task[name].as_str().unwrap_or_default());
    let mut line = format!("{} · {} · {}", text("id"), text("kind"), text("status"));
    if let Some(describe) = task["describe"].as_str() {
        line.push_str(&format!(" · {}", clean(describe)));
    }
    if let Some(next) = task["nextRun"].as_str() {
        line.push_str(&format!(" · next {}", clock_time(next)));
    }
    if let Some(reason) = task["reason"].as_str() {
        line.push_str(&format!(" · {}", clean(reason)));
    }
    let prompt = text("prompt").replace('\n', " ");
    let prompt: String = prompt.chars().take(80).collect();
    format!("{line} · {prompt}")
}
