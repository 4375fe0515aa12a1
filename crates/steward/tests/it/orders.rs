//! Standing orders with the real binary: said to the assistant, kept by the daemon, due by a clock the test sets, and
//! told to the owner.

use crate::{doors::Daemon, world::World};
use jiff::Timestamp;
use protocol::{Fact, Notice};
use serde_json::{Value, json};
use std::{process::Stdio, time::Duration};
use store::{EventFilter, View};
use testkit::{RecordedRequest, Script};
use tokio::io::{AsyncBufReadExt, BufReader};

/// How often something is looked at again that happens in another process.
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// Longer than anything takes that works.
const PATIENCE: Duration = Duration::from_secs(60);

/// A home whose clock the test sets.
struct Home {
    world: World,
}

impl Home {
    async fn new() -> Self {
        let home = Self { world: World::new().await };
        std::fs::write(home.clock(), "0").unwrap();
        home
    }

    fn clock(&self) -> std::path::PathBuf {
        self.world.path("clock")
    }

    /// Sets the clock of the house. It goes on from there.
    fn set_clock(&self, to: Timestamp) {
        let offset = to.as_millisecond() - Timestamp::now().as_millisecond();
        // Another process reads it at any moment, so it is never half written.
        let fresh = self.world.path("clock.new");
        std::fs::write(&fresh, offset.to_string()).unwrap();
        std::fs::rename(fresh, self.clock()).unwrap();
    }

    async fn daemon(&self) -> Daemon {
        let mut command = self.world.steward(&["serve"]);
        let command = command.env("STEWARD_PORT", "0").env("TZ", "Europe/Berlin");
        Daemon::with(self.world.home.path(), command.env("STEWARD_TEST_CLOCK", self.clock())).await
    }

    async fn notices(&self) -> Vec<Notice> {
        let view = View::open(&self.world.path("data/steward.db"));
        let filter = EventFilter { kind: Some("notice".into()), ..EventFilter::default() };
        let events = view.latest_events(filter, 99).await.unwrap();
        let notice = |fact| if let Fact::Noticed { notice } = fact { notice } else { panic!("{fact:?}") };
        events.into_iter().rev().map(|event| notice(event.fact)).collect()
    }

    /// Waits for so many notices; gives their texts, the oldest first.
    async fn told(&self, count: usize) -> Vec<String> {
        let notices =
            until(async || Some(self.notices().await).filter(|notices| notices.len() >= count)).await;
        notices.into_iter().map(|notice| notice.text).collect()
    }
}

async fn until<T>(look: impl AsyncFn() -> Option<T>) -> T {
    let waiting = async {
        loop {
            if let Some(found) = look().await {
                return found;
            }
            tokio::time::sleep(LOOK_AGAIN).await;
        }
    };
    tokio::time::timeout(PATIENCE, waiting).await.expect("it takes too long")
}

/// The only task, as the doors show it.
async fn task(daemon: &Daemon) -> Value {
    let mut tasks = daemon.get("/api/tasks").await["tasks"].take();
    assert_eq!(tasks.as_array().unwrap().len(), 1, "{tasks}");
    tasks[0].take()
}

fn next_run(task: &Value) -> Timestamp {
    task["nextRun"].as_str().unwrap_or_else(|| panic!("{task}")).parse().unwrap()
}

/// Whether the request is the model's turn after a call.
fn after_a_call(request: &RecordedRequest) -> bool {
    let last = request.body["messages"].as_array().and_then(|messages| messages.last().cloned());
    last.is_some_and(|message| message.to_string().contains("tool_result"))
}

/// Whether the request is for a run of a task that comes again.
fn is_run(request: &RecordedRequest) -> bool {
    request.body["messages"].to_string().contains("run of the standing task")
}

/// The text of the last result a call had.
fn result_text(request: &RecordedRequest) -> String {
    request.body["messages"].as_array().unwrap().last().unwrap().to_string()
}

