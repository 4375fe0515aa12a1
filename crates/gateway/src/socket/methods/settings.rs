//! Which model is asked, and with which key.

use super::failed;
use crate::{NewKey, NotDone, fault::Fault, gateway::Gateway};
use serde::Deserialize;
use serde_json::{Value, json};

#[derive(Deserialize)]
pub(super) struct Choice {
    model: String,
}

pub(super) async fn set_model(gateway: &Gateway, Choice { model }: Choice) -> Result<Value, Fault> {
    let model = gateway.backstage().set_model(&model).await.map_err(not_done)?;
    Ok(json!({ "ok": true, "model": model }))
}

/// Not to be logged.
#[derive(Deserialize)]
pub(super) struct Key {
    provider: String,
    key: String,
    model: Option<String>,
}

pub(super) async fn try_key(gateway: &Gateway, key: Key, keep: bool) -> Result<Value, Fault> {
    let Key { provider, key, model } = key;
    let model = gateway.backstage().try_key(NewKey { provider, key, model }, keep).await.map_err(not_done)?;
    Ok(json!({ "ok": true, "model": model }))
}

fn not_done(why: NotDone) -> Fault {
    match why {
        NotDone::Mistake(why) => Fault::bad_request(why),
        NotDone::Trouble(why) => failed(why),
    }
}
