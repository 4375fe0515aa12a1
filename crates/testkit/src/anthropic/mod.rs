//! Anthropic's Messages from the provider's side: writes answers, checks requests, words errors as the vendor does.

mod render;
mod validate;

pub(crate) use render::{error_body, last_user_text, render};
pub(crate) use validate::validate;
