//! The door for programs that speak OpenAI's Chat Completions: they bring the whole conversation every time.

mod chunks;
mod reading;

use crate::{
    asking::{Asking, Ended, Question, fault_of},
    fault::Fault,
    gateway::Gateway,
    reading::Input,
    routes::Route,
};
use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use chunks::Chunks;
use jiff::Timestamp;
use protocol::{Block, Message, SessionKey, StopReason, TurnId, Usage};
use reading::Said;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};

/// The model that stands for whichever is configured.
const DEFAULT_MODEL: &str = "steward";

/// How much of a conversation's hash names it, in bytes.
const NAME_BYTES: usize = 16;

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::post("/v1/chat/completions", complete)
            .does("OpenAI's Chat Completions: the assistant, with its own tools, answers as a model would")
            .takes::<Request>()
            .gives_or_streams::<Completion>(),
        Route::get("/v1/models", models).does("The models that can be asked").gives::<Models>(),
    ]
}

/// What OpenAI's clients send. What is not listed here is ignored.
#[derive(Deserialize, JsonSchema)]
struct Request {
    /// `steward`, or `provider/model`.
    model: Option<String>,
    /// The conversation; its last message is the user's.
    messages: Vec<Said>,
    /// Whether to answer in pieces as they come.
    #[serde(default)]
    stream: Option<bool>,
    stream_options: Option<StreamOptions>,
    /// Not taken: bring tools to `POST /v1/sessions`.
    tools: Option<Vec<Value>>,
    /// At most 1.
    n: Option<u32>,
}

#[derive(Deserialize, JsonSchema)]
struct StreamOptions {
    /// Whether the last piece tells what it cost.
    #[serde(default)]
    include_usage: Option<bool>,
}

/// The answer.
#[derive(Serialize, JsonSchema)]
struct Completion {
    id: String,
    object: &'static str,
    created: i64,
    model: String,
    choices: Vec<Choice>,
    usage: Tokens,
}

#[derive(Serialize, JsonSchema)]
struct Choice {
    index: u32,
    message: Answer,
    /// `stop` or `length`.
    finish_reason: &'static str,
}

#[derive(Serialize, JsonSchema)]
struct Answer {
    role: &'static str,
    content: String,
}

/// What it cost.
#[derive(Serialize, JsonSchema)]
struct Tokens {
    prompt_tokens: u64,
    completion_tokens: u64,
    total_tokens: u64,
    prompt_tokens_details: PromptTokens,
}

#[derive(Serialize, JsonSchema)]
struct PromptTokens {
    cached_tokens: u64,
}

impl From<Usage> for Tokens {
    fn from(usage: Usage) -> Self {
        let prompt = usage.input_tokens + usage.cache_read_tokens + usage.cache_write_tokens;
        Self {
            prompt_tokens: prompt,
            completion_tokens: usage.output_tokens,
            total_tokens: prompt + usage.output_tokens,
            prompt_tokens_details: PromptTokens { cached_tokens: usage.cache_read_tokens },
        }
    }
}

/// What every piece of one answer begins with.
struct Head {
    id: String,
    created: i64,
    model: String,
}

impl Head {
    fn new(turn: TurnId, model: Option<String>) -> Self {
        let model = model.unwrap_or_else(|| DEFAULT_MODEL.to_owned());
        Self { id: format!("chatcmpl-{turn}"), created: Timestamp::now().as_second(), model }
    }
}

