//! Talking at the desk: one message and its answer, and a conversation's whole stream.

use super::{events::DeskEvents, known};
use crate::{
    asking::{Asking, Question, fault_of, settled},
    doors::parts,
    fault::Fault,
    gateway::Gateway,
    reading::{Asked, Input},
    routes::Route,
    sse::{self, Place},
};
use axum::{
    Json,
    extract::State,
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use protocol::{Block, Fact, Usage};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(super) fn routes() -> Vec<Route> {
    vec![
        Route::post("/v1/chat", chat)
            .does("Says something; answers with events or, without `stream`, once at the end")
            .takes::<Chat>()
            .gives_or_streams::<Answer>(),
        Route::get("/v1/stream", stream)
            .does("A conversation's events, from the turn under way or from Last-Event-ID on")
            .asks::<Following>()
            .streams(),
    ]
}

/// What the user says.
#[derive(Deserialize, JsonSchema)]
struct Chat {
    general_session_id: String,
    /// `general`.
    mode: Option<String>,
    message: Said,
    /// Whether to answer with events as they come.
    #[serde(default)]
    stream: bool,
    /// The client's own name for the message; sent twice, it is one turn.
    client_message_id: Option<String>,
    /// The model to use, `provider/model`.
    model: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
struct Said {
    parts: Vec<Part>,
}

/// A piece of a message.
#[derive(Deserialize, JsonSchema)]
struct Part {
    /// `text`, or `image`.
    r#type: String,
    /// The text.
    text: Option<String>,
    /// The picture's type, such as `image/png`.
    mime_type: Option<String>,
    /// The picture, base64-encoded.
    data: Option<String>,
}

/// The answer.
#[derive(Serialize, JsonSchema)]
struct Answer {
    assistant: Speech,
    /// The turn that gave it.
    run_id: String,
    usage: Tokens,
}

#[derive(Serialize, JsonSchema)]
struct Speech {
    parts: Vec<TextPart>,
}

#[derive(Serialize, JsonSchema)]
struct TextPart {
    r#type: &'static str,
    text: String,
}

/// What it cost.
#[derive(Serialize, JsonSchema)]
struct Tokens {
    input_tokens: u64,
    output_tokens: u64,
    cache_read_tokens: u64,
    cache_write_tokens: u64,
}

impl From<Usage> for Tokens {
    fn from(usage: Usage) -> Self {
        let Usage { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens } = usage;
        Self { input_tokens, output_tokens, cache_read_tokens, cache_write_tokens }
    }
}

async fn chat(
    State(gateway): State<Gateway>,
    headers: HeaderMap,
    Input(chat): Input<Chat>,
) -> Result<Response, Fault> {
    let from = Place::of(&headers, None)?;
    let content = chat.message.parts.into_iter().map(block).collect::<Result<Vec<_>, _>>()?;
    parts::check_said(&content)?;
    if chat.mode.is_some_and(|mode| mode != "general") {
        return Err(Fault::bad_request("the only `mode` is `general`"));
    }
    let session = known(&gateway, chat.general_session_id).await?;
    if let Some(model) = &chat.model {
        gateway.backstage().check_model(model).map_err(Fault::bad_request)?;
    }
    let question = Question {
        source: "desktop",
        session: session.clone(),
        name: chat.client_message_id,
        content,
        history: Vec::new(),
        model: chat.model,
    };
    let asking = Asking::begin(&gateway, question).await?;
    if !chat.stream {
        return answer(&gateway, asking).await.map(IntoResponse::into_response);
    }
    let turn = Some(asking.turn);
    let Some(place) = from.filter(|_| !asking.before.is_empty()) else {
        let dialect = DeskEvents::new(turn, settled(&asking.before));
        return Ok(asking.stream(&gateway, dialect));
    };
    let end = asking.before.last().filter(|event| matches!(event.fact, Fact::TurnFinished { .. }));
    if end.is_some_and(|end| end.seq <= place.since()) {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    sse::follow(&gateway, &session, Some(place), DeskEvents::new(turn, Default::default())).await
}

fn block(part: Part) -> Result<Block, Fault> {
    match (part.r#type.as_str(), part.text, part.mime_type, part.data) {
        ("text", Some(text), ..) => Ok(Block::text(text)),
        ("text", None, ..) => Err(Fault::bad_request("a part of type `text` needs `text`")),
        ("image", _, Some(mime_type), Some(data)) => parts::image(&mime_type, &data),
        ("image", ..) => Err(Fault::bad_request("a part of type `image` needs `mime_type` and `data`")),
        (other, ..) => {
            Err(Fault::bad_request(format!("parts of type {other:?} are not known; send `text` or `image`")))
        }
    }
}

async fn answer(gateway: &Gateway, asking: Asking) -> Result<Json<Answer>, Fault> {
    let run_id = asking.turn.to_string();
    let ended = asking.end(gateway).await?;
    if let Some(fault) = fault_of(&ended.outcome) {
        return Err(fault.with(serde_json::json!({ "run_id": run_id, "text": ended.text })));
    }
    let parts = vec![TextPart { r#type: "text", text: ended.text }];
    Ok(Json(Answer { assistant: Speech { parts }, run_id, usage: ended.usage.into() }))
}

#[derive(Deserialize, JsonSchema)]
struct Following {
    general_session_id: String,
    /// As the header of that name.
    last_event_id: Option<String>,
}

async fn stream(
    State(gateway): State<Gateway>,
    Asked(from): Asked<Following>,
    headers: HeaderMap,
) -> Result<Response, Fault> {
    let place = Place::of(&headers, from.last_event_id.as_deref())?;
    let session = known(&gateway, from.general_session_id).await?;
    let (place, settled) = match place {
        Some(place) => (place, Default::default()),
        None => {
            // Whoever comes fresh is told the turn under way from its beginning: it may wait for this client.
            let view = gateway.store().view();
            let newest = view.newest().await?;
            let under_way = view.turn_under_way(&session, newest).await?;
            let since = under_way.first().map_or(newest, |event| event.seq.saturating_sub(1));
            (Place::after(since), settled(&under_way))
        }
    };
    sse::follow(&gateway, &session, Some(place), DeskEvents::new(None, settled)).await
}
