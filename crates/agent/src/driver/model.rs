//! The model's part of a turn: what it is shown, and asking it.

use super::{Driver, Work};
use crate::{
    history::{self, Earlier},
    recall, thinking,
};
use protocol::{Block, Fact, Message, ModelError, ModelErrorKind, TriggerKind};
use store::{Durability, StoreError};
use turn::Effect;

impl Driver<'_> {
    pub(super) async fn ask_model(&mut self, attempt: u32) -> Result<Vec<Effect>, StoreError> {
        let default = || self.agent.models.default_model().to_string();
        let model = self.turn.model().map_or_else(default, str::to_owned);
        let mut facts = Vec::new();
        if !self.turn.brings_history() && self.turn.kept().is_none() && self.earlier().await?.full {
            facts.push(Fact::HistoryCut { kept: self.agent.settings.max_history_messages / 2 });
        }
        facts.push(Fact::ModelAsked { attempt, model: model.clone() });
        let mut effects = self.write(Durability::Flushed, facts).await?;
        if !self.turn.awaits_model() {
            return Ok(effects);
        }
        if let Some(stopped) = self.spent().await? {
            effects.extend(self.write(Durability::Flushed, vec![stopped]).await?);
            return Ok(effects);
        }
        let messages = self.messages().await?;
        let question = thinking::Question { at: self.at.clone(), attempt, model, messages };
        let agent = self.agent.clone();
        self.start(Work::Thinking, async move { vec![thinking::think(&agent, question).await] });
        Ok(effects)
    }

    /// How a standing order ends that has come to the owner's limit for today.
    async fn spent(&self) -> Result<Option<Fact>, StoreError> {
        if !self.turn.kind().is_background() {
            return Ok(None);
        }
        let reached = self.agent.spending.reached(self.agent.store.view(), &jiff::Zoned::now()).await?;
        Ok(reached.map(|reason| {
            let (kind, provider) = (ModelErrorKind::Overspent, "steward".to_owned());
            let error = ModelError { kind, provider, message: format!("It stopped: {reason}.") };
            Fact::ModelFailed { error, partial: Vec::new() }
        }))
    }

    /// What the model is shown: the conversation before, then this turn. What the owner was told meanwhile, notes that
    /// fit, and a word on what will leave the view stand beside what was said.
    async fn messages(&mut self) -> Result<Vec<Message>, StoreError> {
        if self.turn.brings_history() {
            return Ok(self.turn.messages().to_vec());
        }
        let notes = self.recall().await;
        let turn = self.turn.messages().to_vec();
        let kept = self.turn.kept();
        let earlier = self.earlier().await?;
        let mut messages = earlier.messages.clone();
        let said = messages.len();
        messages.extend(turn);
        if let Some(said) = messages.get_mut(said) {
            let cut = kept
                .map(|kept| include_str!("../prompts/cut.md").trim().replace("{kept}", &kept.to_string()));
            let beside = notes.into_iter().chain(cut).map(Block::text);
            // What was said comes last: it is what is to be answered.
            said.blocks.splice(0..0, earlier.notices.iter().cloned().chain(beside));
        }
        Ok(messages)
    }

    /// The notes that fit what the owner said.
    async fn recall(&mut self) -> Option<String> {
        if self.recalled.is_none() {
            let said = self.turn.messages().first().map(Message::text).unwrap_or_default();
            self.recalled = Some(match &self.agent.memory {
                Some(memory) if self.turn.kind() == TriggerKind::Message && !said.trim().is_empty() => {
                    recall::notes_for(memory, &said).await
                }
                _ => None,
            });
        }
        self.recalled.clone().flatten()
    }

    /// The conversation before this turn.
    pub(super) async fn earlier(&mut self) -> Result<&Earlier, StoreError> {
        let earlier = match self.earlier.take() {
            Some(earlier) => earlier,
            None => {
                let limit = self.agent.settings.max_history_messages;
                history::before(self.agent.store.view(), &self.at, self.began, limit).await?
            }
        };
        Ok(self.earlier.insert(earlier))
    }
}
