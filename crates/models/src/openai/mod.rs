//! OpenAI's Chat Completions, as OpenAI and the many servers that imitate it speak it: a request's spelling and the meaning of the events that answer it.

mod encode;
mod decode;

pub(crate) use decode::Decoder;
pub(crate) use encode::encode;

#[cfg(test)]
mod tests;
