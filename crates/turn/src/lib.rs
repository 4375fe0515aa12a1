//! What happens next? The turn machine: `step(turn, fact)` gives the new turn and the effects to perform,
//! `resume(turn)` gives what is still outstanding after the facts of a log were folded.
//!
//! Pure and total: any fact in any order is accepted, and what makes no sense changes nothing. It knows
//! neither tokio nor the clock nor randomness nor SQL nor a provider's name; `agent` performs the effects
//! and writes each fact to the log before it is stepped.
//!
//! What the machine keeps, whatever the order of facts:
//!
//! * every call gets exactly one result, and no result stands without its call;
//! * a call is run at most once, unless it was judged repeatable and the process died while it ran;
//! * nothing acts after the turn was aborted;
//! * calls asked in the same step stand on one approval screen;
//! * a program's calls are calls like any other, and it goes on only with their results, in the order they came;
//! * a call is handed to a client at most once, and then waits for it however long that takes;
//! * a limit ends the turn with a reason, and a finished turn stays finished.

mod effect;
mod state;
mod step;
mod program;
mod resume;

pub use effect::Effect;
pub use resume::{fold, resume};
pub use state::Turn;
pub use step::step;

#[cfg(test)]
mod tests;
