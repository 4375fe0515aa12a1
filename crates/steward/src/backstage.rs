//! What the doors need of this house: who is there, which models, what must stay secret, what is kept.

use crate::{home::Home, token, transcripts::Transcripts};
use agent::{Hands, Workbench};
use futures::future::BoxFuture;
use gateway::{AgentInfo, Backstage};
use models::{ModelRef, Models};
use policy::Redactor;
use protocol::ClientTool;
use std::sync::Arc;

/// The house as its doors know it.
pub(crate) struct BehindDoors {
    pub home: Home,
    pub models: Models,
    /// The model asked when nobody names one.
    pub model: ModelRef,
    /// Models that can be chosen, the default first.
    pub choices: Vec<String>,
    pub redactor: Arc<Redactor>,
    pub hands: Arc<Workbench>,
    pub transcripts: Transcripts,
    /// Where the owner set the token, if not in its file.
    pub token_set_in: Option<String>,
}

impl Backstage for BehindDoors {
    fn agents(&self) -> Vec<AgentInfo> {
        vec![AgentInfo {
            id: "assistant".into(),
            name: "Steward".into(),
            description: "The assistant that lives on this machine".into(),
            model: self.model.to_string(),
        }]
    }

    fn models(&self) -> Vec<String> {
        self.choices.clone()
    }

    fn check_model(&self, model: &str) -> Result<(), String> {
        let model: ModelRef = model.parse().map_err(|error: models::BadModelRef| error.to_string())?;
        self.models.check(&model).map_err(|error| error.message)
    }

    fn redact(&self, text: &str) -> String {
        self.redactor.redact(text).into_owned()
    }

    fn forget_rule(&self, rule: &str) {
        self.hands.forget(rule);
    }

    fn collides(&self, tool: &ClientTool) -> bool {
        self.hands.collides(tool)
    }

    fn rebuild_transcripts(&self) -> BoxFuture<'_, Result<usize, String>> {
        Box::pin(async { self.transcripts.rewrite().await.map_err(|error| error.to_string()) })
    }

    fn keep_token(&self, token: &str) -> Result<(), String> {
        match &self.token_set_in {
            Some(place) => Err(token::fixed(place)),
            None => token::keep(&self.home, token).map_err(|error| format!("{error:#}")),
        }
    }
}
