//! The gateway itself: what all doors share, and the table of routes.

use crate::{Backstage, doors, fault::Fault, gate::Gate, guard, guard::Names, server};
use axum::{
    Router,
    http::{Method, StatusCode, Uri},
    middleware::{from_fn, from_fn_with_state},
};
use memory::Memory;
use protocol::{Fact, Trigger};
use std::{net::SocketAddr, sync::Arc, time::Instant};
use store::{Accepted, Store};
use tasks::Orders;
use tokio::{net::TcpListener, sync::Semaphore, time::timeout};
use tokio_util::{sync::CancellationToken, task::TaskTracker};

/// How many sockets may be open that are not signed in; each is for a few seconds.
const MAX_UNKNOWN: usize = 64;

/// What a gateway is made of.
pub struct GatewayParts {
    /// The truth.
    pub store: Store,
    /// What the assistant remembers.
    pub memory: Memory,
    /// Standing orders.
    pub orders: Orders,
    /// The rest of the house.
    pub backstage: Arc<dyn Backstage>,
    /// What clients must show.
    pub token: String,
    /// The address it will listen on, as configured.
    pub host: String,
    /// Its port; the names it is known by end with it.
    pub port: u16,
    /// Further names it is reached by, as they stand in `Host`.
    pub allowed_hosts: Vec<String>,
    /// Ends everything.
    pub stop: CancellationToken,
    /// How many messages may wait in one conversation.
    pub max_queue_size: usize,
}

/// All doors of one house. Cheap to clone.
#[derive(Clone)]
pub struct Gateway(Arc<Shared>);

struct Shared {
    store: Store,
    memory: Memory,
    orders: Orders,
    backstage: Arc<dyn Backstage>,
    gate: Gate,
    names: Names,
    address: String,
    started: Instant,
    /// Room for sockets that are not signed in.
    entrance: Arc<Semaphore>,
    /// All conversations over sockets.
    sockets: TaskTracker,
    stop: CancellationToken,
    max_queue_size: usize,
}

impl Gateway {
    /// Joins the parts. Nobody listens yet.
    pub fn new(parts: GatewayParts) -> Self {
        Self(Arc::new(Shared {
            store: parts.store,
            memory: parts.memory,
            orders: parts.orders,
            backstage: parts.backstage,
            gate: Gate::new(&parts.token),
            names: Names::new(&parts.host, parts.port, &parts.allowed_hosts),
            address: format!("http://{}:{}", shown_host(&parts.host), parts.port),
            started: Instant::now(),
            entrance: Arc::new(Semaphore::new(MAX_UNKNOWN)),
            sockets: TaskTracker::new(),
            stop: parts.stop,
            max_queue_size: parts.max_queue_size,
        }))
    }

    /// Answers on this socket until stopped; connections get a moment to end well.
    pub async fn serve(&self, listener: TcpListener) {
        server::serve(listener, self.router(), self.0.stop.clone()).await;
        self.0.sockets.close();
        if timeout(server::CLOSING_PATIENCE, self.0.sockets.wait()).await.is_err() {
            tracing::info!(left = self.0.sockets.len(), "sockets did not end in time");
        }
    }

    /// Where the page is, signed in by a link that works once.
    pub fn sign_in_link(&self) -> String {
        format!("{}/login/{}", self.0.address, self.0.gate.make_link())
    }

    /// Where it is reached.
    pub fn address(&self) -> &str {
        &self.0.address
    }

    fn router(&self) -> Router {
        let guard = from_fn_with_state(self.clone(), guard::token);
        let router = doors::routes().into_iter().fold(Router::new(), |router, route| {
            let handler = if route.open { route.handler } else { route.handler.layer(guard.clone()) };
            router.route(route.path, handler)
        });
        router
            .fallback(not_found)
            .method_not_allowed_fallback(wrong_method)
            .layer(from_fn(crate::server::no_panic))
            .layer(from_fn_with_state(self.clone(), guard::names))
            .with_state(self.clone())
    }

    pub(crate) fn store(&self) -> &Store {
        &self.0.store
    }

    pub(crate) fn memory(&self) -> &Memory {
        &self.0.memory
    }

    pub(crate) fn orders(&self) -> &Orders {
        &self.0.orders
    }

    pub(crate) fn backstage(&self) -> &dyn Backstage {
        &*self.0.backstage
    }

    pub(crate) fn gate(&self) -> &Gate {
        &self.0.gate
    }

    pub(crate) fn names(&self) -> &Names {
        &self.0.names
    }

    /// Room for one more socket that is not signed in, if there is any.
    pub(crate) fn entrance(&self) -> Arc<Semaphore> {
        self.0.entrance.clone()
    }

    pub(crate) fn sockets(&self) -> &TaskTracker {
        &self.0.sockets
    }

    pub(crate) fn stop(&self) -> &CancellationToken {
        &self.0.stop
    }

    pub(crate) fn uptime_ms(&self) -> u64 {
        u64::try_from(self.0.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Takes a message, unless too many wait in its conversation already. Durable when it returns.
    pub(crate) async fn accept(&self, message: Trigger) -> Result<Accepted, Fault> {
        Ok(self.0.store.accept_message(message, self.0.max_queue_size).await?)
    }

    /// Writes down what happened at a door. That it could not be written keeps nobody out.
    pub(crate) async fn note(&self, fact: Fact) {
        if let Err(error) = self.0.store.note_auth(fact).await {
            tracing::error!(%error, "cannot note what happened at a door");
        }
    }

    /// Replaces the token; whoever was in by the old one is out.
    pub(crate) async fn rotate(&self) -> Result<String, String> {
        let token = crate::gate::new_token();
        self.0.backstage.keep_token(&token)?;
        self.0.gate.rotate(&token);
        self.note(Fact::AuthRotated).await;
        Ok(token)
    }
}

/// How an address is written in a link: one that means "everywhere" is reached here by loopback.
fn shown_host(host: &str) -> String {
    match host.parse() {
        Ok(std::net::IpAddr::V4(address)) if address.is_unspecified() => "127.0.0.1".into(),
        Ok(std::net::IpAddr::V6(address)) if address.is_unspecified() => "[::1]".into(),
        Ok(std::net::IpAddr::V6(address)) => format!("[{address}]"),
        _ => host.to_owned(),
    }
}

/// Whether only this machine can reach an address.
pub fn is_loopback(address: &SocketAddr) -> bool {
    address.ip().is_loopback()
}

async fn not_found(uri: Uri) -> Fault {
    Fault::not_found(format!("there is nothing at {}", uri.path()))
}

async fn wrong_method(method: Method, uri: Uri) -> Fault {
    let message = format!("{} cannot be used with {method}", uri.path());
    Fault::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", message)
}