async fn complete(
    State(gateway): State<Gateway>,
    headers: HeaderMap,
    Input(request): Input<Request>,
) -> Result<Response, Fault> {
    refuse_what_is_not_done(&request)?;
    let model = request.model.filter(|model| model != DEFAULT_MODEL);
    if let Some(model) = &model {
        let missing = |why| {
            let message = format!("The model `{model}` does not exist or cannot be used: {why}");
            Fault::new(StatusCode::NOT_FOUND, "model_not_found", message)
        };
        gateway.backstage().check_model(model).map_err(missing)?;
    }
    let conversation = reading::conversation(request.messages)?;
    let session = session_of(&conversation.opening)?;
    let mut history = conversation.earlier;
    if history.is_empty() && gateway.store().view().session(&session).await?.is_some() {
        // It begins anew with words that were used before: what followed on them then must not be brought up.
        history.push(Message::user(Vec::new()));
    }
    let name = headers.get("idempotency-key").map(|key| key.to_str().map(str::to_owned));
    let name = name.transpose().map_err(|_| Fault::bad_request("Idempotency-Key must be plain text"))?;
    let content = conversation.latest;
    let question = Question { source: "chat", session, name, content, history, model: model.clone() };
    let asking = Asking::begin(&gateway, question).await?;
    let head = Head::new(asking.turn, model);
    if request.stream.unwrap_or_default() {
        let include_usage =
            request.stream_options.and_then(|options| options.include_usage).unwrap_or_default();
        let dialect = Chunks::new(asking.turn, head, include_usage);
        return Ok(asking.stream(&gateway, dialect));
    }
    let ended = asking.end(&gateway).await?;
    completion(head, ended).map(|completion| Json(completion).into_response())
}

fn refuse_what_is_not_done(request: &Request) -> Result<(), Fault> {
    if request.tools.as_ref().is_some_and(|tools| !tools.is_empty()) {
        let message = "`tools` are not taken here, the assistant uses its own; \
                       a client that runs tools itself declares them with POST /v1/sessions and talks over /v1/chat";
        return Err(Fault::bad_request(message));
    }
    if request.n.is_some_and(|n| n > 1) {
        return Err(Fault::bad_request("`n` can only be 1: ask again for another answer"));
    }
    Ok(())
}

/// One conversation is one session: it is known by what was said first.
fn session_of(opening: &[Block]) -> Result<SessionKey, Fault> {
    let text = Block::text_of(opening);
    let mut hash = Sha256::new_with_prefix(&text);
    if text.is_empty() {
        let shown = opening.iter().filter_map(|block| match block {
            Block::Attachment(attachment) => Some(&attachment.data),
            _ => None,
        });
        shown.for_each(|data| hash.update(data));
    }
    let name: String = hash.finalize().iter().take(NAME_BYTES).map(|byte| format!("{byte:02x}")).collect();
    SessionKey::new(format!("chat--{name}")).map_err(|error| Fault::bad_request(error.to_string()))
}

fn completion(head: Head, ended: Ended) -> Result<Completion, Fault> {
    if let Some(fault) = fault_of(&ended.outcome) {
        return Err(fault.with(json!({ "id": head.id, "text": ended.text })));
    }
    let message = Answer { role: "assistant", content: ended.text };
    Ok(Completion {
        id: head.id,
        object: "chat.completion",
        created: head.created,
        model: head.model,
        choices: vec![Choice { index: 0, message, finish_reason: finish_reason(ended.stop) }],
        usage: ended.usage.into(),
    })
}

fn finish_reason(stop: Option<StopReason>) -> &'static str {
    if stop == Some(StopReason::MaxTokens) { "length" } else { "stop" }
}

#[derive(Serialize, JsonSchema)]
struct Models {
    object: &'static str,
    data: Vec<Model>,
}

/// One model.
#[derive(Serialize, JsonSchema)]
struct Model {
    id: String,
    object: &'static str,
    created: i64,
    owned_by: String,
}

async fn models(State(gateway): State<Gateway>) -> Json<Models> {
    let started = Timestamp::now().as_millisecond() - i64::try_from(gateway.uptime_ms()).unwrap_or_default();
    let known = std::iter::once(DEFAULT_MODEL.to_owned()).chain(gateway.backstage().models());
    let data = known.map(|id| {
        let owned_by = id.split('/').next().unwrap_or_default().to_owned();
        Model { id, object: "model", created: started / 1000, owned_by }
    });
    Json(Models { object: "list", data: data.collect() })
}
