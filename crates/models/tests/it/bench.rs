//! What every test here needs: a fake provider, models that know it, and the whole of a stream.

use futures::StreamExt;
use models::{
    Credential, Dialect, ModelAnswer, ModelEvent, ModelRef, ModelRequest, ModelTiming, Models,
    ProviderSettings, SystemPrompt,
};
use protocol::{Block, Call, CallId, Message, ModelError, ToolDefinition};
use secrecy::SecretString;
use serde_json::json;
use std::time::Duration;
use testkit::{FakeModel, Script};
use uuid::Uuid;

pub const DIALECTS: [Dialect; 2] = [Dialect::Anthropic, Dialect::OpenAi];

pub const KEY: &str = "sk-secret-0123456789abcdef";

/// Quick enough for tests, slow enough for a loaded machine.
pub const QUICK: ModelTiming = ModelTiming {
    idle_timeout: Duration::from_secs(5),
    max_retries: 3,
    retry_base: Duration::from_millis(1),
};

pub struct Bench {
    pub fake: FakeModel,
    pub models: Models,
}

impl Bench {
    pub async fn new(dialect: Dialect) -> Self {
        Self::with_timing(dialect, QUICK).await
    }

    pub async fn with_timing(dialect: Dialect, timing: ModelTiming) -> Self {
        let fake = FakeModel::start().await;
        let base_url = match dialect {
            Dialect::Anthropic => fake.anthropic_url(),
            Dialect::OpenAi => fake.openai_url(),
        };
        let models = Models::new(vec![provider(dialect, &base_url)], timing);
        Self { fake, models }
    }

    /// What comes of asking, with the fake answering by these scripts.
    pub async fn ask(&self, request: ModelRequest, scripts: impl IntoIterator<Item = Script>) -> Heard {
        for script in scripts {
            self.fake.script(script);
        }
        hear(self.models.ask(request)).await
    }
}

pub fn provider(dialect: Dialect, base_url: &str) -> ProviderSettings {
    ProviderSettings {
        name: "fake".to_owned(),
        dialect,
        base_url: base_url.to_owned(),
        credential: Some(Credential {
            secret: SecretString::from(KEY),
            source: "environment variable FAKE_KEY".to_owned(),
        }),
        key_hint: "Set FAKE_KEY in ~/.steward/.env".to_owned(),
    }
}

/// Everything a stream said.
#[derive(Debug)]
pub struct Heard {
    pub pieces: Vec<ModelEvent>,
    pub last: ModelEvent,
}

impl Heard {
    pub fn answer(self) -> ModelAnswer {
        match self.last {
            ModelEvent::Done(answer) => answer,
            other => panic!("no answer but {other:?}"),
        }
    }

    pub fn failure(self) -> (ModelError, Vec<Block>) {
        match self.last {
            ModelEvent::Failed { error, partial } => (error, partial),
            other => panic!("no failure but {other:?}"),
        }
    }
}

/// Reads a stream to its end and checks what holds for every stream: one end, and it comes last; the pieces
/// add up to the blocks.
pub async fn hear(stream: models::ModelStream) -> Heard {
    let mut pieces: Vec<ModelEvent> =
        tokio::time::timeout(Duration::from_secs(20), stream.collect()).await.expect("the stream ends");
    let last = pieces.pop().expect("a stream says something");
    let blocks = match &last {
        ModelEvent::Done(answer) => answer.blocks.clone(),
        ModelEvent::Failed { partial, .. } => partial.clone(),
        other => panic!("the stream ended with {other:?}"),
    };
    let mut text = String::new();
    let mut thinking = String::new();
    for piece in &pieces {
        match piece {
            ModelEvent::Text(piece) => text.push_str(piece),
            ModelEvent::Thinking(piece) => thinking.push_str(piece),
            ModelEvent::CallStarted { .. } => {}
            other => panic!("{other:?} came before the end"),
        }
    }
    assert_eq!(text, Block::text_of(&blocks));
    let thought: String = blocks
        .iter()
        .filter_map(|block| if let Block::Thinking { text, .. } = block { Some(text.as_str()) } else { None })
        .collect();
    assert_eq!(thinking, thought);
    Heard { pieces, last }
}

pub fn request(messages: Vec<Message>) -> ModelRequest {
    ModelRequest {
        model: ModelRef { provider: "fake".to_owned(), model: "claude-or-gpt".to_owned() },
        system: SystemPrompt { stable: "You are a test.".to_owned(), changing: "It is today.".to_owned() },
        messages,
        tools: vec![tool("memory.search"), tool("bash")],
    }
}

pub fn hello() -> ModelRequest {
    request(vec![Message::user(vec![Block::text("hello")])])
}

pub fn tool(name: &str) -> ToolDefinition {
    ToolDefinition {
        name: name.to_owned(),
        description: format!("does {name}"),
        input_schema: json!({"type": "object", "properties": {"query": {"type": "string"}}}),
    }
}

pub fn call_id(number: u128) -> CallId {
    CallId::from(Uuid::from_u128(number))
}

/// A call with an id that says nothing, to compare with.
pub fn call(wire_id: &str, tool: &str, arguments: &str) -> Block {
    Block::Call(Call {
        id: call_id(0),
        wire_id: wire_id.to_owned(),
        tool: tool.to_owned(),
        arguments: arguments.to_owned(),
    })
}

/// Blocks with the ids of calls, which are new each time, taken out.
pub fn without_ids(mut blocks: Vec<Block>) -> Vec<Block> {
    for block in &mut blocks {
        if let Block::Call(call) = block {
            assert_ne!(call.id, call_id(0));
            call.id = call_id(0);
        }
    }
    blocks
}
