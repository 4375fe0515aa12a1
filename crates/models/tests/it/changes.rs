//! Providers and the default model are replaced while others use them, and servers are asked what they have.

use crate::bench::{QUICK, hear, hello, provider};
use models::{Dialect, Models};
use std::time::Duration;
use testkit::FakeModel;

#[tokio::test]
async fn a_provider_taken_up_counts_for_every_clone_at_once() {
    let fake = FakeModel::start().await;
    let models = Models::new(vec![], QUICK);
    let clone = models.clone();
    assert_eq!(clone.default_model().to_string(), "offline");
    let model = hello().model;
    assert!(clone.check(&model).is_err());
    models.set_providers(vec![provider(Dialect::OpenAi, &fake.openai_url())]);
    models.set_default(model.clone());
    assert_eq!((clone.default_model(), clone.check(&model)), (model, Ok(())));
    assert!(hear(clone.ask(hello())).await.answer().usage.output_tokens > 0);
    models.set_providers(vec![]);
    hear(clone.ask(hello())).await.failure();
}

#[tokio::test]
async fn a_key_that_is_needed_is_missed_beforehand() {
    let check = |dialect: Dialect, url: &str, has_key: bool, expected: bool| {
        let mut provider = provider(dialect, url);
        provider.credential = provider.credential.filter(|_| has_key);
        let checked = Models::new(vec![provider], QUICK).check_key(&hello().model);
        assert_eq!(checked.is_ok(), expected, "{dialect:?} {url} {has_key}: {checked:?}");
    };
    check(Dialect::Anthropic, "https://api.anthropic.com", true, true);
    check(Dialect::Anthropic, "https://api.anthropic.com", false, false);
    check(Dialect::OpenAi, "https://api.openai.com/v1", false, false);
    check(Dialect::OpenAi, "http://127.0.0.1:11434/v1", false, true);
    check(Dialect::OpenAi, "nonsense", false, false);
}

#[tokio::test]
async fn a_server_tells_which_models_it_has() {
    let fake = FakeModel::start().await;
    let served = async |url: &str| {
        let models = Models::new(vec![provider(Dialect::OpenAi, url)], QUICK);
        models.served("fake", Duration::from_secs(10)).await
    };
    let expected = ["fake-small", "fake-large"].map(String::from).to_vec();
    assert_eq!(served(&fake.openai_url()).await, Some(expected));
    assert_eq!(served(&format!("{}/nothing", fake.openai_url())).await, None);
    assert_eq!(served("http://127.0.0.1:9/v1").await, None);
    // Somebody who takes the connection and says nothing.
    let silent = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/v1", silent.local_addr().unwrap());
    let models = Models::new(vec![provider(Dialect::OpenAi, &url)], QUICK);
    assert_eq!(models.served("fake", Duration::from_millis(50)).await, None);
    assert_eq!(models.served("nobody", Duration::from_secs(10)).await, None);
}

#[test]
fn where_a_provider_is_is_shown_without_its_password() {
    let check = |url: &str, expected: Option<&str>| {
        assert_eq!(provider(Dialect::OpenAi, url).shown_url().as_deref(), expected);
    };
    check("https://me:secret@example.com/v1/?key=secret", Some("https://example.com/v1"));
    check("http://127.0.0.1:11434/v1", Some("http://127.0.0.1:11434/v1"));
    check("nonsense", None);
}
