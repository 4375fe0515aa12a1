//! One request carried to a provider: the key is checked, the request sent and, until the first byte of an
//! answer has arrived, sent again when that can help. Reading the answer is for `reading`, words for what went
//! wrong for `failure`.

use crate::{
    client::Clients,
    dialect::{self, WireRequest},
    failure::{Peer, Setback},
    models::failed,
    reading::Reading,
    request::ModelRequest,
    retry,
    settings::{ModelTiming, ProviderSettings},
    stream::ModelStream,
};
use bytes::Bytes;
use futures::StreamExt;
use jiff::Timestamp;
use protocol::ModelError;
use reqwest::{
    Client, Response,
    header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue},
};
use secrecy::ExposeSecret;
use std::{sync::Arc, time::Duration};
use url::Url;

/// How much of an error's body is read: enough for every provider's words, too little to hurt.
const MAX_ERROR_BODY_BYTES: usize = 64 * 1024;

/// How long an error's body may take: the status alone says most of it.
const ERROR_BODY_TIMEOUT: Duration = Duration::from_secs(5);

/// A request and everything needed to carry it.
pub(crate) struct Exchange {
    /// What is asked.
    pub(crate) request: ModelRequest,
    /// Who is asked.
    pub(crate) provider: Arc<ProviderSettings>,
    /// How patiently.
    pub(crate) timing: ModelTiming,
    /// What to connect with.
    pub(crate) clients: Clients,
}

/// Starts the exchange; nothing is sent before the stream is polled.
pub(crate) fn start(exchange: Exchange) -> ModelStream {
    Box::pin(futures::stream::once(open(exchange)).flatten())
}

async fn open(exchange: Exchange) -> ModelStream {
    let peer = Peer::new(Arc::clone(&exchange.provider), exchange.request.model.model.clone());
    let letter = match Letter::new(&exchange, &peer) {
        Ok(letter) => letter,
        Err(error) => return failed(error),
    };
    let mut retries_made = 0;
    loop {
        let setback = match letter.send(&peer, exchange.timing.idle_timeout).await {
            Ok((response, first)) => {
                let decoder = dialect::decoder(&exchange.provider, &exchange.request);
                return Reading::new(response, first, decoder, peer, exchange.timing.idle_timeout)
                    .into_stream();
            }
            Err(setback) => setback,
        };
        let Some(pause) = retry::pause(&exchange.timing, retries_made, setback.again, rand::random()) else {
            return failed(setback.error);
        };
        retries_made += 1;
        tracing::debug!(provider = %exchange.provider.name, retries_made, ?pause, error = %setback.error, "asking again");
        tokio::time::sleep(pause).await;
    }
}

/// A request ready to be sent any number of times.
struct Letter {
    client: Client,
    url: Url,
    headers: HeaderMap,
    body: Bytes,
}

impl Letter {
    fn new(exchange: &Exchange, peer: &Peer) -> Result<Self, ModelError> {
        let base = peer.base_url()?;
        if exchange.provider.credential.is_none() && peer.needs_key(&base) {
            return Err(peer.key_missing());
        }
        let wire = dialect::encode(&exchange.provider, &exchange.request);
        let text = format!("{}{}", base.as_str().trim_end_matches('/'), wire.path);
        let url = Url::parse(&text).map_err(|_| peer.bad_base_url())?;
        let headers = headers(&exchange.provider, &wire, peer)?;
        let body = serde_json::to_vec(&wire.body).map_err(|error| peer.not_sent(&error))?;
        let client = exchange.clients.for_url(&url).map_err(|error| peer.no_client(&error))?;
        Ok(Self { client, url, headers, body: Bytes::from(body) })
    }

    /// Sends it once and waits for the first bytes of an answer.
    async fn send(&self, peer: &Peer, idle_timeout: Duration) -> Result<(Response, Bytes), Setback> {
        let request =
            self.client.post(self.url.clone()).headers(self.headers.clone()).body(self.body.clone()).send();
        let mut response = tokio::time::timeout(idle_timeout, request)
            .await
            .map_err(|_| peer.silent(idle_timeout))?
            .map_err(|error| peer.unreachable(&error))?;
        if !response.status().is_success() {
            let after = retry::retry_after(response.headers(), Timestamp::now());
            let body = error_body(&mut response).await;
            return Err(peer.turned_away(response.status(), after, &body));
        }
        if !may_be_event_stream(&response) {
            let body = error_body(&mut response).await;
            return Err(peer.not_a_stream(&body));
        }
        match tokio::time::timeout(idle_timeout, response.chunk()).await {
            Err(_elapsed) => Err(peer.silent(idle_timeout).into()),
            Ok(Err(error)) => Err(peer.unreachable(&error)),
            Ok(Ok(None)) => Err(peer.empty()),
            Ok(Ok(Some(first))) => Ok((response, first)),
        }
    }
}

fn headers(provider: &ProviderSettings, wire: &WireRequest, peer: &Peer) -> Result<HeaderMap, ModelError> {
    let mut headers = HeaderMap::new();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
    for (name, value) in wire.headers {
        headers.insert(HeaderName::from_static(name), HeaderValue::from_static(value));
    }
    if let Some(credential) = &provider.credential {
        let (name, before) = wire.key_header;
        let text = format!("{before}{}", credential.secret.expose_secret().trim());
        let mut value = HeaderValue::try_from(text).map_err(|_| peer.key_malformed(credential))?;
        value.set_sensitive(true);
        headers.insert(HeaderName::from_static(name), value);
    }
    Ok(headers)
}

/// Servers that answer a stream request with a document have not understood it.
fn may_be_event_stream(response: &Response) -> bool {
    let content_type = response.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let content_type = content_type.unwrap_or_default().to_ascii_lowercase();
    !content_type.starts_with("application/json") && !content_type.starts_with("text/html")
}

/// What can be read of an error's body in time.
async fn error_body(response: &mut Response) -> String {
    let mut body = Vec::new();
    let read = async {
        while let Ok(Some(chunk)) = response.chunk().await {
            body.extend_from_slice(&chunk);
            if body.len() >= MAX_ERROR_BODY_BYTES {
                break;
            }
        }
    };
    if tokio::time::timeout(ERROR_BODY_TIMEOUT, read).await.is_err() {
        tracing::debug!("the body of an error response did not end in time");
    }
    body.truncate(MAX_ERROR_BODY_BYTES);
    String::from_utf8_lossy(&body).into_owned()
}
