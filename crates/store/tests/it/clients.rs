//! Clients with tools of their own: one conversation each, each result counted once and only from its own client.

use super::*;
use store::{AbortAnswer, ChainState, Claim, ClientAnswer, Finish};

fn tool(name: &str) -> ClientTool {
    let input_schema = serde_json::json!({"type": "object"});
    ClientTool { name: name.into(), description: String::new(), input_schema, risk: Risk::Safe }
}

fn handed(number: u128) -> ClientCall {
    let id = CallId::from(uuid::Uuid::from_u128(number));
    let call = Call { id, wire_id: number.to_string(), tool: "open_app".into(), arguments: "{}".into() };
    ClientCall { call, risk: Risk::Safe, reason: "to look".into() }
}

fn result(number: u128) -> CallResult {
    CallResult::from_client(handed(number).call.id, true, format!("result {number}"))
}

fn key(session: &str) -> SessionKey {
    SessionKey::new(session).unwrap()
}

/// A turn of session `s` that waits for a client with two calls.
async fn waiting(world: &World) -> Claim {
    world.store.accept(message("s", "m1")).await.unwrap();
    let claim = world.store.claim("w", LEASE, LIMITS, Lane::Any).await.unwrap().unwrap();
    let calls = vec![handed(1), handed(2)];
    let Finish::Done(events) = world.store.hand_over(&claim.turn, claim.events[0].seq, calls).await.unwrap()
    else {
        panic!("nothing happened in between")
    };
    assert_eq!(kinds(&events), ["client.asked"]);
    world.store.park(&claim.turn, events[0].seq).await.unwrap();
    claim
}

#[tokio::test]
async fn a_result_counts_once_wakes_the_turn_and_waits_across_restarts() {
    let world = World::new().await;
    let claim = waiting(&world).await;
    let world = world.again().await;
    world.store.recover().await.unwrap();
    let open = async || world.store.view().open_client_calls(&key("s")).await.unwrap();
    assert_eq!(open().await, [handed(1).call.id, handed(2).call.id]);
    assert!(world.store.claim("w", LEASE, LIMITS, Lane::Any).await.unwrap().is_none(), "the turn just waits");
    let post = async |session: &str, number| world.store.client_result(&key(session), result(number)).await;
    assert_eq!(post("other", 1).await.unwrap(), ClientAnswer::Unknown, "another client's call");
    assert_eq!(post("s", 9).await.unwrap(), ClientAnswer::Unknown);
    let ClientAnswer::Accepted { turn, seq } = post("s", 1).await.unwrap() else { panic!() };
    assert_eq!(turn, claim.turn.turn);
    assert_eq!(post("s", 1).await.unwrap(), ClientAnswer::AlreadySettled);
    assert_eq!(open().await, [handed(2).call.id]);
    let again = world.store.claim("w2", LEASE, LIMITS, Lane::Any).await.unwrap().unwrap();
    assert_eq!(kinds(&again.events), ["turn.started", "client.asked", "call.done"]);
    let last = again.events.last().unwrap();
    assert_eq!((last.seq, &last.fact), (seq, &Fact::CallDone { result: result(1) }));
    assert!(matches!(world.store.view().verify_chain().await.unwrap(), ChainState::Whole { .. }));
}

#[tokio::test]
async fn of_results_posted_at_once_one_counts() {
    let world = World::new().await;
    let claim = waiting(&world).await;
    let session = key("s");
    let post = || world.store.client_result(&session, result(1));
    let answers = futures::future::join_all((0..8).map(|_| post())).await;
    let accepted = answers.iter().filter(|it| matches!(it, Ok(ClientAnswer::Accepted { .. }))).count();
    assert_eq!(accepted, 1, "{answers:?}");
    let events = world.store.view().turn_events(claim.turn.turn, 0).await.unwrap();
    assert_eq!(kinds(&events), ["turn.started", "client.asked", "call.done"]);
}

#[tokio::test]
async fn a_stopped_turn_takes_no_more_results() {
    let world = World::new().await;
    let claim = waiting(&world).await;
    assert_eq!(world.store.abort(claim.turn.turn).await.unwrap(), AbortAnswer::Stopping);
    let late = world.store.client_result(&key("s"), result(1)).await.unwrap();
    assert_eq!(late, ClientAnswer::AlreadySettled);
    assert_eq!(world.store.view().open_client_calls(&key("s")).await.unwrap(), vec![]);
}

