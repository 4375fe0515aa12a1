//! Which models a server has, as it says itself. Servers on the owner's machine are found by it, so what goes wrong is
//! no news: there is just no list.

use crate::{client::Clients, settings::ProviderSettings};
use reqwest::Response;
use secrecy::ExposeSecret;
use serde_json::Value;
use url::Url;

/// How much of a list is read, and how many models are told of: more than anybody runs at home.
const MAX_BYTES: usize = 1024 * 1024;
const MAX_MODELS: usize = 200;

pub(crate) async fn ask(provider: &ProviderSettings, clients: &Clients) -> Option<Vec<String>> {
    let url = Url::parse(&format!("{}/models", provider.base_url.trim().trim_end_matches('/'))).ok()?;
    let mut request = clients.for_url(&url).ok()?.get(url);
    if let Some(credential) = &provider.credential {
        request = request.bearer_auth(credential.secret.expose_secret().trim());
    }
    let response = request.send().await.ok()?.error_for_status().ok()?;
    let listing: Value = serde_json::from_slice(&body(response).await?).ok()?;
    let names = listing["data"].as_array()?.iter().filter_map(|model| model["id"].as_str());
    Some(names.take(MAX_MODELS).map(str::to_owned).collect())
}

async fn body(mut response: Response) -> Option<Vec<u8>> {
    let mut body = Vec::new();
    while let Some(chunk) = response.chunk().await.ok()? {
        body.extend_from_slice(&chunk);
        if body.len() > MAX_BYTES {
            return None;
        }
    }
    Some(body)
}
