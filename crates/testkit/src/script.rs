//! What a fake provider shall answer, in words that fit both dialects: what is said, how it is cut up on the
//! wire, and how it goes wrong. How it is spelled is for the dialects.

use serde_json::Value;
use std::time::Duration;

/// One scripted response. Without further words it is an empty answer that ends normally.
#[derive(Debug, Clone, Default)]
pub struct Script {
    pub(crate) parts: Vec<Part>,
    pub(crate) stop: Option<Stop>,
    pub(crate) usage: ScriptedUsage,
    pub(crate) wire: Wire,
    pub(crate) http: Option<HttpAnswer>,
}

/// A piece of a scripted answer.
#[derive(Debug, Clone)]
pub(crate) enum Part {
    Text(String),
    Thinking { text: String, signature: String },
    RedactedThinking(String),
    Call { id: Option<String>, tool: String, arguments: String },
    UnknownBlock(Value),
    Comment(String),
    Ping,
    Stall(Duration),
    Error { kind: String, message: String },
    Raw(String),
}

/// Why a scripted answer stops.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stop {
    EndTurn,
    ToolUse,
    MaxTokens,
    Refusal,
}

/// The tokens a scripted answer claims.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ScriptedUsage {
    pub(crate) is_sent: bool,
    pub(crate) input: u64,
    pub(crate) output: u64,
    pub(crate) cache_read: u64,
    pub(crate) cache_write: u64,
}

/// How the answer is cut up.
#[derive(Debug, Clone, Default)]
pub(crate) struct Wire {
    pub(crate) text_chars: Option<usize>,
    pub(crate) argument_chars: Option<usize>,
    pub(crate) chunk_delay: Duration,
    pub(crate) tcp_bytes: Option<usize>,
    pub(crate) has_crlf: bool,
    pub(crate) lacks_done: bool,
    pub(crate) hang_up_after: Option<usize>,
    pub(crate) end_after: Option<usize>,
}

/// A response that is no stream.
#[derive(Debug, Clone)]
pub(crate) struct HttpAnswer {
    pub(crate) status: u16,
    pub(crate) kind: Option<String>,
    pub(crate) message: Option<String>,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Option<(String, String)>,
}

impl Default for ScriptedUsage {
    fn default() -> Self {
        Self { is_sent: true, input: 10, output: 5, cache_read: 0, cache_write: 0 }
    }
}

impl Script {
    /// An answer to be filled.
    pub fn new() -> Self {
        Self::default()
    }

    /// An answer that is only text.
    pub fn reply(text: impl Into<String>) -> Self {
        Self::new().text(text)
    }

    /// An HTTP response that is not an answer, with a body as the vendor would shape it.
    pub fn http(status: u16) -> Self {
        let http = HttpAnswer { status, kind: None, message: None, headers: Vec::new(), body: None };
        Self { http: Some(http), ..Self::default() }
    }

    /// Says text.
    pub fn text(self, text: impl Into<String>) -> Self {
        self.part(Part::Text(text.into()))
    }

    /// Reasons, and signs the reasoning where the dialect has signatures.
    pub fn thinking(self, text: impl Into<String>, signature: impl Into<String>) -> Self {
        self.part(Part::Thinking { text: text.into(), signature: signature.into() })
    }

    /// Reasons in secret; the OpenAI dialect leaves it out.
    pub fn redacted_thinking(self, data: impl Into<String>) -> Self {
        self.part(Part::RedactedThinking(data.into()))
    }

    /// Calls a tool, by its dotted or its wire name, with arguments written exactly so.
    pub fn call(self, tool: impl Into<String>, arguments: impl Into<String>) -> Self {
        self.part(Part::Call { id: None, tool: tool.into(), arguments: arguments.into() })
    }

    /// Calls a tool under this wire id, which may be empty or repeated.
    pub fn call_with_id(
        self,
        id: impl Into<String>,
        tool: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        self.part(Part::Call { id: Some(id.into()), tool: tool.into(), arguments: arguments.into() })
    }

    /// A content block of a kind clients do not know; the OpenAI dialect leaves it out.
    pub fn unknown_block(self, block: Value) -> Self {
        self.part(Part::UnknownBlock(block))
    }

    /// An SSE comment.
    pub fn comment(self, text: impl Into<String>) -> Self {
        self.part(Part::Comment(text.into()))
    }

    /// A ping, in the vendor's form: an event for Anthropic, a comment for OpenAI.
    pub fn ping(self) -> Self {
        self.part(Part::Ping)
    }

    /// Says nothing for this long, then goes on.
    pub fn stall(self, pause: Duration) -> Self {
        self.part(Part::Stall(pause))
    }

