//! The WebSocket door: requests, answers and pushes as JSON texts, over a WebSocket or in memory.
//!
//! Reading order: `door` brings texts in and out over a real socket; `entrance` signs a client in; `conversation`
//! answers its requests one after the other while `pushes` tells it what happens; `methods` are what can be
//! asked; `frames` are how all of it is written. docs/protocol.md is the same for those who build clients.

mod changes;
mod conversation;
pub(crate) mod door;
mod entrance;
mod frames;
mod methods;
mod pushes;

use crate::gateway::Gateway;
use futures::Stream;
use std::{future, time::Duration};
use tokio::sync::{OwnedSemaphorePermit, mpsc, watch};

pub use frames::reread;

/// How many texts may wait in either direction. Whoever is slower than that is waited for.
const QUEUE: usize = 16;

/// How long a client may leave what is ready for it before it is told to come back.
const PATIENCE: Duration = Duration::from_secs(5);

/// A client in the same process, signed in. Dropping either end ends it.
pub struct Connection {
    /// Takes requests, one JSON text each.
    pub send: mpsc::Sender<String>,
    /// Gives answers and pushes, one JSON text each; `None` when it is over.
    pub receive: mpsc::Receiver<String>,
}

impl Gateway {
    /// Talks to a client in the same process as to one on a socket, without a token: whoever can call this is
    /// the owner's own program. Must be called within a runtime.
    pub fn connect(&self) -> Connection {
        let (send, requests) = mpsc::channel(QUEUE);
        let (queue, receive) = mpsc::channel(QUEUE);
        let gateway = self.clone();
        self.sockets().spawn(async move {
            let texts = futures::stream::unfold(requests, |mut requests| async move {
                let text = requests.recv().await?;
                Some((Incoming::Text(text), requests))
            });
            let mut texts = Box::pin(texts);
            talk(&gateway, &mut texts, &Outbox(queue), None).await;
        });
        Connection { send, receive }
    }
}

/// What a client sends, whatever it travels by.
enum Incoming {
    Text(String),
    Binary,
    /// What cannot be read; nothing follows.
    Broken(Ended),
}

/// Texts on their way to a client.
struct Outbox(mpsc::Sender<String>);

impl Outbox {
    async fn send(&self, text: String) -> Result<(), Ended> {
        match tokio::time::timeout(PATIENCE, self.0.send(text)).await {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(Ended::Gone),
            Err(_) => Err(Ended::Lagged),
        }
    }
}

/// Why a conversation is over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ended {
    /// The client left.
    Gone,
    /// Steward stops.
    Stopped,
    /// The token was replaced.
    TokenReplaced,
    /// The client did not show what it takes to come in.
    Refused,
    /// The client did not sign in soon enough.
    Silent,
    /// The client does not take what is sent to it.
    Lagged,
    /// A message beyond what is read at all.
    TooLarge,
    /// Bytes that are no WebSocket message.
    Garbled,
    /// The log cannot be read.
    Broken,
}

impl Ended {
    /// The close code and the reason; none if there is nobody to tell.
    fn close(self) -> Option<(u16, &'static str)> {
        Some(match self {
            Ended::Gone => return None,
            Ended::Stopped => (1001, "Steward stops"),
            Ended::TokenReplaced => (4401, "the token was replaced"),
            Ended::Refused => (4401, "not signed in"),
            Ended::Silent => (4408, "no auth frame within 5 seconds"),
            Ended::Lagged => (4413, "too slow; come back with events.subscribe"),
            Ended::TooLarge => (1009, "the message is too large"),
            Ended::Garbled => (1002, "this is no WebSocket message"),
            Ended::Broken => (1011, "the log cannot be read"),
        })
    }
}

/// Somebody at the door who is not signed in.
struct Visitor {
    /// What the upgrade request already proved.
    access: Option<crate::guard::Access>,
    /// Moves when that counts no more.
    rotations: watch::Receiver<u64>,
    /// Room at the entrance, given back by signing in.
    room: OwnedSemaphorePermit,
}

/// Talks to one client until it is over. A client without a `Visitor` is signed in already, and stays so.
async fn talk(
    gateway: &Gateway,
    incoming: &mut (impl Stream<Item = Incoming> + Unpin),
    outbox: &Outbox,
    visitor: Option<Visitor>,
) -> Ended {
    let mut rotations = visitor.as_ref().map(|visitor| visitor.rotations.clone());
    let token_replaced = async {
        match &mut rotations {
            // An error only says that the gate is gone, and with it the token.
            Some(rotations) => rotations.changed().await.unwrap_or_default(),
            None => future::pending().await,
        }
    };
    let talking = async {
        if let Some(visitor) = visitor
            && let Err(ended) = entrance::sign_in(gateway, incoming, outbox, visitor).await
        {
            return ended;
        }
        conversation::run(gateway, incoming, outbox).await
    };
    tokio::select! {
        biased;
        () = gateway.stop().cancelled() => Ended::Stopped,
        () = token_replaced => Ended::TokenReplaced,
        () = outbox.0.closed() => Ended::Gone,
        ended = talking => ended,
    }
}
