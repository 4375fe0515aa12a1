//! The real socket: upgrades a request, then carries texts in and out until either side ends it.

use super::{Ended, Incoming, Outbox, PATIENCE, QUEUE, Visitor, talk};
use crate::{fault::Fault, gateway::Gateway, guard, routes::Route};
use axum::{
    extract::{
        State, WebSocketUpgrade,
        ws::{CloseFrame, Message, WebSocket, rejection::WebSocketUpgradeRejection},
    },
    http::{HeaderMap, StatusCode},
    response::Response,
};
use futures::{
    Sink, SinkExt, Stream, StreamExt,
    stream::{SplitSink, SplitStream},
};
use std::{pin::pin, time::Duration};
use tokio::{sync::mpsc, time::timeout};

/// The largest message read at all; what is larger than a frame may be is refused without losing the socket.
const MAX_MESSAGE_BYTES: usize = 16 << 20;

/// How often a silent client is asked whether it is still there.
const HEARTBEAT: Duration = Duration::from_secs(15);

/// How long saying goodbye may take, each way.
const PARTING: Duration = Duration::from_secs(1);

pub(crate) fn routes() -> Vec<Route> {
    vec![Route::get("/ws", upgrade).open().does("The WebSocket door; docs/protocol.md describes its frames")]
}

async fn upgrade(
    State(gateway): State<Gateway>,
    headers: HeaderMap,
    upgrade: Result<WebSocketUpgrade, WebSocketUpgradeRejection>,
) -> Result<Response, Fault> {
    let upgrade = upgrade.map_err(|_| {
        let message = "this is the WebSocket door: connect to it with a WebSocket client";
        Fault::new(StatusCode::UPGRADE_REQUIRED, "upgrade_required", message)
    })?;
    let room = gateway.entrance().try_acquire_owned().map_err(|_| {
        let message = "too many clients are signing in at once; try again in a few seconds";
        Fault::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", message)
    })?;
    // Listened to before looking, so that a token replaced in between is noticed.
    let rotations = gateway.gate().rotations();
    let visitor = Visitor { access: guard::access(&gateway, &headers), rotations, room };
    let upgrade = upgrade.max_message_size(MAX_MESSAGE_BYTES).max_frame_size(MAX_MESSAGE_BYTES);
    Ok(upgrade.on_upgrade(move |socket| {
        let sockets = gateway.sockets().clone();
        sockets.track_future(serve(gateway, socket, visitor))
    }))
}

async fn serve(gateway: Gateway, socket: WebSocket, visitor: Visitor) {
    let (sink, messages) = socket.split();
    let (queue, texts) = mpsc::channel(QUEUE);
    let mut incoming = pin!(read(messages));
    let mut writing = pin!(write(sink, texts));
    let ended = {
        let outbox = Outbox(queue);
        tokio::select! {
            ended = talk(&gateway, &mut incoming, &outbox, Some(visitor)) => ended,
            _ = &mut writing => return,
        }
    };
    // What was said before is still sent, then why nothing follows. A peer that takes neither is left.
    let patience = if ended == Ended::Stopped { PARTING } else { PATIENCE };
    let Ok(Some(mut sink)) = timeout(patience, writing).await else { return };
    let parting = async {
        if let Some((code, reason)) = ended.close() {
            let frame = CloseFrame { code, reason: reason.into() };
            sink.send(Message::Close(Some(frame))).await?;
        }
        sink.close().await
    };
    if let Ok(Ok(())) = timeout(PARTING, parting).await {
        // Closing with unread bytes would reset the connection before the peer has read why.
        let drained = async { while incoming.next().await.is_some() {} };
        timeout(PARTING, drained).await.unwrap_or_default();
    }
}

fn read(messages: SplitStream<WebSocket>) -> impl Stream<Item = Incoming> {
    messages.filter_map(async |message| match message {
        Ok(Message::Text(text)) => Some(Incoming::Text(text.as_str().to_owned())),
        Ok(Message::Binary(_)) => Some(Incoming::Binary),
        Ok(Message::Ping(_) | Message::Pong(_) | Message::Close(_)) => None,
        Err(error) if error.to_string().contains("Space limit") => Some(Incoming::Broken(Ended::TooLarge)),
        Err(error) => {
            tracing::debug!(%error, "a socket cannot be read");
            Some(Incoming::Broken(Ended::Garbled))
        }
    })
}

/// Sends what is queued; gives the sink back when the queue has ended, nothing if it cannot be written to.
async fn write(
    mut sink: SplitSink<WebSocket, Message>,
    mut texts: mpsc::Receiver<String>,
) -> Option<impl Sink<Message, Error = axum::Error> + Unpin> {
    let mut heartbeat = tokio::time::interval(HEARTBEAT);
    heartbeat.reset();
    loop {
        let message = tokio::select! {
            text = texts.recv() => match text {
                Some(text) => Message::text(text),
                None => return Some(sink),
            },
            _ = heartbeat.tick() => Message::Ping(bytes::Bytes::new()),
        };
        heartbeat.reset();
        sink.send(message).await.ok()?;
    }
}
