//! What the terminal shows and how it is typed into. Knows the feed's items, not the agent.

mod say;
mod answer;
mod approval;
mod clean;
mod input;
mod markdown;
mod notice;
mod program;
mod screen;
mod typescript;

pub(crate) use answer::{Answer, Shown};
pub(crate) use approval::{Choice, KEYS, choice, decide, rules, screen, with_rule};
pub(crate) use clean::clean;
pub(crate) use input::{Input, Typed, input_comes};
pub(crate) use markdown::Markdown;
pub(crate) use notice::{clock_time, notice};
pub(crate) use program::{Extent, listing};
pub(crate) use say::{say, say_line};
pub(crate) use screen::Screen;
