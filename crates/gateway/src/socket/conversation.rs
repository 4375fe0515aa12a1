//! One client that is signed in: its requests are answered one after the other, and it is told what happens
//! meanwhile.

use super::{
    Ended, Incoming, Outbox,
    frames::{self, Frame, Problem, Request},
    methods::{self, Done},
    pushes::Pushes,
};
use crate::{fault::Fault, gateway::Gateway};
use futures::{
    FutureExt, Stream, StreamExt,
    future::{BoxFuture, Fuse, FusedFuture},
};
use serde_json::{Value, json};

/// Talks until it is over.
pub(super) async fn run(
    gateway: &Gateway,
    incoming: &mut (impl Stream<Item = Incoming> + Unpin),
    outbox: &Outbox,
) -> Ended {
    let pushes = match Pushes::begin(gateway.store()).await {
        Ok(pushes) => pushes,
        Err(error) => return broken(&error),
    };
    let mut conversation = Conversation { gateway, outbox, pushes, answer: Fuse::terminated() };
    loop {
        let since = conversation.pushes.position();
        match conversation.step(incoming).await {
            Ok(()) => {}
            Err(Ended::Lagged) => {
                let lagged = frames::push("lagged", json!({ "since": since }));
                // If there is no room even now, the close code says as much.
                outbox.send(lagged).await.ok();
                return Ended::Lagged;
            }
            Err(ended) => return ended,
        }
    }
}

fn broken(error: &store::StoreError) -> Ended {
    tracing::error!(%error, "a socket cannot be told what happens");
    Ended::Broken
}

struct Conversation<'a> {
    gateway: &'a Gateway,
    outbox: &'a Outbox,
    pushes: Pushes,
    /// The request under way.
    answer: Fuse<BoxFuture<'static, (Value, Result<Done, Problem>)>>,
}

impl Conversation<'_> {
    /// An answer comes before what happens next, and a client that asks before what it did not ask for.
    async fn step(&mut self, incoming: &mut (impl Stream<Item = Incoming> + Unpin)) -> Result<(), Ended> {
        tokio::select! {
            biased;
            (id, result) = &mut self.answer => self.answered(id, result).await,
            frame = incoming.next(), if self.answer.is_terminated() => {
                match frames::read(frame.ok_or(Ended::Gone)?)? {
                    Ok(Frame::Request(request)) => self.ask(request).await,
                    Ok(Frame::Auth { .. }) => {
                        let problem = Problem::new(Problem::NOT_A_REQUEST, "this socket is signed in already");
                        self.refuse(&Value::Null, &problem).await
                    }
                    Err(refusal) => self.refuse(&refusal.id, &refusal.problem).await,
                }
            }
            told = self.pushes.next() => {
                for push in told.map_err(|error| broken(&error))?.ok_or(Ended::Stopped)? {
                    self.outbox.send(push).await?;
                }
                Ok(())
            }
        }
    }

    async fn refuse(&mut self, id: &Value, problem: &Problem) -> Result<(), Ended> {
        self.outbox.send(frames::problem(id, problem)).await
    }

    /// Begins with a request. Who names a session is told of it from now on, so that nothing the request leads
    /// to is missed.
    async fn ask(&mut self, Request { id, method, params }: Request) -> Result<(), Ended> {
        if let Some(session) = methods::named(&method, &params)
            && let Err(error) = self.pushes.follow(&session).await
        {
            return self.refuse(&id, &Fault::from(error).into()).await;
        }
        let gateway = self.gateway.clone();
        self.answer = async move { (id, methods::call(gateway, method, params).await) }.boxed().fuse();
        Ok(())
    }

    async fn answered(&mut self, id: Value, result: Result<Done, Problem>) -> Result<(), Ended> {
        let answer = match result {
            Err(problem) => return self.refuse(&id, &problem).await,
            Ok(Done::Answer(answer)) => answer,
            Ok(Done::Created(session)) => {
                if let Err(error) = self.pushes.follow(&session).await {
                    return self.refuse(&id, &Fault::from(error).into()).await;
                }
                json!({ "sessionKey": session })
            }
            Ok(Done::Listen(listen)) => json!({ "since": self.pushes.listen(listen) }),
        };
        self.outbox.send(frames::answer(&id, &answer)).await
    }
}