#[tokio::test]
async fn nothing_is_handed_over_after_something_unseen_happened() {
    let world = World::new().await;
    world.store.accept(message("s", "m1")).await.unwrap();
    let claim = world.store.claim("w", LEASE, LIMITS, Lane::Any).await.unwrap().unwrap();
    world.store.abort(claim.turn.turn).await.unwrap();
    let seen = claim.events[0].seq;
    let stale = world.store.hand_over(&claim.turn, seen, vec![handed(1)]).await.unwrap();
    assert!(matches!(stale, Finish::Stale(news) if kinds(&news) == ["turn.aborted"]));
    let unknown = world.store.client_result(&key("s"), result(1)).await.unwrap();
    assert_eq!(unknown, ClientAnswer::Unknown);
}

#[tokio::test]
async fn a_client_finds_its_conversation_again() {
    let world = World::new().await;
    let join = async |world: &World, client: Option<&str>, preferred: Option<&SessionKey>, tools| {
        let answer =
            world.store.client_session(client.map(Into::into), preferred.cloned(), tools).await.unwrap();
        (answer.session, answer.created)
    };
    let (a, created) = join(&world, Some("a"), None, Some(vec![tool("one")])).await;
    assert!(created && a.place() == "desktop", "{a}");
    let world = world.again().await;
    let tools = async |session: &SessionKey| world.store.view().client_tools(session).await.unwrap();
    assert_eq!(join(&world, Some("a"), None, None).await, (a.clone(), false));
    assert_eq!(tools(&a).await, Some(vec![tool("one")]), "what was declared stays");
    assert_eq!(join(&world, Some("a"), None, Some(vec![])).await, (a.clone(), false));
    assert_eq!(tools(&a).await, Some(vec![]), "what is declared anew replaces it");
    let (b, created) = join(&world, None, None, None).await;
    assert!(created && b != a);
    assert_eq!((tools(&b).await, tools(&key("terminal--default")).await), (Some(vec![]), None));
    // A client that moves takes its name along.
    assert_eq!(join(&world, Some("a"), Some(&b), None).await, (b.clone(), false));
    assert_eq!(join(&world, Some("a"), None, None).await, (b.clone(), false));
    assert_eq!(join(&world, None, Some(&a), None).await, (a.clone(), false), "the old one is still there");
    // Another client may take the conversation over.
    assert_eq!(join(&world, Some("c"), Some(&b), None).await, (b.clone(), false));
    let (d, created) = join(&world, Some("a"), None, None).await;
    assert!(created && d != a && d != b);
    // A conversation that is not a client's is not given away.
    let foreign = key("terminal--default");
    assert_eq!(join(&world, Some("a"), Some(&foreign), None).await, (d, false));
}

#[tokio::test]
async fn a_client_that_comes_twice_at_once_gets_one_conversation() {
    let world = World::new().await;
    let come = || world.store.client_session(Some("a".into()), None, None);
    let answers = futures::future::join_all((0..8).map(|_| come())).await;
    let answers: Vec<_> = answers.into_iter().map(Result::unwrap).collect();
    assert_eq!(answers.iter().filter(|answer| answer.created).count(), 1);
    assert!(answers.iter().all(|answer| answer.session == answers[0].session), "{answers:?}");
}

#[tokio::test]
async fn an_empty_conversation_is_listed_and_named_by_its_first_message() {
    let world = World::new().await;
    let title = async |session: &str| {
        let row = world.store.view().session(&key(session)).await.unwrap();
        row.map(|row| (row.title, row.turns))
    };
    assert_eq!(title("s").await, None);
    world.store.create_session(&key("s"), "").await.unwrap();
    world.store.create_session(&key("named"), "Plans\nand more").await.unwrap();
    assert_eq!(title("s").await, Some((String::new(), 0)));
    assert_eq!(world.store.view().sessions(9).await.unwrap().len(), 2);
    for (session, id) in [("s", "m1"), ("s", "m2"), ("named", "m3")] {
        world.store.accept(message(session, id)).await.unwrap();
        world.store.create_session(&key(session), "too late").await.unwrap();
    }
    assert_eq!(title("s").await, Some(("m1".into(), 2)));
    assert_eq!(title("named").await, Some(("Plans".into(), 1)));
}
