//! Tasks, page by page, the latest first.

use super::shown::Task;
use crate::{fault::Fault, gateway::Gateway};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tasks::TaskListing;
use uuid::Uuid;

/// How many tasks a listing gives unless the client says, and at most.
const GIVEN: usize = 100;
const MAX_GIVEN: usize = 500;

/// How many pages are looked through for one answer; a client that filters gets the rest by the cursor.
const MAX_PAGES: usize = 25;

/// Which tasks are wanted.
#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Listing {
    /// At most so many.
    limit: Option<usize>,
    /// Only those of this requester.
    requester_id: Option<String>,
    /// Only those that are so: `active`, `queued`, `running`, `waiting`, `completed`, `failed`, `cancelled`; or `open`, all
    /// that are not over.
    status: Option<Status>,
    /// Only `one_shot`, `recurring` or `event`.
    kind: Option<Kind>,
    /// The `next` of the page before.
    #[schemars(with = "Option<String>")]
    cursor: Option<Uuid>,
}

#[derive(Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Status {
    Open,
    Active,
    Queued,
    Running,
    Waiting,
    Completed,
    Failed,
    Cancelled,
}

#[derive(Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum Kind {
    OneShot,
    Recurring,
    #[serde(alias = "event_triggered")]
    Event,
}

/// A page of tasks.
#[derive(Serialize, JsonSchema)]
pub(crate) struct Tasks {
    tasks: Vec<Task>,
    /// Ask for the next page by it; none if this is the last.
    next: Option<String>,
}

pub(crate) async fn page(gateway: &Gateway, listing: Listing) -> Result<Tasks, Fault> {
    let limit = listing.limit.unwrap_or(GIVEN).clamp(1, MAX_GIVEN);
    let (mut tasks, mut cursor) = (Vec::new(), listing.cursor);
    for _ in 0..MAX_PAGES {
        let wanted = TaskListing {
            active: listing.status.map(Status::is_open),
            requester_id: listing.requester_id.clone(),
            before: cursor,
            limit: Some(limit - tasks.len()),
        };
        let page = gateway.orders().tasks(wanted).await?;
        cursor = page.next;
        tasks.extend(page.tasks.into_iter().map(Task::from).filter(|task| listing.wants(task)));
        if cursor.is_none() || tasks.len() >= limit {
            break;
        }
    }
    Ok(Tasks { tasks, next: cursor.map(|id| id.to_string()) })
}

impl Listing {
    fn wants(&self, task: &Task) -> bool {
        self.kind.is_none_or(|kind| kind.word() == task.kind)
            && self.status.is_none_or(|status| status == Status::Open || status.word() == task.status)
    }
}

impl Status {
    fn is_open(self) -> bool {
        !matches!(self, Self::Completed | Self::Failed | Self::Cancelled)
    }

    fn word(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Active => "active",
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Waiting => "waiting",
            Self::Completed => "completed",
            Self::Failed => "failed",
            Self::Cancelled => "cancelled",
        }
    }
}

impl Kind {
    fn word(self) -> &'static str {
        match self {
            Self::OneShot => "one_shot",
            Self::Recurring => "recurring",
            Self::Event => "event",
        }
    }
}
