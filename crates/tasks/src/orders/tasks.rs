//! Tasks: for now, to come again, or whenever something outside happens.

use super::{
    MAX_PAGE, Orders, OrdersError, TaskPage, TaskRunView, TaskView, checked_message, checked_target,
    missed_word, refused, written,
};
use crate::hooks;
use schedule::{Missed, Schedule};
use store::{JobRow, NewTaskKind, TaskAnswer, TaskFilter, TaskRow};
use uuid::Uuid;

/// A secret that can be guessed signs nothing.
const LEAST_SECRET_BYTES: usize = 16;

/// A task to be given; when it runs is said beside it. `deliver` may also be `none`; if nothing is said, a task for now is
/// told nowhere, others at `last`.
pub use store::NewTask as TaskOrder;

/// Which tasks are to be listed.
#[derive(Debug, Clone, Default)]
pub struct TaskListing {
    /// Only those that still stand, or only the others.
    pub active: Option<bool>,
    /// Only those of this requester.
    pub requester_id: Option<String>,
    /// Only those older than this one: the `next` of the page before.
    pub before: Option<Uuid>,
    /// At most so many.
    pub limit: Option<usize>,
}

impl Orders {
    /// Gives a task that is done once, at once.
    pub async fn create_one_shot(&self, order: TaskOrder) -> Result<TaskView, OrdersError> {
        let order = TaskOrder { deliver: Some(order.deliver.unwrap_or_else(|| "none".into())), ..order };
        self.create(order, NewTaskKind::OneShot).await
    }

    /// Gives a task that comes again and again.
    pub async fn create_recurring(
        &self,
        order: TaskOrder,
        schedule: Schedule,
        missed: Missed,
    ) -> Result<TaskView, OrdersError> {
        if matches!(schedule, Schedule::At { .. }) {
            let why = "a task that comes again needs an interval or a cron expression: for one time, set a reminder";
            return Err(refused(why.into()));
        }
        self.refuse_too_many(self.store.view().job_count().await?)?;
        let (schedule, next_slot) = self.begin(schedule)?;
        let (schedule, missed) = (written(&schedule)?, missed_word(missed).to_owned());
        self.create(order, NewTaskKind::Recurring { schedule, next_slot, missed }).await
    }

    /// Gives a task that runs whenever somebody who knows its token hands something in. The token is shown here and
    /// never again; none is shown when the same order was given before. What is handed in must be signed if there is a
    /// secret.
    pub async fn create_event_trigger(
        &self,
        order: TaskOrder,
        secret: Option<String>,
    ) -> Result<(TaskView, Option<String>), OrdersError> {
        if secret.as_ref().is_some_and(|secret| secret.len() < LEAST_SECRET_BYTES) {
            return Err(refused(format!(
                "a secret has at least {LEAST_SECRET_BYTES} characters: choose a longer one"
            )));
        }
        let token = hooks::new_token();
        let hook_hash = hooks::hash_of(token.as_bytes());
        let task = self.create(order, NewTaskKind::Event { hook_hash: hook_hash.clone(), secret }).await?;
        let new = self.store.view().hook_task(&hook_hash).await?.is_some_and(|found| found.id == task.id);
        Ok((task, new.then_some(token)))
    }

    /// Stops a task for good.
    pub async fn cancel(&self, id: Uuid, reason: Option<String>) -> Result<TaskView, OrdersError> {
        let answer = self.store.cancel_task(id, reason).await?;
        self.ended(id, answer).await
    }

    /// Ends a task whose purpose is fulfilled; a run under way has its say.
    pub async fn complete(&self, id: Uuid, reason: Option<String>) -> Result<TaskView, OrdersError> {
        let answer = self.store.complete_task(id, reason).await?;
        self.ended(id, answer).await
    }

    /// A page of tasks, the latest first.
    pub async fn tasks(&self, listing: TaskListing) -> Result<TaskPage, OrdersError> {
        let TaskListing { active, requester_id, before, limit } = listing;
        let limit = limit.unwrap_or(MAX_PAGE).clamp(1, MAX_PAGE);
        let mut rows =
            self.store.view().tasks(TaskFilter { active, requester_id }, before, limit + 1).await?;
        let next =
            (rows.len() > limit).then(|| rows.pop()).flatten().and_then(|_| rows.last().map(|row| row.id));
        let mut tasks = Vec::with_capacity(rows.len());
        for row in rows {
            tasks.push(self.view_task(row).await?);
        }
        Ok(TaskPage { tasks, next })
    }

    /// One task.
    pub async fn task(&self, id: Uuid) -> Result<TaskView, OrdersError> {
        let row = self.store.view().task(id).await?.ok_or_else(|| unknown(id))?;
        self.view_task(row).await
    }

    /// The latest runs of a task, the newest first.
    pub async fn task_history(&self, id: Uuid, limit: usize) -> Result<Vec<TaskRunView>, OrdersError> {
        self.store.view().task(id).await?.ok_or_else(|| unknown(id))?;
        let runs = self.store.view().task_runs(id, limit.min(MAX_PAGE)).await?;
        Ok(runs.into_iter().map(TaskRunView::from).collect())
    }

    async fn create(&self, order: TaskOrder, kind: NewTaskKind) -> Result<TaskView, OrdersError> {
        checked_message(&order.prompt)?;
        let deliver = checked_target(order.deliver.as_deref())?;
        let task = TaskOrder { deliver, kind, ..order };
        let row = self.store.create_task(task).await?;
        self.view_task(row).await
    }

    async fn ended(&self, id: Uuid, answer: TaskAnswer) -> Result<TaskView, OrdersError> {
        match answer {
            TaskAnswer::Ended(row) | TaskAnswer::AlreadyOver(row) => self.view_task(row).await,
            TaskAnswer::Unknown => Err(unknown(id)),
        }
    }

    async fn view_task(&self, row: TaskRow) -> Result<TaskView, OrdersError> {
        let job: Option<JobRow> = match row.runs.job {
            Some(job) => self.store.view().job(&job.to_string()).await?,
            None => None,
        };
        let schedule = job.map(|job| self.read_schedule(&job)).transpose()?;
        Ok(TaskView::new(row, schedule, &self.zone))
    }
}

fn unknown(id: Uuid) -> OrdersError {
    OrdersError::Unknown { what: "task", name: id.to_string() }
}
