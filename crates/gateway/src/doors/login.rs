//! Signing in with a browser, and replacing the token.

use crate::{
    fault::Fault,
    gateway::Gateway,
    guard::{access, clear_cookie, refuse, set_cookie},
    reading::Input,
    routes::Route,
};
use axum::{
    Json,
    extract::{Path, State},
    http::{HeaderMap, StatusCode, header},
    response::{IntoResponse, Redirect, Response},
};
use protocol::Fact;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub(crate) fn routes() -> Vec<Route> {
    vec![
        Route::post("/login", by_token)
            .open()
            .does("Signs a browser in by the token")
            .takes::<Token>()
            .gives::<Done>(),
        Route::get("/login/{code}", by_link).open().does("Signs a browser in by a link that works once"),
        Route::post("/logout", leave).open().does("Signs a browser out").gives::<Done>(),
        Route::post("/api/login-links", make_link).does("Makes a link that signs in once").gives::<Link>(),
        Route::post("/api/token/rotate", rotate)
            .does("Replaces the token; every client and browser must come in anew")
            .gives::<Token>(),
    ]
}

/// What clients show.
#[derive(Serialize, Deserialize, JsonSchema)]
struct Token {
    token: String,
}

/// It was done.
#[derive(Serialize, JsonSchema)]
struct Done {
    ok: bool,
}

/// A link that works once, for ten minutes.
#[derive(Serialize, JsonSchema)]
struct Link {
    url: String,
}

async fn by_token(State(gateway): State<Gateway>, Input(shown): Input<Token>) -> Result<Response, Fault> {
    if !gateway.gate().knows(&shown.token) {
        return Err(refuse(&gateway, "login", "a wrong token").await);
    }
    gateway.note(Fact::AuthAccepted { door: "page by token".into() }).await;
    Ok(([(header::SET_COOKIE, set_cookie(&gateway))], Json(Done { ok: true })).into_response())
}

async fn by_link(
    State(gateway): State<Gateway>,
    Path(code): Path<String>,
    headers: HeaderMap,
) -> Result<Response, Fault> {
    if !gateway.gate().use_link(&code) {
        // A browser that is signed in wants the page, whatever became of the link it came by.
        if access(&gateway, &headers).is_some() {
            return Ok(Redirect::to("/").into_response());
        }
        let fault = refuse(&gateway, "login link", "a used, old or wrong link").await;
        let message = "this link was used or is too old; `steward open` makes a new one";
        if fault.status != StatusCode::UNAUTHORIZED {
            return Err(fault);
        }
        // A person is brought to where they can sign in; a program is told.
        let accepts = headers.get(header::ACCEPT).and_then(|accepts| accepts.to_str().ok());
        return match accepts.is_some_and(|accepts| accepts.contains("text/html")) {
            true => Ok(Redirect::to("/?link=used").into_response()),
            false => Err(Fault { message: message.into(), ..fault }),
        };
    }
    gateway.note(Fact::AuthAccepted { door: "page by link".into() }).await;
    Ok(([(header::SET_COOKIE, set_cookie(&gateway))], Redirect::to("/")).into_response())
}

async fn leave() -> Response {
    ([(header::SET_COOKIE, clear_cookie())], Json(Done { ok: true })).into_response()
}

async fn make_link(State(gateway): State<Gateway>) -> Json<Link> {
    Json(Link { url: gateway.sign_in_link() })
}

async fn rotate(State(gateway): State<Gateway>) -> Result<Json<Token>, Fault> {
    let token = gateway.rotate().await.map_err(|why| Fault::conflict("token_fixed", why))?;
    Ok(Json(Token { token }))
}
