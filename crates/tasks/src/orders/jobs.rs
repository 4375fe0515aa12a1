//! Reminders and other jobs: given, listed, changed, removed, run in between.

use super::{
    FiringView, JobPage, JobView, MAX_NAME_CHARS, MAX_PAGE, Orders, OrdersError, StatusView, checked_message,
    checked_target, missed_word, refused, whole, written,
};
use crate::words;
use protocol::{SessionKey, TurnId};
use schedule::{Missed, Schedule};
use store::{JobChange, JobFilter, JobKind, JobOrder, JobRow};
use uuid::Uuid;

/// Where nothing else is known the owner is taken to sit at the terminal.
pub(crate) const FIRST_SESSION: &str = "terminal--default";

/// The conversation a job's turns take place in.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Target {
    /// One of its own.
    #[default]
    Own,
    /// The one it was ordered in; the owner's latest, if it was ordered in none.
    Main,
    /// A particular one.
    Key(SessionKey),
}

/// A job to be added.
#[derive(Debug, Clone)]
pub struct NewJob {
    /// What people call it.
    pub name: String,
    /// When it comes due.
    pub schedule: Schedule,
    /// What it is about.
    pub message: String,
    /// Where its turns take place.
    pub session: Target,
    /// Where the owner is told: `last`, which is meant if nothing is said; `none`; a place; a session key.
    pub deliver: Option<String>,
    /// What becomes of slots that passed unseen.
    pub missed: Missed,
    /// Whether it comes due at all.
    pub enabled: bool,
    /// Whether it goes once it has run.
    pub delete_after_run: bool,
    /// The model to use, `provider/model`.
    pub model: Option<String>,
    /// The conversation it is ordered in.
    pub origin: Option<SessionKey>,
    /// What makes it, such as the id of a call: the same one twice is one job.
    pub origin_key: Option<String>,
    /// Whether words of strangers are in the conversation it is ordered in.
    pub tainted: bool,
}

/// What is to be different; what is absent stays.
#[derive(Debug, Clone, Default)]
pub struct JobUpdate {
    /// Another name.
    pub name: Option<String>,
    /// Another time.
    pub schedule: Option<Schedule>,
    /// Something else it is about.
    pub message: Option<String>,
    /// Another place to tell the owner, written as in `NewJob`.
    pub deliver: Option<String>,
    /// Another policy for missed slots.
    pub missed: Option<Missed>,
    /// On or off.
    pub enabled: Option<bool>,
    /// Whether it goes once it has run.
    pub delete_after_run: Option<bool>,
    /// Another model; none goes back to the configured one.
    pub model: Option<Option<String>>,
}

/// Which jobs are to be listed.
#[derive(Debug, Clone, Default)]
pub struct Listing {
    /// Only those of this kind.
    pub kind: Option<JobKind>,
    /// Those that are switched off, too.
    pub include_disabled: bool,
    /// Only those after this one: the `next` of the page before.
    pub after: Option<Uuid>,
    /// At most so many.
    pub limit: Option<usize>,
}

impl Orders {
    /// Adds a reminder; kept through any crash once this returns.
    pub async fn add(&self, job: NewJob) -> Result<JobView, OrdersError> {
        // First of all, since by now its time may have passed.
        if let Some(key) = &job.origin_key
            && let Some(row) = self.store.view().job_of_origin(key).await?
        {
            return self.view(row).await;
        }
        let name = checked_name(&job.name)?;
        checked_message(&job.message)?;
        let deliver = checked_target(job.deliver.as_deref())?;
        let (schedule, next_slot) = self.begin(job.schedule)?;
        self.refuse_too_many(self.store.view().job_count().await?)?;
        let id = Uuid::now_v7();
        let order = JobOrder {
            name,
            kind: JobKind::Reminder,
            schedule: written(&schedule)?,
            message: job.message,
            session: self.session_for(id, job.session, job.origin.as_ref()).await?,
            deliver,
            missed: missed_word(job.missed).into(),
            delete_after_run: job.delete_after_run,
            model: job.model,
            task: None,
            origin: job.origin,
            tainted: job.tainted,
        };
        let new = store::NewJob { id, order, enabled: job.enabled, next_slot, origin_key: job.origin_key };
        let row = self.store.add_job(new).await?;
        self.view(row).await
    }

    /// A page of jobs, in the order they were given.
    pub async fn list(&self, listing: Listing) -> Result<JobPage, OrdersError> {
        let Listing { kind, include_disabled, after, limit } = listing;
        let limit = limit.unwrap_or(MAX_PAGE).clamp(1, MAX_PAGE);
        let filter = JobFilter { kind, task: None, include_disabled };
        let mut rows = self.store.view().jobs(filter, after, limit + 1).await?;
        let next =
            (rows.len() > limit).then(|| rows.pop()).flatten().and_then(|_| rows.last().map(|row| row.id));
        let mut jobs = Vec::with_capacity(rows.len());
        for row in rows {
            jobs.push(self.view(row).await?);
        }
        Ok(JobPage { jobs, next })
    }

    /// One job, by its id or name.
    pub async fn job(&self, id_or_name: &str) -> Result<JobView, OrdersError> {
        let row = self.find(id_or_name).await?;
        self.view(row).await
    }

