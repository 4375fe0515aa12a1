//! What the doors need of this house: who is there, which models, what must stay secret, what is kept.

use crate::{config::Settings, home::Home, providers::Providers, token, transcripts::Transcripts};
use agent::{Hands, ToolDescription, Workbench};
use futures::{FutureExt, future::BoxFuture};
use gateway::{
    AgentInfo, Backstage, Detected, LabelInfo, NewKey, NotDone, OwnerRules, PrimitiveInfo, ProviderInfo,
    SandboxInfo, SettingsInfo, ToolInfo, Toolbox,
};
use models::{Dialect, ModelRef, ProviderSettings};
use policy::{Redactor, Usually};
use protocol::{ClientTool, Usage};
use std::sync::Arc;

/// The house as its doors know it.
pub(crate) struct BehindDoors {
    pub home: Home,
    /// What the owner configured before the start.
    pub settings: Settings,
    pub providers: Arc<Providers>,
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
            model: self.providers.models.default_model().to_string(),
        }]
    }

    fn models(&self) -> Vec<String> {
        self.providers.choices()
    }

    fn check_model(&self, model: &str) -> Result<(), String> {
        let model: ModelRef = model.parse().map_err(|error: models::BadModelRef| error.to_string())?;
        self.providers.models.check(&model).map_err(|error| error.message)
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
        // Whoever asked may leave; files that are half written anew must not be left so.
        let transcripts = self.transcripts.clone();
        let rewriting = tokio::spawn(async move { transcripts.rewrite().await });
        Box::pin(async {
            let rewritten = rewriting.await.map_err(|error| error.to_string())?;
            rewritten.map_err(|error| error.to_string())
        })
    }

    fn keep_token(&self, token: &str) -> Result<(), String> {
        match &self.token_set_in {
            Some(place) => Err(token::fixed(place)),
            None => token::keep(&self.home, token).map_err(|error| format!("{error:#}")),
        }
    }
    fn toolbox(&self) -> BoxFuture<'_, Result<Toolbox, String>> {
        self.describe_tools().boxed()
    }

    fn cost(&self, model: &str, usage: &Usage) -> Option<f64> {
        self.settings.spending.prices.get(model).map(|price| price.of(usage))
    }

    fn settings(&self) -> SettingsInfo {
        let providers = &self.providers;
        SettingsInfo {
            version: env!("CARGO_PKG_VERSION").into(),
            home: self.home.root().display().to_string(),
            workspace: self.settings.workspace.display().to_string(),
            model: providers.models.default_model().to_string(),
            models: providers.choices(),
            preset: self.settings.policy.preset.name().into(),
            providers: providers.models.providers().iter().map(|it| provider_info(it)).collect(),
            needs_setup: providers.need_setup(),
        }
    }

    fn detect(&self) -> BoxFuture<'_, Detected> {
        self.find_models().boxed()
    }

    fn try_key(&self, key: NewKey, keep: bool) -> BoxFuture<'_, Result<String, NotDone>> {
        self.take_key(key, keep).boxed()
    }

    fn set_model(&self, model: &str) -> BoxFuture<'_, Result<String, NotDone>> {
        self.take_model(model.to_owned()).boxed()
    }
}

impl BehindDoors {
    async fn describe_tools(&self) -> Result<Toolbox, String> {
        let bench = self.hands.describe().await.ok_or("the tools could not be looked at")?;
        let policy = &self.settings.policy;
        let primitives = bench.primitives.into_iter().map(|primitive| PrimitiveInfo {
            name: primitive.name.into(),
            available: primitive.available,
            consequence: primitive.consequence,
        });
        Ok(Toolbox {
            preset: policy.preset.name().into(),
            sandbox: SandboxInfo { enabled: self.settings.sandbox.enabled, primitives: primitives.collect() },
            tools: bench.tools.into_iter().map(tool_info).collect(),
            rules: OwnerRules {
                allow: policy.allow.clone(),
                ask: policy.ask.clone(),
                deny: policy.deny.clone(),
                grants: policy.grants.clone(),
            },
        })
    }
}

fn tool_info(tool: ToolDescription) -> ToolInfo {
    let ToolDescription { definition, output_schema, labels, usually } = tool;
    let (usually, why) = match usually {
        Usually::Allow(why) => ("allow", why),
        Usually::Ask(why) => ("ask", why),
        Usually::Deny(why) => ("deny", why),
    };
    ToolInfo {
        name: definition.name,
        description: definition.description,
        input_schema: definition.input_schema,
        output_schema,
        labels: LabelInfo {
            brings_untrusted: labels.brings_untrusted,
            reads_private: labels.reads_private,
            acts_outside: labels.acts_outside,
            keeps: labels.keeps,
            idempotent: labels.idempotent,
        },
        usually,
        why,
    }
}

fn provider_info(provider: &ProviderSettings) -> ProviderInfo {
    ProviderInfo {
        name: provider.name.clone(),
        kind: match provider.dialect {
            Dialect::Anthropic => "anthropic",
            Dialect::OpenAi => "openai",
        },
        key_set: provider.credential.is_some(),
        key_source: provider.credential.as_ref().map(|credential| credential.source.clone()),
        base_url: provider.shown_url().unwrap_or_default(),
    }
}
