//! The machine that repeats a run, without one.

use super::*;
use serde_json::json;

fn call(id: u32, input: Value) -> Call {
    Call { id, path: "echo".to_owned(), input }
}

fn delivery(call: u32) -> Delivery {
    Delivery { call, now_ms: 5, outcome: Outcome::Ok { value: json!(1) } }
}

fn recorded(calls: Vec<Call>, deliveries: Vec<Delivery>) -> Recorded {
    Recorded { beginning: Beginning::new("", 1, 2), calls, deliveries }
}

#[test]
fn answers_come_in_the_order_in_which_they_came() {
    let calls = vec![call(0, json!({"a": 1, "b": 2})), call(1, json!(1.5)), call(2, json!(null))];
    let recorded = recorded(calls.clone(), vec![delivery(1), delivery(0)]);
    let mut replay = Replay::new(&recorded);
    let reordered = call(0, json!({"b": 2, "a": 1}));
    assert_eq!(replay.asked(vec![reordered, calls[1].clone()]), Ok(Next::Deliver(&delivery(1))));
    assert_eq!(replay.asked(vec![]), Ok(Next::Deliver(&delivery(0))));
    let fresh = call(3, json!("new"));
    assert_eq!(replay.asked(vec![calls[2].clone(), fresh.clone()]), Ok(Next::CaughtUp(vec![fresh])));
    assert_eq!(replay.ended(), Ok(()));
    assert_eq!(recorded.open().collect::<Vec<_>>(), [&calls[2]]);
}

#[test]
fn another_way_is_noticed() {
    let two = || vec![call(0, json!(0)), call(1, json!(1))];
    let other_path = Call { path: "mail.send".to_owned(), ..call(0, json!(0)) };
    // What is on record, what is asked for one step after the other, and where that goes wrong.
    for (calls, deliveries, steps, at) in [
        (two(), vec![], vec![vec![call(0, json!(9))]], 0),
        (two(), vec![], vec![vec![other_path]], 0),
        (two(), vec![], vec![vec![call(0, json!(0)), call(2, json!(1))]], 1),
        (two(), vec![], vec![vec![call(0, json!(0))]], 1),
        (two(), vec![delivery(0)], vec![two(), vec![]], 9),
        (two(), vec![delivery(1)], vec![vec![call(0, json!(0))]], 1),
        (two(), vec![delivery(0)], vec![[two(), vec![call(2, json!(2))]].concat()], 2),
        (vec![], vec![delivery(0)], vec![vec![]], 0),
    ] {
        let recorded = recorded(calls, deliveries);
        let mut replay = Replay::new(&recorded);
        let found = steps.into_iter().find_map(|calls| replay.asked(calls).err());
        assert_eq!(found.as_ref().map_or(9, |found| found.call), at, "{found:?}");
    }
}

#[test]
fn an_end_before_the_recorded_one_is_noticed() {
    let recorded = recorded(vec![call(0, json!(0))], vec![delivery(0)]);
    let mut replay = Replay::new(&recorded);
    assert_eq!(replay.ended().map_err(|found| found.call), Err(0));
    replay.asked(vec![call(0, json!(0))]).unwrap();
    assert_eq!(replay.ended(), Ok(()));
    let unanswered = Replay { recorded: &recorded, issued: 1, delivered: 0 };
    assert_eq!(unanswered.ended().map_err(|found| found.got), Err("nothing more: it ended".to_owned()));
}

#[test]
fn a_record_survives_being_written_down() {
    let input = json!({ "n": 0.1 + 0.2, "m": 1.797_693_134_862_315_7e308, "t": "\u{0}😀" });
    let error = Outcome::Error { name: ErrorName::ToolDenied, message: "no".to_owned() };
    let denied = Delivery { call: 0, now_ms: -1, outcome: error };
    let recorded = recorded(vec![call(0, input)], vec![denied, delivery(0)]);
    let written = serde_json::to_string(&recorded).unwrap();
    assert_eq!(serde_json::from_str::<Recorded>(&written).unwrap(), recorded);
    assert!(written.contains(r#""outcome":{"error":{"name":"ToolDenied","message":"no"}}"#), "{written}");
}
