//! A request is sent again when that can help and nothing was answered yet, and not otherwise.

use crate::bench::{Bench, DIALECTS, hello};
use protocol::{Block, ModelErrorKind};
use std::time::{Duration, Instant};
use testkit::Script;

#[tokio::test]
async fn what_passes_is_tried_again() {
    for dialect in DIALECTS {
        for status in [408, 409, 429, 500, 502, 503, 529] {
            let bench = Bench::new(dialect).await;
            let scripts = [Script::http(status), Script::http(status), Script::reply("at last")];
            let answer = bench.ask(hello(), scripts).await.answer();
            assert_eq!(answer.blocks, [Block::text("at last")], "{status}, {dialect:?}");
            assert_eq!(bench.fake.requests().len(), 3, "{status}, {dialect:?}");
        }
        for script in [Script::new().hang_up_after(0), Script::new().end_after(0)] {
            let bench = Bench::new(dialect).await;
            let answer = bench.ask(hello(), [script, Script::reply("at last")]).await.answer();
            assert_eq!(answer.blocks, [Block::text("at last")], "no first byte, {dialect:?}");
        }
    }
}

#[tokio::test]
async fn after_the_last_retry_the_error_is_told() {
    let limited = ModelErrorKind::RateLimited { retry_after_ms: Some(1) };
    for dialect in DIALECTS {
        for (script, kind) in [
            (Script::http(500), ModelErrorKind::Provider),
            (Script::http(529), ModelErrorKind::Overloaded),
            (Script::http(503), ModelErrorKind::Overloaded),
            (Script::http(429).header("retry-after-ms", "1"), limited),
            (Script::new().end_after(0), ModelErrorKind::Truncated),
        ] {
            let bench = Bench::new(dialect).await;
            let (error, _) = bench.ask(hello(), vec![script; 5]).await.failure();
            assert_eq!(error.kind, kind, "{dialect:?}");
            assert_eq!(
                (bench.fake.requests().len(), bench.fake.scripts_left()),
                (4, 1),
                "{kind:?}, {dialect:?}"
            );
        }
    }
}

#[tokio::test]
async fn the_pause_a_provider_asks_for_is_kept_if_it_is_short() {
    for dialect in DIALECTS {
        let bench = Bench::new(dialect).await;
        let started = Instant::now();
        let scripts = [Script::http(429).header("retry-after", "1"), Script::reply("ok")];
        bench.ask(hello(), scripts).await.answer();
        assert!(started.elapsed() >= Duration::from_secs(1), "{dialect:?}");

        let bench = Bench::new(dialect).await;
        let started = Instant::now();
        let (error, _) = bench.ask(hello(), [Script::http(429).header("retry-after", "61")]).await.failure();
        assert_eq!(error.kind, ModelErrorKind::RateLimited { retry_after_ms: Some(61_000) }, "{dialect:?}");
        assert!(error.message.contains("61 seconds"), "{}", error.message);
        assert_eq!(bench.fake.requests().len(), 1, "{dialect:?}");
        assert!(started.elapsed() < Duration::from_secs(5), "{dialect:?}");
    }
}

#[tokio::test]
async fn once_something_was_answered_nothing_is_tried_again() {
    for dialect in DIALECTS {
        let bench = Bench::new(dialect).await;
        let scripts = [Script::reply("Half").hang_up_after(1), Script::reply("never asked for")];
        let (error, _) = bench.ask(hello(), scripts).await.failure();
        assert_eq!(error.kind, ModelErrorKind::Truncated, "{dialect:?}");
        assert_eq!(bench.fake.requests().len(), 1, "{dialect:?}");
    }
}
