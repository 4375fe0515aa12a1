//! The chunks of an answer from OpenAI's Chat Completions, put together. Servers that imitate it differ in
//! what they leave out, so everything but the finish reason is optional.

use crate::{
    answer::{CallMaker, whole_answer},
    dialect::{Decode, Progress},
    fault::{Fault, fault_in},
    names::ToolNames,
    sse::SseEvent,
    stream::{ModelAnswer, ModelEvent},
};
use protocol::{Block, StopReason, ToolDefinition, Usage};
use serde_json::Value;

/// One answer as it arrives.
pub(crate) struct Decoder {
    calls: CallMaker,
    pieces: Vec<Piece>,
    stop: Option<StopReason>,
    refused: bool,
    usage: Usage,
    finished: bool,
}

/// A block as it grows. This wire does not say when one is complete, only when another begins.
enum Piece {
    Text(String),
    Thinking(String),
    Call(OpenCall),
}

struct OpenCall {
    index: Option<u64>,
    wire_id: String,
    /// The provider's spelling; empty until it was given.
    name: String,
    arguments: String,
}

impl Decoder {
    /// For the answer to a request with these tools.
    pub(crate) fn new(tools: &[ToolDefinition]) -> Self {
        Self {
            calls: CallMaker::new(ToolNames::new(tools)),
            pieces: Vec::new(),
            stop: None,
            refused: false,
            usage: Usage::default(),
            finished: false,
        }
    }

    fn take_delta(&mut self, delta: &Value, out: &mut Vec<ModelEvent>) {
        for name in ["reasoning_content", "reasoning"] {
            if let Some(piece) = delta[name].as_str().filter(|it| !it.is_empty()) {
                match self.pieces.last_mut() {
                    Some(Piece::Thinking(text)) => text.push_str(piece),
                    _ => self.pieces.push(Piece::Thinking(piece.to_owned())),
                }
                out.push(ModelEvent::Thinking(piece.to_owned()));
                break;
            }
        }
        self.take_text(&content_text(&delta["content"]), out);
        if let Some(refusal) = delta["refusal"].as_str().filter(|it| !it.is_empty()) {
            self.refused = true;
            self.take_text(refusal, out);
        }
        for call in delta["tool_calls"].as_array().into_iter().flatten() {
            self.take_call(call, out);
        }
    }

    fn take_text(&mut self, piece: &str, out: &mut Vec<ModelEvent>) {
        if piece.is_empty() {
            return;
        }
        match self.pieces.last_mut() {
            Some(Piece::Text(text)) => text.push_str(piece),
            _ => self.pieces.push(Piece::Text(piece.to_owned())),
        }
        out.push(ModelEvent::Text(piece.to_owned()));
    }

    fn take_call(&mut self, delta: &Value, out: &mut Vec<ModelEvent>) {
        let index = delta["index"].as_u64();
        let wire_id = delta["id"].as_str().unwrap_or_default();
        let function = &delta["function"];
        let name = function["name"].as_str().unwrap_or_default();
        let place = match self.open_call(index, wire_id, name) {
            Some(place) => place,
            None => {
                let call =
                    OpenCall { index, wire_id: String::new(), name: String::new(), arguments: String::new() };
                self.pieces.push(Piece::Call(call));
                self.pieces.len() - 1
            }
        };
        let Some(Piece::Call(call)) = self.pieces.get_mut(place) else { return };
        if call.wire_id.is_empty() {
            call.wire_id = wire_id.to_owned();
        }
        if call.name.is_empty() && !name.is_empty() {
            call.name = name.to_owned();
            out.push(ModelEvent::CallStarted { tool: self.calls.tool(name) });
        }
        match &function["arguments"] {
            Value::String(piece) => call.arguments.push_str(piece),
            Value::Null => {}
            whole => call.arguments = whole.to_string(),
        }
    }

    /// The call a delta goes on with. Some servers give every call the same index, or none at all; then a new
    /// id, or a name where there is one already, means a new call.
    fn open_call(&self, index: Option<u64>, wire_id: &str, name: &str) -> Option<usize> {
        self.pieces.iter().rposition(|piece| match piece {
            Piece::Call(call) => {
                let both_have_ids = !wire_id.is_empty() && !call.wire_id.is_empty();
                let adds_name = !name.is_empty() && !call.name.is_empty();
                match index {
                    Some(_) => {
                        call.index == index && !(both_have_ids && adds_name && wire_id != call.wire_id)
                    }
                    None if both_have_ids => wire_id == call.wire_id,
                    None => !adds_name,
                }
            }
            Piece::Text(_) | Piece::Thinking(_) => false,
        })
    }

    fn take_usage(&mut self, usage: &Value) {
        let count = |value: &Value| value.as_u64().unwrap_or_default();
        if !usage.is_object() {
            return;
        }
        let cached = count(&usage["prompt_tokens_details"]["cached_tokens"]);
        self.usage = Usage {
            input_tokens: count(&usage["prompt_tokens"]).saturating_sub(cached),
            output_tokens: count(&usage["completion_tokens"]),
            cache_read_tokens: cached,
            cache_write_tokens: 0,
        };
    }

    fn blocks(&mut self) -> Vec<Block> {
        let pieces = std::mem::take(&mut self.pieces);
        pieces
            .into_iter()
            .map(|piece| match piece {
                Piece::Text(text) => Block::Text { text },
                Piece::Thinking(text) => Block::Thinking { text, signature: None },
                Piece::Call(call) => {
                    let tool = self.calls.tool(&call.name);
                    self.calls.call(&call.wire_id, tool, &call.arguments)
                }
            })
            .collect()
    }
}

impl Decode for Decoder {
    fn take(&mut self, event: &SseEvent, out: &mut Vec<ModelEvent>) -> Result<(), Fault> {
        if event.data.trim() == "[DONE]" {
            self.finished = true;
            return Ok(());
        }
        let data: Value = serde_json::from_str(&event.data).map_err(Fault::unreadable)?;
        if event.name == "error" || !data["error"].is_null() {
            return Err(fault_in(&data));
        }
        self.take_usage(&data["usage"]);
        // Only one answer is asked for; a second would be another wording of the same.
        let choice = &data["choices"][0];
        self.take_delta(&choice["delta"], out);
        if let Some(reason) = choice["finish_reason"].as_str().filter(|it| !it.is_empty()) {
            self.stop = Some(stop_reason(reason));
        }
        Ok(())
    }

    fn progress(&self) -> Progress {
        match (self.stop, self.finished) {
            (Some(_), true) => Progress::Finished,
            (Some(_), false) => Progress::Whole,
            // `[DONE]` without a finish reason does not say that the answer is whole.
            (None, _) => Progress::Writing,
        }
    }

    fn answer(&mut self) -> ModelAnswer {
        let stop = if self.refused { StopReason::Refusal } else { self.stop.unwrap_or(StopReason::Other) };
        whole_answer(self.blocks(), stop, self.usage)
    }

    fn partial(&mut self) -> Vec<Block> {
        if matches!(self.pieces.last(), Some(Piece::Call(_))) {
            self.pieces.pop();
        }
        self.blocks()
    }
}

/// Content is a string; a few servers send a list of parts.
fn content_text(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => String::new(),
    }
}

fn stop_reason(reason: &str) -> StopReason {
    match reason {
        "stop" => StopReason::EndTurn,
        "tool_calls" | "function_call" => StopReason::ToolUse,
        "length" => StopReason::MaxTokens,
        "content_filter" => StopReason::Refusal,
        _ => StopReason::Other,
    }
}
