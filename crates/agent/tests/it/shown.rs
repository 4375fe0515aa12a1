//! What the model is shown beside what was said: notes that fit, what the owner was told meanwhile, and a word before
//! old messages leave its view.

use super::*;
use memory::{Memory, MemorySettings, NoVectors};
use store::NewNotice;

/// The messages of the latest request, as text.
fn latest(world: &World) -> Vec<String> {
    let requests = world.fake.requests();
    let messages = requests.last().unwrap().body["messages"].as_array().unwrap().clone();
    messages.iter().map(|message| message.to_string()).collect()
}

#[tokio::test]
async fn notes_that_fit_go_with_a_message_and_no_others() {
    let mut world = World::with(4, |agent, workspace| {
        std::fs::create_dir(workspace.join("memory")).unwrap();
        let note = "# Keys\n\nThe spare key lies under the blue flowerpot.\n";
        std::fs::write(workspace.join("memory/keys.md"), note).unwrap();
        std::fs::write(workspace.join("MEMORY.md"), "The flowerpot is blue.\n").unwrap();
        let settings = MemorySettings::new(workspace.into(), workspace.join("index.db"));
        let memory = Memory::new(settings, Arc::new(NoVectors));
        memory.sync(&mut |_| {}).unwrap();
        agent.recalling(memory)
    })
    .await;
    world.fake.reply_with(|_| Script::reply("Aha."));
    let turn = world.say("s", "where is the flowerpot with the spare key?", false).await;
    world.end_of(turn).await;
    let said = latest(&world).concat();
    assert!(said.contains("memory/keys.md:") && said.contains("under the blue flowerpot"), "{said}");
    assert!(!said.contains("MEMORY.md:"), "it stands in the prompt anyway: {said}");
    let turn = world.say("s", "who won the election?", false).await;
    world.end_of(turn).await;
    assert!(!latest(&world).last().unwrap().contains("keys.md"));
    let kept = world.store.view().turn_events(turn, 0).await.unwrap();
    assert!(!format!("{kept:?}").contains("flowerpot"), "notes are shown, not kept");
}

#[tokio::test]
async fn what_the_owner_was_told_meanwhile_stands_before_the_next_message() {
    let mut world = World::new(4).await;
    world.fake.reply_with(|_| Script::reply("Yes."));
    let turn = world.say("s", "hello", false).await;
    world.end_of(turn).await;
    let session = SessionKey::new("s").unwrap();
    let notice = NewNotice {
        key: "k".into(),
        target: "s".into(),
        from: "reminder pizza".into(),
        text: "Take it out!".into(),
    };
    assert!(world.store.notify(notice).await.unwrap());
    for row in world.store.view().outbox_open(None, 10).await.unwrap() {
        world.store.deliver_here(row.notice.id, &session).await.unwrap();
    }
    for text in ["what was that?", "and now?"] {
        let turn = world.say("s", text, false).await;
        world.end_of(turn).await;
        let messages = latest(&world);
        let told = messages.iter().position(|it| it.contains("by reminder pizza: Take it out!")).unwrap();
        assert!(messages[told].contains("what was that?"), "{messages:?}");
        assert_eq!(messages.concat().matches("Take it out!").count(), 1);
    }
}

#[tokio::test]
async fn before_old_messages_leave_its_view_the_model_may_write_down_what_matters() {
    let mut world = World::new(4).await;
    world.fake.reply_with(|_| Script::reply("Yes."));
    let mut cuts = Vec::new();
    for number in 0..14 {
        let turn = world.say("s", &format!("message {number}."), false).await;
        world.end_of(turn).await;
        let messages = latest(&world);
        assert!(messages.len() <= MAX_HISTORY_MESSAGES + 1);
        if messages.last().unwrap().contains("memory_write") {
            let oldest = format!("message {}.", number - MAX_HISTORY_MESSAGES / 2);
            assert!(messages[0].contains(&oldest), "{number}: {messages:?}");
            cuts.push((number, messages.len()));
        }
    }
    // Ten messages are in view after five turns; then the latest five stay, of which a conversation can begin with
    // the second, and three turns later it is full again.
    assert_eq!(cuts, [(5, 11), (8, 11), (11, 11)]);
}
