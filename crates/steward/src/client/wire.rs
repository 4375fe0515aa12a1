//! What texts travel by: a WebSocket to the daemon, or memory. Comes back to a daemon that was restarted.

use super::reach::ANSWER_PATIENCE;
use crate::{daemon, environment::Environment, home::Home, token};
use anyhow::Context;
use futures::{SinkExt, StreamExt};
use gateway::{Connection, Gateway};
use serde_json::{Value, json};
use std::time::{Duration, Instant};
use tokio::net::TcpStream;
use tokio_tungstenite::{
    WebSocketStream, client_async_with_config,
    tungstenite::{Message, protocol::WebSocketConfig},
};

/// How long is tried to come back to a daemon that does not answer.
const COMING_BACK: Duration = Duration::from_secs(60);

/// The pause after the first failure, and the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(5);

/// The codes a daemon closes with to have its client come back: the token was replaced; it read too slowly.
const COME_BACK: [u16; 2] = [4401, 4413];

/// Where Steward is.
#[derive(Clone)]
pub(super) enum Place {
    /// In this process.
    Inside(Gateway),
    /// In the daemon of this home.
    Daemon { home: Home, environment: Environment },
}

/// An open way to Steward, signed in.
pub(super) enum Wire {
    Inside(Connection),
    Daemon(Box<WebSocketStream<TcpStream>>),
}

/// Nothing more comes this way. Whether that is worth a word to the owner.
pub(super) struct Lost {
    pub unexpected: bool,
}

impl Wire {
    /// Sends a text. That it cannot be sent shows in what is received.
    pub async fn send(&mut self, text: String) {
        let sent = match self {
            Self::Inside(connection) => connection.send.send(text).await.is_ok(),
            Self::Daemon(socket) => socket.send(Message::text(text)).await.is_ok(),
        };
        if !sent {
            tracing::debug!("a request could not be sent");
        }
    }

    /// The next text. Dropping the future loses nothing.
    pub async fn receive(&mut self) -> Result<String, Lost> {
        let socket = match self {
            Self::Inside(connection) => {
                return connection.receive.recv().await.ok_or(Lost { unexpected: false });
            }
            Self::Daemon(socket) => socket,
        };
        loop {
            match socket.next().await {
                Some(Ok(Message::Text(text))) => return Ok(text.as_str().to_owned()),
                Some(Ok(Message::Close(why))) => {
                    let code = why.map_or(0, |why| why.code.into());
                    return Err(Lost { unexpected: !COME_BACK.contains(&code) });
                }
                Some(Ok(_)) => {}
                Some(Err(_)) | None => return Err(Lost { unexpected: true }),
            }
        }
    }
}

/// Goes there; a daemon gets a minute to come back.
pub(super) async fn arrive(place: &Place) -> anyhow::Result<Wire> {
    let (home, environment) = match place {
        Place::Inside(gateway) => return Ok(Wire::Inside(gateway.connect())),
        Place::Daemon { home, environment } => (home, environment),
    };
    let (began, mut pause) = (Instant::now(), FIRST_PAUSE);
    loop {
        let tried = tokio::time::timeout(ANSWER_PATIENCE, dial(home)).await;
        let failure = match tried.context("it takes too long").flatten() {
            Ok(socket) => return sign_in(socket, home, environment).await,
            Err(failure) => failure,
        };
        if began.elapsed() + pause > COMING_BACK {
            return Err(failure.context(
                "Steward is gone and did not come back within a minute; start it with `steward serve`. What was \
                 accepted is not lost",
            ));
        }
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}

async fn dial(home: &Home) -> anyhow::Result<WebSocketStream<TcpStream>> {
    let daemon = daemon::find(home).filter(|daemon| daemon.lives()).context("no daemon runs")?;
    let stream = TcpStream::connect(daemon.host()).await?;
    stream.set_nodelay(true)?;
    // The daemon is trusted; a long event is better than none.
    let config = WebSocketConfig::default().max_message_size(None).max_frame_size(None);
    let url = format!("ws://{}/ws", daemon.host());
    Ok(client_async_with_config(url, stream, Some(config)).await?.0)
}

async fn sign_in(
    mut socket: WebSocketStream<TcpStream>,
    home: &Home,
    environment: &Environment,
) -> anyhow::Result<Wire> {
    // Read anew each time: it may have been replaced.
    let token = token::find_or_make(home, environment)?;
    let shown = json!({ "type": "auth", "token": token.text });
    socket.send(Message::text(shown.to_string())).await.context("Steward does not listen")?;
    let mut wire = Wire::Daemon(Box::new(socket));
    let answer = tokio::time::timeout(ANSWER_PATIENCE, wire.receive()).await;
    let Ok(Ok(answer)) = answer else { anyhow::bail!("Steward does not answer") };
    let answer: Value = serde_json::from_str(&answer).context("Steward's answer makes no sense")?;
    if answer["ok"] == true {
        return Ok(wire);
    }
    let place = token.set_in.unwrap_or_else(|| home.token_file().display().to_string());
    let why = answer["error"]["message"].as_str().unwrap_or_default();
    anyhow::bail!("the running Steward does not take the token of {place}: {why}");
}
