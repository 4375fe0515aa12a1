//! How a command gets to Steward: through the daemon if one runs, else in this process, alone with the home. The
//! same words either way; what they travel by is for `link` and `wire`, who is there for `reach`.

mod link;
mod reach;
mod wire;

pub(crate) use link::{LinkError, Refusal};
pub(crate) use reach::{Reached, post, reach};

use crate::{
    daemon,
    house::{self, Doors, House},
};
use link::Link;
use protocol::{ApprovalId, Decision, SessionKey, TurnId};
use serde_json::{Value, json};
use store::{FeedItem, View};
use wire::Place;

/// A way to Steward.
pub(crate) struct Client {
    /// The log, for reading.
    pub view: View,
    link: Link,
    /// The house, if it is in this process.
    house: Option<House>,
}

impl Client {
    /// Goes to the daemon, or opens the house in this process.
    pub async fn open() -> anyhow::Result<Self> {
        let (home, settings, environment) = house::enter()?;
        let lock = match reach(&home).await? {
            Reached::Daemon(_) => {
                let view = View::open(&home.database());
                let link = Link::to(Place::Daemon { home, environment }).await?;
                return Ok(Self { view, link, house: None });
            }
            Reached::Nobody(lock) => lock,
        };
        // Whoever left this is gone, and nobody may take it for ours.
        daemon::withdraw(&home)?;
        let mut house = House::open(&home, &settings, &environment, lock).await?;
        house.start();
        // Nobody listens, so nobody has to be told this token.
        let token = gateway::new_token();
        let doors = Doors { host: settings.gateway.host, port: 0, allowed_hosts: Vec::new(), token };
        let link = Link::to(Place::Inside(house.gateway(doors))).await?;
        Ok(Self { view: house.store.view().clone(), link, house: Some(house) })
    }

    /// Whether Steward ends with this command.
    pub fn is_alone(&self) -> bool {
        self.house.is_some()
    }

    /// Keeps the standing orders and the memory for as long as this command runs, unless a daemon does.
    pub fn stay(&mut self) {
        if let Some(house) = &mut self.house {
            house.stay();
        }
    }

    /// Follows a conversation from now on, and no other. Gives the last event before.
    pub async fn listen(&mut self, session: &SessionKey) -> Result<u64, LinkError> {
        self.link.listen(Some(session)).await
    }

    /// The next thing that happens in the conversation that is followed. Dropping the future loses nothing.
    pub async fn next(&mut self) -> Result<FeedItem, LinkError> {
        self.link.next().await
    }

    /// Says something. What it leads to is the turn it gives.
    pub async fn say(
        &mut self,
        session: &SessionKey,
        text: &str,
        model: Option<&str>,
    ) -> Result<TurnId, LinkError> {
        // The name makes it one message, however often it has to be sent.
        let name = uuid::Uuid::now_v7().to_string();
        let mut message =
            json!({ "sessionKey": session, "message": text, "clientMessageId": name, "client": "terminal" });
        if let Some(model) = model {
            message["model"] = model.into();
        }
        let taken = self.link.call("chat.send", message).await?;
        link::from(taken["runId"].clone())
    }

    /// Asks for something by the name it has at the door.
    pub async fn call(&mut self, method: &str, params: Value) -> Result<Value, LinkError> {
        self.link.call(method, params).await
    }

    /// Follows the whole log from now on, without what streams by.
    pub async fn listen_to_all(&mut self) -> Result<(), LinkError> {
        self.link.listen(None).await.map(drop)
    }

    /// Stops a turn.
    pub async fn abort(&mut self, turn: TurnId) -> Result<(), LinkError> {
        self.link.call("chat.abort", json!({ "runId": turn })).await.map(drop)
    }

    /// Gives the owner's word on calls of one screen.
    pub async fn decide(&mut self, approval: ApprovalId, decisions: &[Decision]) -> Result<(), LinkError> {
        let chosen: Vec<_> = decisions.iter().filter(|it| it.approved).map(|it| it.call).collect();
        let mut word = json!({ "approvalId": approval, "client": "terminal" });
        let mut tell = |name: &str, value: Option<Value>| {
            if let Some(value) = value {
                word[name] = value;
            }
        };
        let method = if chosen.is_empty() {
            tell("reason", decisions.iter().find_map(|it| it.reason.clone()).map(Value::from));
            "exec.deny"
        } else {
            tell("callIds", Some(json!(chosen)));
            tell("rule", decisions.iter().find_map(|it| it.rule.clone()).map(Value::from));
            "exec.approve"
        };
        self.link.call(method, word).await.map(drop)
    }

    /// Takes a rule back. Whether there was one.
    pub async fn remove_rule(&mut self, rule: &str) -> Result<bool, LinkError> {
        let removed = self.link.call("rules.remove", json!({ "rule": rule })).await?;
        Ok(removed["ok"] == true)
    }

    /// Writes all transcripts anew; how many files there are.
    pub async fn rebuild_transcripts(&mut self) -> Result<u64, LinkError> {
        let rebuilt = self.link.call("transcripts.rebuild", json!({})).await?;
        Ok(rebuilt["files"].as_u64().unwrap_or_default())
    }

    /// The model that is asked when nobody names one.
    pub async fn model(&mut self) -> Result<String, LinkError> {
        let agents = self.link.call("agents.list", json!({})).await?;
        Ok(agents["agents"][0]["model"].as_str().unwrap_or_default().to_owned())
    }

    /// Leaves; the house is closed if it was opened here.
    pub async fn close(self) -> anyhow::Result<()> {
        match self.house {
            Some(house) => house.close().await,
            None => Ok(()),
        }
    }
}
