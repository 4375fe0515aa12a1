//! The words keep their spelling: keys are checked, facts survive the trip through JSON.

use super::*;
use uuid::Uuid;

#[test]
fn session_keys_are_checked() {
    let check = |key: &str, expected: Result<(), BadSessionKey>| {
        assert_eq!(SessionKey::new(key).map(|_| ()), expected, "{key:?}");
    };
    check("terminal--default", Ok(()));
    check("slack--C1--1700000000.0001", Ok(()));
    check("web--../../etc/passwd", Ok(()));
    check("", Err(BadSessionKey::Empty));
    check("a b", Err(BadSessionKey::BadCharacter(' ')));
    check("a\nb", Err(BadSessionKey::BadCharacter('\n')));
    check(&"x".repeat(257), Err(BadSessionKey::TooLong(257)));
}

#[test]
fn a_session_key_names_its_place() {
    let check = |key: &str, expected: &str| assert_eq!(SessionKey::new(key).unwrap().place(), expected);
    check("terminal--default", "terminal");
    check("slack--C1--1700000000.0001", "slack");
    check("task", "task");
    check("--x", "");
    check("a-b", "a-b");
}

#[test]
fn a_client_tool_is_risky_unless_said_otherwise_and_is_checked() {
    let check = |json: serde_json::Value, expected: Result<Risk, &str>| {
        let tool: ClientTool = serde_json::from_value(json).unwrap();
        match expected {
            Ok(risk) => assert_eq!((tool.check(), tool.risk), (Ok(()), risk)),
            Err(part) => assert!(tool.check().unwrap_err().contains(part), "{:?}", tool.check()),
        }
    };
    let tool = |name: &str| serde_json::json!({"name": name, "input_schema": {"type": "object"}});
    check(tool("open_app"), Ok(Risk::Risky));
    check(tool("screen.read-2"), Ok(Risk::Risky));
    let mut safe = tool("look");
    safe["risk"] = "safe".into();
    check(safe, Ok(Risk::Safe));
    check(tool(""), Err("is not a tool name"));
    check(tool("open app"), Err("is not a tool name"));
    check(tool("öffne"), Err("is not a tool name"));
    check(tool(&"x".repeat(65)), Err("is not a tool name"));
    check(tool(&"x".repeat(64)), Ok(Risk::Risky));
    check(
        serde_json::json!({"name": "a", "input_schema": {"type": "string"}}),
        Err("must describe an object"),
    );
    check(serde_json::json!({"name": "a", "input_schema": true}), Err("must describe an object"));
}

#[test]
fn a_fact_is_tagged_with_its_kind_and_comes_back_whole() {
    let call = CallId::from(Uuid::from_u128(7));
    let facts = [
        Fact::CallsJudged {
            judgements: vec![Judgement {
                call,
                verdict: Verdict::Ask { risk: Risk::Risky, reason: "acts".into() },
                repeatable: true,
            }],
        },
        Fact::TurnFinished {
            outcome: Outcome::Failed {
                error: ModelError {
                    kind: ModelErrorKind::RateLimited { retry_after_ms: Some(5) },
                    provider: "anthropic".into(),
                    message: "slow down".into(),
                },
            },
        },
        Fact::ClientAsked {
            calls: vec![ClientCall {
                call: Call { id: call, wire_id: "w".into(), tool: "open_app".into(), arguments: "{}".into() },
                risk: Risk::Safe,
                reason: "to look".into(),
            }],
        },
        Fact::CallDone { result: CallResult::from_client(call, true, "opened") },
        Fact::CallDone { result: CallResult::new(call, CallStatus::Denied, "Denied: no") },
    ];
    for fact in facts {
        let json = serde_json::to_value(&fact).unwrap();
        assert_eq!(json["kind"], fact.kind());
        assert_eq!(serde_json::from_value::<Fact>(json).unwrap(), fact);
    }
}
