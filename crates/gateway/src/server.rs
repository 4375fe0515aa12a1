//! Takes connections and gives each to the router, within limits: headers must come soon and be small, a peer
//! that takes nothing is dropped in the end, and a panic costs one answer.

use crate::fault::Fault;
use axum::{
    Router,
    extract::Request,
    http::StatusCode,
    middleware::Next,
    response::{IntoResponse, Response},
};
use futures::FutureExt;
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use std::{panic::AssertUnwindSafe, pin::pin, time::Duration};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// How long request headers may take to arrive.
const HEADER_PATIENCE: Duration = Duration::from_secs(10);

/// The most a connection buffers in either direction; headers must fit. A stalled reader costs no more.
const MAX_BUFFER: usize = 16 << 10;

/// What the kernel keeps for a peer that does not read, in bytes.
const MAX_UNREAD: usize = 32 << 10;

/// How long a peer may leave what was sent to it unread before the kernel drops it, in milliseconds.
const UNREAD_PATIENCE: u32 = 120_000;

/// How long connections may take to end once everything is to end.
pub(crate) const CLOSING_PATIENCE: Duration = Duration::from_secs(2);

/// Serves until `stop`.
pub(crate) async fn serve(listener: TcpListener, router: Router, stop: CancellationToken) {
    let connections = TaskTracker::new();
    loop {
        let accepted = tokio::select! {
            () = stop.cancelled() => break,
            accepted = listener.accept() => accepted,
        };
        match accepted {
            Ok((stream, _)) => {
                prepare(&stream);
                connections.spawn(connection(stream, router.clone(), stop.clone()));
            }
            Err(error) => {
                // Usually too many open files; those that are open go on, and some will end.
                tracing::warn!(%error, "cannot take a connection");
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
        }
    }
    connections.close();
    if tokio::time::timeout(CLOSING_PATIENCE, connections.wait()).await.is_err() {
        tracing::info!(left = connections.len(), "connections did not end in time");
    }
}

fn prepare(stream: &TcpStream) {
    use rustix::net::sockopt::{set_socket_send_buffer_size, set_tcp_nodelay, set_tcp_user_timeout};
    let set = set_tcp_nodelay(stream, true)
        .and_then(|()| set_tcp_user_timeout(stream, UNREAD_PATIENCE))
        .and_then(|()| set_socket_send_buffer_size(stream, MAX_UNREAD));
    if let Err(error) = set {
        tracing::debug!(%error, "cannot tune a connection");
    }
}

async fn connection(stream: TcpStream, router: Router, stop: CancellationToken) {
    let serving = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEADER_PATIENCE)
        .max_buf_size(MAX_BUFFER)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router))
        .with_upgrades();
    let mut serving = pin!(serving);
    let ended = tokio::select! {
        ended = serving.as_mut() => ended,
        () = stop.cancelled() => {
            serving.as_mut().graceful_shutdown();
            serving.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended");
    }
}

/// Answers for a handler that panicked.
pub(crate) async fn no_panic(request: Request, next: Next) -> Response {
    let path = request.uri().path().to_owned();
    AssertUnwindSafe(next.run(request)).catch_unwind().await.unwrap_or_else(|_| {
        tracing::error!(path, "a door panicked");
        let message = "something went wrong here; the log has details";
        Fault::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", message).into_response()
    })
}
