//! `cron`: reminders and whatever else is to come due, given, listed, changed, removed.

use super::{
    GIVES, LOOKS, SHOWN_CHARS,
    data::{Job, time},
    origin_key, why,
};
use crate::{Labels, Presentation, ToolContext, ToolOutput, TypedTool, output_of, text};
use ::tasks::{JobUpdate, JobView, Listing, Missed, NewJob, Orders, Schedule, Target, Written};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How many jobs one listing shows.
const MAX_LISTED: usize = 100;

/// The tool.
pub(crate) struct Cron {
    pub orders: Orders,
}

/// What it takes.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct Input {
    action: Action,
    name: Option<String>,
    id: Option<String>,
    /// 'in 20 minutes', 'every weekday at 9', {kind:at,at}, {kind:every,everyMs} or {kind:cron,expr,tz}
    schedule: Option<Value>,
    message: Option<String>,
    session: Option<Session>,
    /// last, none or a session
    deliver: Option<String>,
    missed: Option<Policy>,
    enabled: Option<bool>,
    delete_after_run: Option<bool>,
}

#[derive(Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Action {
    Add,
    List,
    Update,
    Remove,
    Run,
    Status,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Session {
    Main,
    Own,
}

#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Policy {
    Skip,
    Once,
    All,
}

/// What it gives.
#[derive(Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Output {
    /// Those listed, added, updated or removed.
    jobs: Vec<Job>,
    /// Whether there are more.
    truncated: bool,
    /// For status: how many there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    total: Option<u64>,
    /// For status: when the next is due, ISO 8601.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_run: Option<String>,
}

impl Output {
    fn of(jobs: &[JobView]) -> Self {
        Self { jobs: jobs.iter().map(Job::from).collect(), ..Self::default() }
    }
}

impl TypedTool for Cron {
    const NAME: &'static str = "cron";
    const DESCRIPTION: &'static str = "Reminders and other scheduled work. Session main is this one.";
    const LABELS: Labels = GIVES;
    type Input = Input;
    const OUTPUT: Option<fn() -> Value> = Some(output_of::<Output>);

    fn labels_of(&self, input: &Input) -> Labels {
        match input.action {
            Action::List | Action::Status => LOOKS,
            Action::Add | Action::Update => GIVES,
            // Done twice, they are not the same as done once.
            Action::Remove | Action::Run => Labels { idempotent: false, ..GIVES },
        }
    }

    fn show(&self, input: &Input) -> Presentation {
        let which = input.id.as_deref().or(input.name.as_deref()).unwrap_or_default();
        let detail = self.detail(input);
        match input.action {
            Action::Add => Presentation::new(format!("Set the reminder {which:?}"), detail),
            Action::List => Presentation::new("List reminders", ""),
            Action::Update => Presentation::new(format!("Change the reminder {which:?}"), detail),
            Action::Remove => Presentation::new(format!("Remove the reminder {which:?}"), ""),
            Action::Run => Presentation::new(format!("Run the reminder {which:?} now"), ""),
            Action::Status => Presentation::new("Look at the schedule", ""),
        }
    }

    async fn run(&self, input: Input, context: &ToolContext) -> ToolOutput {
        let done = self.act(input, context).await;
        done.map(|(told, value)| ToolOutput::text(told).with(&value)).into()
    }
}

