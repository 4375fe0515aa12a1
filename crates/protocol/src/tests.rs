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
        Fact::CallDone { result: CallResult::new(call, CallStatus::Denied, "Denied: no") },
    ];
    for fact in facts {
        let json = serde_json::to_value(&fact).unwrap();
        assert_eq!(json["kind"], fact.kind());
        assert_eq!(serde_json::from_value::<Fact>(json).unwrap(), fact);
    }
}
