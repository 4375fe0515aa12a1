//! Standing orders give way: to the owner's messages, and to the owner's limits.

use super::*;
use agent::Spending;

async fn happens(world: &World, session: &str, text: &str) -> TurnId {
    let trigger = Trigger { kind: TriggerKind::Due, ..trigger(session, text, false) };
    world.store.accept(trigger).await.unwrap().turn
}

fn asked_in(event: &Event) -> Option<String> {
    matches!(event.fact, Fact::ModelAsked { .. }).then(|| event.session.to_string())
}

#[tokio::test]
async fn a_lane_stays_free_for_the_owner() {
    let mut world = World::new(2).await;
    world.fake.reply_with(|request| match request.last_user_text().starts_with("due") {
        true => call("wait"),
        false => Script::reply("Done."),
    });
    happens(&world, "a", "due 1").await;
    happens(&world, "b", "due 2").await;
    assert_eq!(world.until(asked_in).await, "a");
    let turn = world.say("c", "hello", false).await;
    assert_eq!(world.until(asked_in).await, "c", "what merely came due waits");
    assert_eq!(world.end_of(turn).await, Outcome::Completed);
}

#[tokio::test]
async fn the_owners_limit_holds_orders_back_with_one_word_and_answers_the_owner() {
    let spending = Spending { daily_tokens: Some(1), ..Spending::default() };
    let mut world = World::with(4, |agent, _| agent.spending(spending)).await;
    world.fake.reply_with(|_| Script::reply("Done."));
    let turn = happens(&world, "a", "due 1").await;
    assert_eq!(world.end_of(turn).await, Outcome::Completed, "nothing was spent yet");
    for text in ["due 2", "due 3"] {
        happens(&world, "b", text).await;
        let turn = world.say("c", text, false).await;
        assert_eq!(world.end_of(turn).await, Outcome::Completed);
    }
    assert_eq!(world.fake.requests().len(), 3, "what came due later waits");
    let told = world.store.view().outbox_open(None, 10).await.unwrap();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].notice.text.starts_with("Standing orders wait until tomorrow: "), "{told:?}");
}

#[tokio::test]
async fn an_order_under_way_stops_at_the_limit() {
    let spending = Spending { daily_tokens: Some(1), ..Spending::default() };
    let mut world = World::with(4, |agent, _| agent.spending(spending)).await;
    world.fake.reply_with(|_| call("quick"));
    let turn = happens(&world, "a", "due 1").await;
    let Outcome::Failed { error } = world.end_of(turn).await else { panic!("it went on") };
    assert!(error.message.contains("`limits.daily_tokens` is 1"), "{}", error.message);
    assert_eq!(world.fake.requests().len(), 1);
}
