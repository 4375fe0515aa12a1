//! Reads what clients send, within limits: size, depth, time. Whatever is wrong with it is said in the envelope.

use crate::fault::Fault;
use axum::{
    body::Body,
    extract::{FromRequest, FromRequestParts, Query, Request, rejection::QueryRejection},
    http::{HeaderMap, StatusCode, header, request::Parts},
};
use serde::de::DeserializeOwned;
use std::time::Duration;

/// The largest body taken: room for a long text or a few pictures.
pub(crate) const MAX_BODY_BYTES: usize = 8 << 20;

/// How long a body may take to arrive.
const BODY_PATIENCE: Duration = Duration::from_secs(15);

/// A JSON body.
pub(crate) struct Input<T>(pub T);

impl<S: Sync, T: DeserializeOwned> FromRequest<S> for Input<T> {
    type Rejection = Fault;

    async fn from_request(request: Request, _: &S) -> Result<Self, Fault> {
        let (parts, body) = request.into_parts();
        check_type(&parts.headers)?;
        let bytes = read(&parts.headers, body).await?;
        parse(&bytes).map(Input)
    }
}

fn check_type(headers: &HeaderMap) -> Result<(), Fault> {
    let Some(given) = headers.get(header::CONTENT_TYPE) else { return Ok(()) };
    let essence = given.to_str().unwrap_or_default().split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    let message = "the body must be JSON: send `Content-Type: application/json`";
    Err(Fault::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", message))
}

/// The whole body, if it is not too large and does not take too long.
pub(crate) async fn read(headers: &HeaderMap, body: Body) -> Result<bytes::Bytes, Fault> {
    read_up_to(headers, body, MAX_BODY_BYTES).await
}

/// The same for doors that take less.
pub(crate) async fn read_up_to(headers: &HeaderMap, body: Body, most: usize) -> Result<bytes::Bytes, Fault> {
    let told = headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
    if told.is_some_and(|length: usize| length > most) {
        return Err(too_large(most));
    }
    let reading = axum::body::to_bytes(body, most);
    match tokio::time::timeout(BODY_PATIENCE, reading).await {
        Ok(Ok(bytes)) => Ok(bytes),
        Ok(Err(error)) if error.to_string().contains("length limit") => Err(too_large(most)),
        Ok(Err(_)) => Err(Fault::bad_request("the body did not arrive whole")),
        Err(_) => {
            let message = "the body took too long to arrive";
            Err(Fault::new(StatusCode::REQUEST_TIMEOUT, "timeout", message))
        }
    }
}

fn parse<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Fault> {
    let mut body = serde_json::Deserializer::from_slice(bytes);
    let value = serde_path_to_error::deserialize(&mut body).map_err(|error| wrong("the body is", error))?;
    body.end().map_err(|error| Fault::bad_request(format!("the body is not right: {error}")))?;
    Ok(value)
}

/// What is wrong with something that was read; names the field.
pub(crate) fn wrong(what: &str, error: serde_path_to_error::Error<serde_json::Error>) -> Fault {
    let path = error.path().to_string();
    let place = if path == "." { String::new() } else { format!("`{path}`: ") };
    Fault::bad_request(format!("{what} not right: {place}{}", error.into_inner()))
}

fn too_large(most: usize) -> Fault {
    let limit = if most < 1 << 20 { format!("{} kB", most >> 10) } else { format!("{} MiB", most >> 20) };
    Fault::too_large(format!("the body is larger than {limit}"))
}

/// The query of a URL.
pub(crate) struct Asked<T>(pub T);

impl<S: Sync + Send, T: DeserializeOwned> FromRequestParts<S> for Asked<T> {
    type Rejection = Fault;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Fault> {
        let read: Result<Query<T>, QueryRejection> = Query::from_request_parts(parts, state).await;
        match read {
            Ok(Query(query)) => Ok(Self(query)),
            Err(error) => Err(Fault::bad_request(format!("the query is not right: {}", error.body_text()))),
        }
    }
}
