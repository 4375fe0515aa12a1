//! The events of an answer from Anthropic's Messages, put together. Unknown events and deltas are passed
//! over, unknown blocks kept for replay, as the provider asks of clients.

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
    provider: String,
    calls: CallMaker,
    blocks: Vec<Block>,
    open: Option<OpenBlock>,
    stop: StopReason,
    usage: Usage,
    finished: bool,
}

/// A block between its start and its stop.
enum OpenBlock {
    Text(String),
    Thinking { text: String, signature: String },
    Redacted(String),
    Call { wire_id: String, tool: String, arguments: String },
    Unknown { block: Value, input: String },
}

impl Decoder {
    /// For the answer of this provider to a request with these tools.
    pub(crate) fn new(provider: &str, tools: &[ToolDefinition]) -> Self {
        Self {
            provider: provider.to_owned(),
            calls: CallMaker::new(ToolNames::new(tools)),
            blocks: Vec::new(),
            open: None,
            stop: StopReason::Other,
            usage: Usage::default(),
            finished: false,
        }
    }

    fn start_block(&mut self, block: &Value, out: &mut Vec<ModelEvent>) {
        self.close_block();
        self.open = Some(match text_at(block, "type") {
            "text" => OpenBlock::Text(say(text_at(block, "text"), ModelEvent::Text, out).to_owned()),
            "thinking" => OpenBlock::Thinking {
                text: say(text_at(block, "thinking"), ModelEvent::Thinking, out).to_owned(),
                signature: text_at(block, "signature").to_owned(),
            },
            "redacted_thinking" => OpenBlock::Redacted(text_at(block, "data").to_owned()),
            "tool_use" => {
                let tool = self.calls.tool(text_at(block, "name"));
                out.push(ModelEvent::CallStarted { tool: tool.clone() });
                let arguments = match &block["input"] {
                    // Servers that imitate this wire may give the whole input at once.
                    Value::Object(input) if !input.is_empty() => block["input"].to_string(),
                    _ => String::new(),
                };
                OpenBlock::Call { wire_id: text_at(block, "id").to_owned(), tool, arguments }
            }
            _ => OpenBlock::Unknown { block: block.clone(), input: String::new() },
        });
    }

    fn extend(&mut self, delta: &Value, out: &mut Vec<ModelEvent>) {
        match (self.open.as_mut(), text_at(delta, "type")) {
            (Some(OpenBlock::Text(text)), "text_delta") => {
                text.push_str(say(text_at(delta, "text"), ModelEvent::Text, out));
            }
            (Some(OpenBlock::Thinking { text, .. }), "thinking_delta") => {
                text.push_str(say(text_at(delta, "thinking"), ModelEvent::Thinking, out));
            }
            (Some(OpenBlock::Thinking { signature, .. }), "signature_delta") => {
                signature.push_str(text_at(delta, "signature"));
            }
            (Some(OpenBlock::Call { arguments, .. }), "input_json_delta") => {
                arguments.push_str(text_at(delta, "partial_json"));
            }
            (Some(OpenBlock::Unknown { input, .. }), "input_json_delta") => {
                input.push_str(text_at(delta, "partial_json"));
            }
            _ => {}
        }
    }

    fn close_block(&mut self) {
        let Some(open) = self.open.take() else { return };
        let block = match open {
            OpenBlock::Text(text) if text.is_empty() => return,
            OpenBlock::Text(text) => Block::Text { text },
            OpenBlock::Thinking { text, signature } => {
                Block::Thinking { text, signature: (!signature.is_empty()).then_some(signature) }
            }
            OpenBlock::Redacted(data) => Block::RedactedThinking { data },
            OpenBlock::Call { wire_id, tool, arguments } => self.calls.call(&wire_id, tool, &arguments),
            OpenBlock::Unknown { mut block, input } => {
                if let (Some(fields), Ok(input)) = (block.as_object_mut(), serde_json::from_str(&input)) {
                    fields.insert("input".to_owned(), input);
                }
                Block::Unknown { provider: self.provider.clone(), json: block.to_string() }
            }
        };
        self.blocks.push(block);
    }

    /// Counts are cumulative; each event repeats only some of them.
    fn take_usage(&mut self, usage: &Value) {
        let take = |name: &str, into: &mut u64| {
            if let Some(count) = usage[name].as_u64() {
                *into = count;
            }
        };
        take("input_tokens", &mut self.usage.input_tokens);
        take("output_tokens", &mut self.usage.output_tokens);
        take("cache_read_input_tokens", &mut self.usage.cache_read_tokens);
        take("cache_creation_input_tokens", &mut self.usage.cache_write_tokens);
    }
}

impl Decode for Decoder {
    fn take(&mut self, event: &SseEvent, out: &mut Vec<ModelEvent>) -> Result<(), Fault> {
        let data: Value = serde_json::from_str(&event.data).map_err(Fault::unreadable)?;
        let kind = data["type"].as_str().unwrap_or(&event.name);
        match kind {
            "message_start" => self.take_usage(&data["message"]["usage"]),
            "content_block_start" => self.start_block(&data["content_block"], out),
            "content_block_delta" => self.extend(&data["delta"], out),
            "content_block_stop" => self.close_block(),
            "message_delta" => {
                if let Some(reason) = data["delta"]["stop_reason"].as_str() {
                    self.stop = stop_reason(reason);
                }
                self.take_usage(&data["usage"]);
            }
            "message_stop" => {
                self.close_block();
                self.finished = true;
            }
            "error" => return Err(fault_in(&data)),
            _ => {}
        }
        Ok(())
    }

    fn progress(&self) -> Progress {
        if self.finished { Progress::Finished } else { Progress::Writing }
    }

    fn answer(&mut self) -> ModelAnswer {
        whole_answer(std::mem::take(&mut self.blocks), self.stop, self.usage)
    }

    fn partial(&mut self) -> Vec<Block> {
        match &mut self.open {
            Some(OpenBlock::Call { .. } | OpenBlock::Unknown { .. }) => self.open = None,
            // The signature may be cut too, and reasoning with a false one is refused when replayed.
            Some(OpenBlock::Thinking { signature, .. }) => signature.clear(),
            _ => {}
        }
        self.close_block();
        std::mem::take(&mut self.blocks)
    }
}

/// Tells the piece, unless there is nothing in it.
fn say<'a>(piece: &'a str, event: fn(String) -> ModelEvent, out: &mut Vec<ModelEvent>) -> &'a str {
    if !piece.is_empty() {
        out.push(event(piece.to_owned()));
    }
    piece
}

fn text_at<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_default()
}

fn stop_reason(reason: &str) -> StopReason {
    match reason {
        "end_turn" | "stop_sequence" => StopReason::EndTurn,
        "tool_use" => StopReason::ToolUse,
        "max_tokens" | "model_context_window_exceeded" => StopReason::MaxTokens,
        "refusal" => StopReason::Refusal,
        _ => StopReason::Other,
    }
}
