//! The answer when there is no model comes through the same stream as any other.

use crate::bench::{QUICK, hear, hello};
use models::{ModelEvent, Models};
use protocol::{StopReason, Usage};

#[tokio::test]
async fn without_a_model_the_answer_says_so() {
    let mut request = hello();
    request.model = "offline".parse().unwrap();
    let heard = hear(Models::new(vec![], QUICK).ask(request)).await;
    assert!(
        heard
            .pieces
            .iter()
            .any(|piece| matches!(piece, ModelEvent::Text(text) if text.contains("No language model")))
    );
    let answer = heard.answer();
    assert_eq!((answer.stop, answer.usage), (StopReason::EndTurn, Usage::default()));
}
