//! What other programs report: whoever knows an order's token hands something in, signed if the order asks for it, and
//! starts a run of it. The token in the address is all the proof there is, so no other is asked for.

use crate::{fault::Fault, gateway::Gateway, reading, routes::Route};
use axum::{
    Json,
    body::Body,
    extract::{Path, State},
    http::{HeaderMap, StatusCode},
    response::{IntoResponse, Response},
};
use schemars::JsonSchema;
use serde::Serialize;
use tasks::{HookAnswer, HookRequest, MAX_HOOK_BYTES};

/// How long a sender is asked to wait when too much waits already.
const TRY_AGAIN_SECONDS: u64 = 30;

/// The headers that may carry a signature, and those that may name a delivery; the first one sent counts.
const SIGNATURES: [&str; 2] = ["x-steward-signature", "x-hub-signature-256"];
const NAMES: [&str; 3] = ["idempotency-key", "x-github-delivery", "webhook-id"];

pub(crate) fn routes() -> Vec<Route> {
    let does = "Takes what another program reports, and starts a run of the order that listens for it";
    vec![
        Route::post("/api/hooks/{token}", take).open().does(does).gives::<Taken>(),
        Route::any("/.well-known/workflow/v1/webhook/{token}", take).open().does(does).gives::<Taken>(),
    ]
}

/// It is taken.
#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Taken {
    task_id: String,
    run_id: String,
    /// Whether it was taken before.
    repeated: bool,
}

async fn take(
    State(gateway): State<Gateway>,
    Path(token): Path<String>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Fault> {
    let body = reading::read_up_to(&headers, body, MAX_HOOK_BYTES).await?;
    let first = |names: &[&str]| {
        let mut sent = names.iter().filter_map(|name| headers.get(*name));
        sent.next().map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned())
    };
    let request = HookRequest {
        signature: first(&SIGNATURES),
        timestamp: first(&["x-steward-timestamp"]),
        key: first(&NAMES),
        body: body.into(),
    };
    match gateway.orders().hooks().take(&token, request).await? {
        HookAnswer::Taken { task, turn, repeated } => {
            let taken = Taken { task_id: task.to_string(), run_id: turn.to_string(), repeated };
            Ok((StatusCode::ACCEPTED, Json(taken)).into_response())
        }
        refused => Err(fault(&refused)),
    }
}

fn fault(answer: &HookAnswer) -> Fault {
    let signature = |message: &str| Fault::new(StatusCode::UNAUTHORIZED, "bad_signature", message);
    match answer {
        HookAnswer::Taken { .. } | HookAnswer::Unknown => Fault::not_found("no order listens for this hook"),
        HookAnswer::Ended => Fault::new(StatusCode::GONE, "ended", "the order that listened here is over"),
        HookAnswer::BadSignature => signature(
            "this must be signed: send `X-Steward-Signature: sha256=…`, the HMAC-SHA256 of the body under the secret",
        ),
        HookAnswer::TooOld => signature(
            "`X-Steward-Timestamp` is more than 5 minutes off: send the seconds since 1970, and sign them",
        ),
        HookAnswer::Replayed => Fault::conflict("replayed", "this very delivery was taken before"),
        HookAnswer::KeyReused => {
            Fault::conflict("key_reused", "this name was used for something else before: give a new one")
        }
        HookAnswer::BadKey => Fault::bad_request("the name of a delivery has 1 to 200 bytes"),
        HookAnswer::TooLarge => {
            Fault::too_large(format!("the body is larger than {} kB", MAX_HOOK_BYTES >> 10))
        }
        HookAnswer::NotText => Fault::bad_request("the body must be text, such as JSON, in UTF-8"),
        HookAnswer::QueueFull { limit } => {
            let message = format!("{limit} deliveries wait already: send this again later");
            let fault = Fault::new(StatusCode::TOO_MANY_REQUESTS, "queue_full", message);
            Fault { retry_after: Some(TRY_AGAIN_SECONDS), ..fault }
        }
    }
}