#[tokio::test]
async fn close_old_issues_once_after_asking() {
    let home = Home::new().await;
    home.world.fake.reply_with(|request| match after_a_call(request) {
        false => Script::new().call("bash", r#"{"command":"echo closed 3 issues"}"#),
        true => Script::reply("Closed 3 issues."),
    });
    let daemon = home.daemon().await;
    let order = json!({ "prompt": "close all issues older than 30 days", "deliver": "last" });
    let id = daemon.post("/api/tasks", order).await["id"].as_str().unwrap().to_owned();
    let waiting = until(async || {
        let approvals = daemon.get("/api/approvals").await["approvals"].take();
        approvals.as_array().filter(|approvals| !approvals.is_empty()).cloned()
    })
    .await;
    let asked = home.told(1).await;
    assert_eq!(
        home.notices().await[0].approval.map(|id| json!(id)),
        Some(waiting[0]["approvalId"].clone()),
        "{asked:?}"
    );
    let call = waiting[0]["calls"][0]["callId"].as_str().unwrap();
    daemon.post(&format!("/api/approvals/{call}"), json!({ "decision": "approved" })).await;
    assert_eq!(home.told(2).await[1], "Closed 3 issues.");
    let task = daemon.get(&format!("/api/tasks/{id}")).await;
    assert_eq!((&task["status"], &task["runs"]), (&json!("completed"), &json!(1)));
    daemon.end().await;
}

#[tokio::test]
async fn check_every_day_until_it_is_so() {
    let home = Home::new().await;
    let (days, prompt) = (std::sync::atomic::AtomicU32::new(0), "has my site 10 million visitors?");
    home.world.fake.reply_with(move |request| match (is_run(request), after_a_call(request)) {
        (false, false) => {
            let order = json!({ "prompt": prompt, "schedule": "every day at 9am" });
            Script::new().call("tasks.createRecurring", order.to_string())
        }
        (false, true) => Script::reply("I look every day at 9."),
        (true, true) => Script::reply("Your site has 10 million visitors!"),
        (true, false) if days.fetch_add(1, std::sync::atomic::Ordering::SeqCst) < 2 => Script::reply(""),
        (true, false) => Script::new().call("tasks.complete", r#"{"reason":"10 million reached"}"#),
    });
    let daemon = home.daemon().await;
    let asked = "Every day at 9am check if my site has hit 10M visitors, and if it has let me know";
    let said = home.world.run(&["ask", asked]).await;
    assert_eq!((said.code, said.out.as_str()), (Some(0), "I look every day at 9.\n"), "{}", said.err);
    for day in 0..3 {
        let due = next_run(&task(&daemon).await);
        assert_eq!(due.to_zoned(jiff::tz::TimeZone::get("Europe/Berlin").unwrap()).hour(), 9);
        home.set_clock(due);
        until(async || (task(&daemon).await["runs"] == day + 1).then_some(())).await;
    }
    assert_eq!(
        home.told(1).await,
        ["Your site has 10 million visitors!"],
        "on the other days nothing was said"
    );
    let over = task(&daemon).await;
    let shown = json!([over["status"], over["reason"], over["nextRun"]]);
    assert_eq!(shown, json!(["completed", "10 million reached", null]));
    // Only a task can end itself, so only there is it offered.
    let requests = home.world.fake.requests();
    let offered = |request: &RecordedRequest| request.body["tools"].to_string().contains("tasks_complete");
    assert!(requests.iter().all(|request| offered(request) == is_run(request)));
    assert!(requests.iter().any(offered));
    // It is told where the owner last spoke.
    let shown = home.world.run(&["audit", "tail", "--limit", "50"]).await.out;
    assert!(
        shown.lines().any(|line| line.contains("terminal--default") && line.contains("notice")),
        "{shown}"
    );
    daemon.end().await;
}

#[tokio::test]
async fn count_every_day_also_after_a_night_without_power() {
    let home = Home::new().await;
    let runs = std::sync::atomic::AtomicU32::new(0);
    home.world.fake.reply_with(move |_| {
        let number = runs.fetch_add(1, std::sync::atomic::Ordering::SeqCst) + 1;
        Script::reply(format!("{number} subscribed"))
    });
    let daemon = home.daemon().await;
    let said = home.world.run(&["task", "new", "--when", "every day at 5pm", "how many subscribed?"]).await;
    assert!(said.out.contains("every day at 17:00"), "{said:?}");
    home.set_clock(next_run(&task(&daemon).await));
    assert_eq!(home.told(1).await, ["1 subscribed"]);
    until(async || (task(&daemon).await["runs"] == 1).then_some(())).await;
    // Three days pass while nobody is there; one run stands for all of them.
    let next = next_run(&task(&daemon).await);
    daemon.kill().await;
    home.set_clock(next + jiff::SignedDuration::from_hours(50));
    let daemon = home.daemon().await;
    assert_eq!(home.told(2).await[1], "2 subscribed");
    until(async || (task(&daemon).await["runs"] == 2).then_some(())).await;
    let stopped = home.world.run(&["task", "cancel", task(&daemon).await["id"].as_str().unwrap()]).await;
    assert!(stopped.out.contains("cancelled"), "{stopped:?}");
    home.set_clock(next + jiff::SignedDuration::from_hours(24 * 30));
    daemon.end().await;
    let daemon = home.daemon().await;
    assert_eq!(task(&daemon).await["runs"], 2, "what was stopped stays stopped");
    assert_eq!(home.notices().await.len(), 2);
    daemon.end().await;
}

#[tokio::test]
async fn act_when_mail_arrives() {
    let home = Home::new().await;
    home.world.fake.reply_with(|request| {
        match (request.last_user_text().contains("handed in for it from outside"), after_a_call(request)) {
            (false, false) => {
                Script::new().call("tasks.createEventTrigger", r#"{"prompt":"is this mail spam?"}"#)
            }
            (false, true) => Script::reply(result_text(request)),
            (true, _) => Script::reply("Spam from eve, deleted."),
        }
    });
    let daemon = home.daemon().await;
    let said =
        home.world.run(&["ask", "When I get an email, check if it is spam, and if it is delete it"]).await;
    let (_, token) = said.out.split_once("/api/hooks/").unwrap_or_else(|| panic!("{said:?}"));
    let token: String = token.chars().take_while(char::is_ascii_alphanumeric).collect();
    let mail = json!({ "from": "eve", "subject": "You have won" });
    let headers = [("idempotency-key", "mail-1"), ("connection", "close")];
    let post = daemon.door.bare_request("POST", &format!("/api/hooks/{token}"), &headers, Some(&mail));
    for repeated in [false, true] {
        let answer = daemon.door.send(&post).await;
        assert_eq!((answer.status, &answer.json()["repeated"]), (202, &json!(repeated)), "{}", answer.body);
    }
    assert_eq!(home.told(1).await, ["Spam from eve, deleted."]);
    assert!(home.notices().await[0].untrusted, "it may repeat what strangers wrote");
    let shown = task(&daemon).await;
    assert_eq!((&shown["status"], &shown["runs"]), (&json!("active"), &json!(1)));
    daemon.end().await;
}

#[tokio::test]
async fn a_reminder_is_set_listed_and_run_from_the_terminal() {
    let home = Home::new().await;
    home.world
        .fake
        .reply_with(|request| Script::reply(request.last_user_text().lines().next().unwrap_or_default()));
    let daemon = home.daemon().await;
    let cron = async |words: &[&str]| {
        let ran = home.world.run(&[&["cron"], words].concat()).await;
        assert_eq!(ran.code, Some(0), "{words:?}: {}", ran.err);
        ran.out
    };
    let set =
        cron(&["add", "pizza", "--when", "in 20 minutes", "--message", "take it out", "--delete-after-run"])
            .await;
    assert!(set.starts_with("pizza · "), "{set}");
    let listed = cron(&["list", "--json"]).await;
    let mut listed = listed.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let listed = listed.find(|job| job["kind"] == "reminder").unwrap();
    assert_eq!((&listed["name"], &listed["deleteAfterRun"]), (&json!("pizza"), &json!(true)));
    assert!(cron(&["status"]).await.contains("next "));

    // Somebody watches, also while the daemon is started again.
    let mut watching = home.world.steward(&["watch"]).stderr(Stdio::piped()).spawn().unwrap();
    let mut out = BufReader::new(watching.stdout.take().unwrap()).lines();
    let mut err = BufReader::new(watching.stderr.take().unwrap()).lines();
    assert!(err.next_line().await.unwrap().unwrap().contains("watching"));
    daemon.end().await;
    let daemon = home.daemon().await;
    home.set_clock(next_run(&listed));
    let told = tokio::time::timeout(PATIENCE, out.next_line()).await.unwrap().unwrap().unwrap();
    assert!(told.contains("⏰") && told.ends_with("Reminder: take it out"), "{told}");
    watching.kill().await.unwrap();
    until(async || (!cron(&["list"]).await.contains("pizza")).then_some(())).await;

    cron(&["add", "tea", "--cron", "0 16 * * *", "--tz", "Asia/Kathmandu", "--message", "make tea"]).await;
    assert_eq!(cron(&["run", "tea"]).await, "Reminder: make tea\n");
    assert!(cron(&["history", "tea"]).await.contains(" · completed · asked for"));
    assert!(cron(&["update", "tea", "--disable"]).await.contains(" · off"));
    assert_eq!(cron(&["remove", "tea"]).await, "Removed: tea\n");
    daemon.end().await;
}