impl Cron {
    /// Everything a call would set, for the owner to read.
    fn detail(&self, input: &Input) -> String {
        let schedule = input.schedule.as_ref().map(|written| match read(&self.orders, written) {
            Ok(schedule) => self.orders.describe(&schedule),
            Err(_) => written.to_string(),
        });
        let missed = input.missed.map(|missed| match missed {
            Policy::Skip => "skip",
            Policy::Once => "once",
            Policy::All => "all",
        });
        let session = input.session.map(|session| match session {
            Session::Main => "main",
            Session::Own => "own",
        });
        let word = |yes: Option<bool>| yes.map(|yes| if yes { "yes" } else { "no" });
        let parts = [
            ("when", schedule.as_deref()),
            ("name", input.name.as_deref()),
            ("message", input.message.as_deref()),
            ("session", session),
            ("deliver", input.deliver.as_deref()),
            ("missed", missed),
            ("enabled", word(input.enabled)),
            ("delete after run", word(input.delete_after_run)),
        ];
        let lines = parts.iter().filter_map(|(name, value)| value.map(|value| format!("{name}: {value}")));
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Does it: what the model reads, and what a program is given.
    async fn act(&self, input: Input, context: &ToolContext) -> Result<(String, Output), String> {
        match input.action {
            Action::Add => self.add(input, context).await,
            Action::List => self.list().await,
            Action::Update => self.update(input).await,
            Action::Remove => {
                let removed = self.orders.remove(&which(&input)?).await.map_err(why)?;
                Ok((format!("Removed {:?}.", removed.name), Output::of(&[removed])))
            }
            Action::Run => {
                let which = which(&input)?;
                self.orders.run(&which).await.map_err(why)?;
                let told = format!("{which:?} runs now; what comes of it is told when it is done.");
                Ok((told, Output::default()))
            }
            Action::Status => {
                let status = self.orders.status().await.map_err(why)?;
                let next = status.next_run.map_or("nothing is due".into(), |next| self.due(next));
                let (total, next_run) = (Some(status.jobs), time(status.next_run));
                let zone = status.time_zone.unwrap_or_else(|| "the system's zone".into());
                let now = self.orders.now().strftime("%a %Y-%m-%d %H:%M").to_string();
                let told = format!("{} in all; next: {next}. It is {now} ({zone}).", status.jobs);
                Ok((told, Output { total, next_run, ..Output::default() }))
            }
        }
    }

    async fn add(&self, input: Input, context: &ToolContext) -> Result<(String, Output), String> {
        let message = input.message.ok_or("Say what it is about: `message` is missing.")?;
        let written = input.schedule.ok_or("Say when: `schedule` is missing.")?;
        let schedule = read(&self.orders, &written)?;
        let job = NewJob {
            name: input.name.or(input.id).unwrap_or_else(|| text::line(&message, 60)),
            schedule,
            message,
            session: match input.session {
                Some(Session::Main) => Target::Main,
                Some(Session::Own) | None => Target::Own,
            },
            deliver: input.deliver,
            missed: missed(input.missed).unwrap_or_default(),
            enabled: input.enabled.unwrap_or(true),
            delete_after_run: input.delete_after_run.unwrap_or_default(),
            model: None,
            origin: Some(context.session.clone()),
            origin_key: origin_key(context),
            tainted: context.tainted,
        };
        let job = self.orders.add(job).await.map_err(why)?;
        Ok((format!("Set.\n{}", self.line(&job)), Output::of(&[job])))
    }

    async fn list(&self) -> Result<(String, Output), String> {
        let listing = Listing { include_disabled: true, limit: Some(MAX_LISTED), ..Listing::default() };
        let page = self.orders.list(listing).await.map_err(why)?;
        if page.jobs.is_empty() {
            return Ok(("Nothing is scheduled.".into(), Output::default()));
        }
        let mut lines: Vec<String> = page.jobs.iter().map(|job| self.line(job)).collect();
        if page.next.is_some() {
            lines.push(format!("[only the first {MAX_LISTED}]"));
        }
        Ok((lines.join("\n"), Output { truncated: page.next.is_some(), ..Output::of(&page.jobs) }))
    }

    async fn update(&self, input: Input) -> Result<(String, Output), String> {
        let which = which(&input)?;
        let schedule = input.schedule.as_ref().map(|written| read(&self.orders, written)).transpose()?;
        let update = JobUpdate {
            // Without an id the name says which one is meant.
            name: input.name.filter(|_| input.id.is_some()),
            schedule,
            message: input.message,
            deliver: input.deliver,
            missed: missed(input.missed),
            enabled: input.enabled,
            delete_after_run: input.delete_after_run,
            model: None,
        };
        let job = self.orders.update(&which, update).await.map_err(why)?;
        Ok((format!("Changed.\n{}", self.line(&job)), Output::of(&[job])))
    }

    fn line(&self, job: &JobView) -> String {
        let next = match job.next_run {
            Some(next) => self.due(next),
            None if job.enabled => "not again".into(),
            None => "off".into(),
        };
        let mut line = format!("{} {:?} {}, next {next}", job.id, job.name, job.description);
        if job.kind != "reminder" {
            line.push_str(&format!(" [{}]", job.kind));
        }
        if let Some(last) = &job.last_run {
            line.push_str(&format!(", last {} {}", self.orders.shown(last.slot), last.outcome));
        }
        line + ": " + &text::line(&job.message, SHOWN_CHARS)
    }

    fn due(&self, at: jiff::Timestamp) -> String {
        self.orders.shown(at)
    }
}

fn which(input: &Input) -> Result<String, String> {
    input.id.clone().or_else(|| input.name.clone()).ok_or_else(|| "Say which: `id` is missing.".into())
}

/// The schedule in what a model wrote, which may be an object, a phrase, or an object written as a phrase.
pub(super) fn read(orders: &Orders, written: &Value) -> Result<Schedule, String> {
    let inner = written.as_str().and_then(|text| serde_json::from_str::<Value>(text).ok());
    let written = inner.filter(Value::is_object).unwrap_or_else(|| written.clone());
    let written: Written =
        serde_json::from_value(written).map_err(|error| format!("`schedule`: {error}."))?;
    orders.read(&written).map_err(why)
}

fn missed(policy: Option<Policy>) -> Option<Missed> {
    policy.map(|policy| match policy {
        Policy::Skip => Missed::Skip,
        Policy::Once => Missed::Once,
        Policy::All => Missed::All,
    })
}
