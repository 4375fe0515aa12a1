//! The owner's word: first decision wins, each counts once; forged, late and doubled ones are refused.

use super::*;
use store::{ChainState, Claim, DecideAnswer, Durability};

fn asked(number: u128) -> AskedCall {
    AskedCall {
        call: CallId::from(uuid::Uuid::from_u128(number)),
        tool: "bash".into(),
        summary: "ls".into(),
        details: "ls".into(),
        risk: Risk::Risky,
        reason: "it runs a command".into(),
        flags: vec![],
        cwd: "/".into(),
        confinement: "none".into(),
        rules: vec!["bash(ls)".into()],
        fingerprint: "f".into(),
    }
}

fn decision(number: u128, approved: bool) -> Decision {
    Decision { call: asked(number).call, approved, reason: None, rule: None }
}

/// A turn that waits for two calls.
async fn waiting(world: &World, expires_in: i64) -> (Claim, ApprovalId) {
    world.store.accept(message("s", "m1")).await.unwrap();
    let claim = world.store.claim("w", LEASE, LIMITS, Lane::Any).await.unwrap().unwrap();
    let approval = ApprovalId::from(uuid::Uuid::from_u128(77));
    let expires_at = jiff::Timestamp::now() + jiff::SignedDuration::from_millis(expires_in);
    let fact =
        Fact::ApprovalRequested { approval, calls: vec![asked(1), asked(2)], expires_at, forecast: None };
    let events = world.store.append(&claim.turn, 0, Durability::Synced, vec![fact]).await.unwrap();
    world.store.park(&claim.turn, events.last().unwrap().seq).await.unwrap();
    (claim, approval)
}

#[tokio::test]
async fn a_screen_waits_across_restarts_and_each_call_is_decided_once() {
    let world = World::new().await;
    let (claim, approval) = waiting(&world, 60_000).await;
    let world = world.again().await;
    let open = world.store.view().open_approvals().await.unwrap();
    assert_eq!((open.len(), open[0].calls.clone()), (1, vec![asked(1), asked(2)]));
    let decide = async |decisions| world.store.decide(approval, decisions, "test").await.unwrap();
    assert_eq!(decide(vec![decision(1, true)]).await, DecideAnswer::Decided);
    assert_eq!(world.store.view().open_approvals().await.unwrap()[0].calls, [asked(2)]);
    assert_eq!(decide(vec![decision(1, false)]).await, DecideAnswer::AlreadySettled(asked(1).call));
    assert_eq!(
        decide(vec![decision(1, true), decision(2, true)]).await,
        DecideAnswer::AlreadySettled(asked(1).call)
    );
    assert_eq!(
        world.store.view().open_approvals().await.unwrap()[0].calls,
        [asked(2)],
        "nothing was half done"
    );
    let again = world.store.claim("w2", LEASE, LIMITS, Lane::Any).await.unwrap().unwrap();
    assert_eq!(again.turn, claim.turn, "the turn was woken");
}

#[tokio::test]
async fn forged_decisions_and_rules_are_refused() {
    let world = World::new().await;
    let (_, approval) = waiting(&world, 60_000).await;
    let other = ApprovalId::from(uuid::Uuid::from_u128(78));
    let check = async |approval, decision, expected| {
        assert_eq!(world.store.decide(approval, vec![decision], "test").await.unwrap(), expected);
    };
    check(other, decision(1, true), DecideAnswer::Unknown).await;
    check(approval, decision(9, true), DecideAnswer::Unknown).await;
    let with_rule = |rule: &str, approved| Decision { rule: Some(rule.into()), ..decision(1, approved) };
    check(approval, with_rule("bash", true), DecideAnswer::UnknownRule).await;
    check(approval, with_rule("bash(ls)", false), DecideAnswer::UnknownRule).await;
    assert_eq!(world.store.view().rules().await.unwrap(), Vec::<String>::new());
    check(approval, with_rule("bash(ls)", true), DecideAnswer::Decided).await;
    assert_eq!(world.store.view().rules().await.unwrap(), ["bash(ls)"]);
    assert!(world.store.remove_rule("bash(ls)").await.unwrap());
}

#[tokio::test]
async fn what_waited_too_long_is_denied() {
    let world = World::new().await;
    let (claim, approval) = waiting(&world, -1).await;
    let late = world.store.decide(approval, vec![decision(1, true)], "test").await.unwrap();
    assert_eq!(late, DecideAnswer::Expired);
    assert_eq!(world.store.expire_approvals().await.unwrap(), 2);
    assert_eq!(world.store.expire_approvals().await.unwrap(), 0);
    let events = world.store.view().turn_events(claim.turn.turn, 0).await.unwrap();
    let Fact::ApprovalDecided { decisions, .. } = &events.last().unwrap().fact else { panic!("{events:?}") };
    assert!(decisions.iter().all(|it| !it.approved && it.reason.as_deref() == Some("expired")));
}

#[tokio::test]
async fn a_stopped_turn_leaves_nothing_to_decide() {
    let world = World::new().await;
    let (claim, approval) = waiting(&world, 60_000).await;
    let results =
        [1, 2].map(|n| Fact::CallDone { result: CallResult::new(asked(n).call, CallStatus::Aborted, "") });
    world.store.append(&claim.turn, 0, Durability::Flushed, results.to_vec()).await.unwrap();
    assert_eq!(world.store.view().open_approvals().await.unwrap(), vec![]);
    let late = world.store.decide(approval, vec![decision(1, true)], "test").await.unwrap();
    assert_eq!(late, DecideAnswer::AlreadySettled(asked(1).call));
}

#[tokio::test]
async fn the_chain_notices_what_was_changed_removed_or_swapped() {
    let damages = [
        "UPDATE events SET body = replace(body, 'm1', 'm2') WHERE seq = 1",
        "UPDATE events SET at = at + 1 WHERE seq = 2",
        "DELETE FROM events WHERE seq = 1",
        "DELETE FROM events WHERE seq = 2",
        "UPDATE events SET session = 'other' WHERE seq = 3",
        "UPDATE blobs SET data = 'something else'",
    ];
    for damage in damages {
        let world = World::new().await;
        let (claim, _) = waiting(&world, 60_000).await;
        let long = says(&"x".repeat(20_000));
        world.store.append(&claim.turn, 0, Durability::Flushed, vec![long]).await.unwrap();
        let whole = world.store.view().verify_chain().await.unwrap();
        assert!(matches!(whole, ChainState::Whole { events: 3, .. }), "{whole:?}");
        rusqlite::Connection::open(file(world.dir.path())).unwrap().execute(damage, []).unwrap();
        let broken = world.store.view().verify_chain().await.unwrap();
        assert!(matches!(broken, ChainState::Broken { .. }), "{damage}: {broken:?}");
    }
}