    /// Changes a job.
    pub async fn update(&self, id_or_name: &str, update: JobUpdate) -> Result<JobView, OrdersError> {
        let row = self.find(id_or_name).await?;
        refuse_others(&row, "change")?;
        if let Some(message) = &update.message {
            checked_message(message)?;
        }
        let on_again = update.enabled == Some(true) && !row.enabled;
        let (schedule, next_slot) = match (update.schedule, on_again) {
            (Some(schedule), _) => {
                let (schedule, next) = self.begin(schedule)?;
                (Some(written(&schedule)?), Some(next))
            }
            (None, true) => (None, Some(self.begin(self.read_schedule(&row)?)?.1)),
            (None, false) => (None, None),
        };
        let change = JobChange {
            name: update.name.as_deref().map(checked_name).transpose()?,
            schedule,
            next_slot,
            message: update.message,
            session: None,
            deliver: update.deliver.as_deref().map(|to| checked_target(Some(to))).transpose()?,
            missed: update.missed.map(|missed| missed_word(missed).to_owned()),
            enabled: update.enabled,
            delete_after_run: update.delete_after_run,
            model: update.model,
        };
        match self.store.update_job(row.id, change).await? {
            Some(row) => self.view(row).await,
            None => Err(unknown(id_or_name)),
        }
    }

    /// Removes a job, and returns what it was.
    pub async fn remove(&self, id_or_name: &str) -> Result<JobView, OrdersError> {
        let row = self.find(id_or_name).await?;
        refuse_others(&row, "remove")?;
        let (id, view) = (row.id, self.view(row).await?);
        match self.store.remove_job(id).await? {
            true => Ok(view),
            false => Err(unknown(id_or_name)),
        }
    }

    /// Runs a job now, beside its times. Returns the turn.
    pub async fn run(&self, id_or_name: &str) -> Result<TurnId, OrdersError> {
        let row = self.find(id_or_name).await?;
        let now = whole(self.clock.now());
        let trigger = words::trigger(&row, &self.read_schedule(&row)?, now, &self.zone);
        let turn = self.store.run_job_now(row.id, now, trigger).await?;
        turn.ok_or_else(|| refused("it is under way as often as it may be: wait until a run is over".into()))
    }

    /// What came of a job's latest firings, the newest first.
    pub async fn history(&self, id_or_name: &str, limit: usize) -> Result<Vec<FiringView>, OrdersError> {
        let row = self.find(id_or_name).await?;
        let history = self.store.view().job_history(row.id, limit.min(MAX_PAGE)).await?;
        Ok(history.into_iter().map(FiringView::from).collect())
    }

    /// How many jobs there are, and when the next is due.
    pub async fn status(&self) -> Result<StatusView, OrdersError> {
        let view = self.store.view();
        let jobs = view.job_count().await?;
        Ok(StatusView { jobs, next_run: view.next_slot().await?, time_zone: self.zone_name() })
    }

    fn zone_name(&self) -> Option<String> {
        self.zone.iana_name().map(str::to_owned)
    }

    pub(super) async fn find(&self, id_or_name: &str) -> Result<JobRow, OrdersError> {
        self.store.view().job(id_or_name.trim()).await?.ok_or_else(|| unknown(id_or_name))
    }

    pub(super) fn read_schedule(&self, row: &JobRow) -> Result<Schedule, OrdersError> {
        serde_json::from_str(&row.order.schedule)
            .map_err(|error| refused(format!("the schedule of {:?} cannot be read: {error}", row.order.name)))
    }

    async fn view(&self, row: JobRow) -> Result<JobView, OrdersError> {
        let last = self.store.view().job_history(row.id, 1).await?.pop();
        JobView::new(row, last, self.clock.now(), &self.zone)
    }

    async fn session_for(
        &self,
        id: Uuid,
        target: Target,
        origin: Option<&SessionKey>,
    ) -> Result<SessionKey, OrdersError> {
        match (target, origin) {
            (Target::Key(key), _) => Ok(key),
            (Target::Own, _) => session(&format!("cron--{id}")),
            (Target::Main, Some(origin)) => Ok(origin.clone()),
            (Target::Main, None) => match self.store.view().last_owner_session(None).await? {
                Some(last) => Ok(last),
                None => session(FIRST_SESSION),
            },
        }
    }
}

fn session(key: &str) -> Result<SessionKey, OrdersError> {
    SessionKey::new(key).map_err(|error| refused(error.to_string()))
}

fn checked_name(name: &str) -> Result<String, OrdersError> {
    let name = name.trim();
    if name.is_empty() || name.chars().count() > MAX_NAME_CHARS || name.chars().any(char::is_control) {
        let why = format!("a name has 1 to {MAX_NAME_CHARS} characters on one line: choose another");
        return Err(refused(why));
    }
    Ok(name.to_owned())
}

fn refuse_others(row: &JobRow, verb: &str) -> Result<(), OrdersError> {
    match row.order.kind {
        JobKind::Reminder => Ok(()),
        JobKind::Task => {
            Err(refused(format!("this is the schedule of a task: cancel the task to {verb} it")))
        }
        JobKind::Heartbeat => Err(refused(format!(
            "the heartbeat follows the configuration: {verb} it there, under `[heartbeat]`"
        ))),
    }
}

fn unknown(name: &str) -> OrdersError {
    OrdersError::Unknown { what: "reminder", name: name.to_owned() }
}
