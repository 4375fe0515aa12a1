//! The first frame: a client proves itself, or is turned away. Until then only `health.check` is answered.

use super::{
    Ended, Incoming, Outbox, Visitor,
    frames::{self, Frame, Problem},
    methods,
};
use crate::{
    gateway::Gateway,
    guard::{self, Access},
};
use futures::{Stream, StreamExt};
use protocol::Fact;
use std::time::Duration;
use tokio::time::{Instant, timeout_at};

/// How long a client may take to sign in.
const SIGN_IN_PATIENCE: Duration = Duration::from_secs(5);

/// Waits for the auth frame.
pub(super) async fn sign_in(
    gateway: &Gateway,
    incoming: &mut (impl Stream<Item = Incoming> + Unpin),
    outbox: &Outbox,
    visitor: Visitor,
) -> Result<(), Ended> {
    let deadline = Instant::now() + SIGN_IN_PATIENCE;
    loop {
        let next = timeout_at(deadline, incoming.next()).await.map_err(|_| Ended::Silent)?;
        match frames::read(next.ok_or(Ended::Gone)?)? {
            Ok(Frame::Auth { token }) => {
                check(gateway, outbox, visitor.access, token.as_deref()).await?;
                drop(visitor.room);
                return Ok(());
            }
            Ok(Frame::Request(request)) if request.method == methods::HEALTH => {
                outbox.send(frames::answer(&request.id, &methods::health(gateway))).await?;
            }
            Ok(Frame::Request(request)) => {
                let message = "sign in first: send {\"type\":\"auth\",\"token\":\"…\"}";
                let problem = Problem::new(Problem::NOT_SIGNED_IN, message);
                outbox.send(frames::problem(&request.id, &problem)).await?;
                return Err(Ended::Refused);
            }
            Err(refusal) => outbox.send(frames::problem(&refusal.id, &refusal.problem)).await?,
        }
    }
}

async fn check(
    gateway: &Gateway,
    outbox: &Outbox,
    access: Option<Access>,
    token: Option<&str>,
) -> Result<(), Ended> {
    let access = match token {
        Some(token) => gateway.gate().knows(token).then_some(Access::Token),
        None => access,
    };
    let Some(access) = access else {
        let reason = if token.is_some() { "a wrong token" } else { "no token" };
        let fault = guard::refuse(gateway, "ws", reason).await;
        outbox.send(frames::signed_in(Err(&fault.into()))).await?;
        return Err(Ended::Refused);
    };
    let door = match access {
        Access::Token => "ws by token",
        Access::Cookie => "ws by cookie",
    };
    gateway.note(Fact::AuthAccepted { door: door.into() }).await;
    outbox.send(frames::signed_in(Ok(()))).await
}
