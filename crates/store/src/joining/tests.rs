//! How what happened meanwhile is told: the latest in full, the older ones by name, nothing left out.

use super::*;
use protocol::SessionKey;

fn due(text: &str) -> Trigger {
    Trigger {
        source: "job".into(),
        external_id: text.into(),
        session: SessionKey::new("s").unwrap(),
        kind: TriggerKind::Due,
        content: vec![Block::text(text)],
        history: Vec::new(),
        model: None,
        steer: false,
    }
}

fn told(texts: &[String]) -> String {
    Block::text_of(&told_together(texts.iter().map(|text| due(text)).collect()).content)
}

#[test]
fn one_alone_stays_as_it_is() {
    assert_eq!(told_together(vec![due("only")]), due("only"));
}

#[test]
fn a_few_are_told_in_full_and_in_order() {
    let text = told(&["first\nmore".into(), "second".into()]);
    assert!(text.starts_with("[2 things happened"), "{text}");
    assert!(text.contains("\n1. first\nmore\n\n2. second\n"), "{text}");
}

#[test]
fn of_many_the_latest_are_told_in_full_and_the_others_by_name() {
    let mut texts: Vec<String> = (0..7).map(|_| "Reminder: water\nwith details".into()).collect();
    texts.push("Reminder: tea".into());
    texts.extend((0..TOLD_IN_FULL).map(|number| format!("event {number}")));
    let text = told(&texts);
    assert!(text.contains("1–8, in short: 7 × \"Reminder: water\", 1 × \"Reminder: tea\""), "{text}");
    for number in 0..TOLD_IN_FULL {
        assert!(text.contains(&format!("\n{}. event {number}\n", number + 9)), "{text}");
    }
    assert!(!text.contains("with details"));
}

#[test]
fn names_are_limited_and_what_is_left_is_counted() {
    let texts: Vec<String> = (0..100).map(|number| format!("event {number}")).collect();
    let text = told(&texts);
    assert!(text.contains("1 × \"event 19\", 60 others"), "{text}");
}