    /// An error event in the stream, after which nothing follows.
    pub fn error_event(self, kind: impl Into<String>, message: impl Into<String>) -> Self {
        self.part(Part::Error { kind: kind.into(), message: message.into() })
    }

    /// Bytes put into the stream as they are.
    pub fn raw(self, text: impl Into<String>) -> Self {
        self.part(Part::Raw(text.into()))
    }

    /// The answer stops because the provider declines.
    pub fn refusal(mut self) -> Self {
        self.stop = Some(Stop::Refusal);
        self
    }

    /// The answer stops at the output limit.
    pub fn max_tokens(mut self) -> Self {
        self.stop = Some(Stop::MaxTokens);
        self
    }

    /// The tokens claimed; `input` excludes the cached ones.
    pub fn usage(mut self, input: u64, output: u64) -> Self {
        self.usage.input = input;
        self.usage.output = output;
        self
    }

    /// The prompt tokens claimed to be read from and written to the cache.
    pub fn cached(mut self, read: u64, written: u64) -> Self {
        self.usage.cache_read = read;
        self.usage.cache_write = written;
        self
    }

    /// Claims nothing about tokens.
    pub fn without_usage(mut self) -> Self {
        self.usage.is_sent = false;
        self
    }

    /// Cuts text into events of this many characters.
    pub fn text_chunks_of(mut self, characters: usize) -> Self {
        self.wire.text_chars = Some(characters);
        self
    }

    /// Cuts arguments into events of this many characters.
    pub fn argument_chunks_of(mut self, characters: usize) -> Self {
        self.wire.argument_chars = Some(characters);
        self
    }

    /// Waits this long before each event.
    pub fn chunk_delay(mut self, pause: Duration) -> Self {
        self.wire.chunk_delay = pause;
        self
    }

    /// Sends the body in pieces of this many bytes, through the middle of events and of characters.
    pub fn tcp_chunks_of(mut self, bytes: usize) -> Self {
        self.wire.tcp_bytes = Some(bytes);
        self
    }

    /// Ends lines with carriage return and line feed.
    pub fn crlf(mut self) -> Self {
        self.wire.has_crlf = true;
        self
    }

    /// Leaves out `[DONE]`; the Anthropic dialect has none.
    pub fn without_done(mut self) -> Self {
        self.wire.lacks_done = true;
        self
    }

    /// Breaks the connection after this many events.
    pub fn hang_up_after(mut self, events: usize) -> Self {
        self.wire.hang_up_after = Some(events);
        self
    }

    /// Ends the body in good order after this many events, as a proxy that gave up does.
    pub fn end_after(mut self, events: usize) -> Self {
        self.wire.end_after = Some(events);
        self
    }

    /// The vendor's error type, for [`Script::http`].
    pub fn kind(self, kind: impl Into<String>) -> Self {
        self.in_http(|http| http.kind = Some(kind.into()))
    }

    /// The vendor's error message, for [`Script::http`].
    pub fn message(self, message: impl Into<String>) -> Self {
        self.in_http(|http| http.message = Some(message.into()))
    }

    /// A response header, for [`Script::http`].
    pub fn header(self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.in_http(|http| http.headers.push((name.into(), value.into())))
    }

    /// A body of another shape than the vendor's, for [`Script::http`].
    pub fn body(self, content_type: impl Into<String>, body: impl Into<String>) -> Self {
        self.in_http(|http| http.body = Some((content_type.into(), body.into())))
    }

    fn part(mut self, part: Part) -> Self {
        self.parts.push(part);
        self
    }

    fn in_http(mut self, change: impl FnOnce(&mut HttpAnswer)) -> Self {
        change(
            self.http
                .as_mut()
                .expect("only a script made with Script::http has a status, headers and a body"),
        );
        self
    }

    /// Why it stops: as told, or as what it says implies.
    pub(crate) fn stop(&self) -> Stop {
        let has_calls = self.parts.iter().any(|part| matches!(part, Part::Call { .. }));
        self.stop.unwrap_or(if has_calls { Stop::ToolUse } else { Stop::EndTurn })
    }
}

/// Cuts text into pieces of `chars` characters; whole when that is not told. Never empty.
pub(crate) fn pieces(text: &str, chars: Option<usize>) -> Vec<String> {
    let Some(chars) = chars.filter(|_| !text.is_empty()) else { return vec![text.to_owned()] };
    let all: Vec<char> = text.chars().collect();
    all.chunks(chars.max(1)).map(|piece| piece.iter().collect()).collect()
}

/// The name a provider uses for a tool, which cannot hold dots.
pub(crate) fn wire_name(tool: &str) -> String {
    tool.replace('.', "_")
}
