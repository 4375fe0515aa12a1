//! Anthropic's Messages: a request's spelling and the meaning of the events that answer it.

mod encode;
mod decode;

pub(crate) use decode::Decoder;
pub(crate) use encode::encode;

#[cfg(test)]
mod tests;
