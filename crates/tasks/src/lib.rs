//! Standing orders: what is due becomes a trigger in the inbox, and what came of it reaches the owner. Running a turn is
//! left to the agent, deciding what may run to policy; what comes due when is `schedule`'s to say, and keeping it all
//! through any crash the store's.
//!
//! Reading order: `Orders` is what tools, doors and commands use. `Scheduler` fires what is due, by a `Clock`; `firing`
//! decides what that is. `heartbeat` keeps the regular look at what there is to do, `Hooks` takes what is handed in from
//! outside, `Courier` brings what is to be told to where the owner is. `words` puts it to the assistant.

mod orders;
mod scheduler;
mod firing;
mod heartbeat;
mod hooks;
mod courier;
mod clock;
mod words;

pub use clock::{Clock, SystemClock, Woke, clock_of_house};
pub use courier::{Courier, resolve};
pub use heartbeat::HeartbeatSettings;
pub use hooks::{HookAnswer, HookRequest, Hooks, MAX_HOOK_BYTES};
pub use orders::{
    FiringView, JobPage, JobStateView, JobTermsView, JobUpdate, JobView, Listing, NewJob, Orders,
    OrdersError, StatusView, Target, TaskListing, TaskOrder, TaskPage, TaskRunView, TaskRunsView,
    TaskTermsView, TaskView,
};
pub use schedule::{Missed, Schedule, Written, WrittenFields};
pub use scheduler::Scheduler;
pub use words::process_ended;
