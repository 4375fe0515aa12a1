//! Vectors from an endpoint: batches, retries, and errors that keep the key.

use crate::fake::{Answer, Fake, Request};
use embed::{EmbedError, Embedder, EndpointError, EndpointSettings, ModelInfo, Unavailable};
use serde_json::{Value, json};

const KEY: &str = "sk-very-secret";

fn embedder(fake: &Fake, dimensions: Option<usize>) -> Embedder {
    Embedder::endpoint(EndpointSettings {
        base_url: format!("http://{}/v1/", fake.address),
        model: "small".to_owned(),
        api_key: Some(KEY.into()),
        dimensions,
    })
}

fn inputs(request: &Request) -> Vec<String> {
    let body: Value = serde_json::from_str(&request.body).unwrap();
    body["input"].as_array().unwrap().iter().map(|it| it.as_str().unwrap().to_owned()).collect()
}

/// For each text (its length, 1), in reverse order, as the dialect allows.
fn lengths(request: &Request) -> Answer {
    let vectors = inputs(request).into_iter().enumerate().rev();
    let data: Vec<Value> =
        vectors.map(|(index, it)| json!({"index": index, "embedding": [it.len(), 1]})).collect();
    (200, "content-type: application/json\r\n", json!({ "data": data }).to_string().into_bytes())
}

#[test]
fn texts_go_in_batches_and_come_back_in_order_with_unit_length() {
    let fake = Fake::start(|_, request| lengths(request));
    let texts: Vec<String> = (0..150).map(|at| "x".repeat(at)).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let vectors = embedder(&fake, None).embed(&texts).unwrap();
    assert_eq!(vectors[0], [0.0, 0.0], "an empty text is not sent");
    for (at, vector) in vectors.iter().enumerate().skip(1) {
        let length = ((at * at + 1) as f32).sqrt();
        assert!((vector[0] - at as f32 / length).abs() < 1e-6, "{at}: {vector:?}");
        assert!((vector[0].hypot(vector[1]) - 1.0).abs() < 1e-6);
    }
    let requests = fake.requests();
    let sizes: Vec<usize> = requests.iter().map(|it| inputs(it).len()).collect();
    assert_eq!(sizes, [64, 64, 21]);
    assert_eq!(requests[0].line, "POST /v1/embeddings HTTP/1.1");
    assert!(requests[0].headers.contains(&format!("authorization: bearer {KEY}\r\n")));
}

#[test]
fn how_long_vectors_are_is_asked_once_unless_it_is_known() {
    let fake = Fake::start(|_, request| lengths(request));
    let asked = embedder(&fake, None);
    let url = format!("http://{}/v1/embeddings", fake.address);
    let expected =
        ModelInfo { name: "small".into(), fingerprint: format!("endpoint:{url}:small"), dimensions: 2 };
    assert_eq!(asked.model().unwrap(), expected);
    assert_eq!(asked.model().unwrap(), expected);
    assert_eq!(fake.requests().len(), 1);
    let known = embedder(&fake, Some(2));
    assert_eq!(known.model().unwrap().fingerprint, format!("endpoint:{url}:small:2"));
    assert_eq!(known.embed(&["", " "]).unwrap(), [[0.0; 2]; 2]);
    assert_eq!(fake.requests().len(), 1);
    assert_eq!((known.is_loaded(), known.loaded_bytes()), (false, 0));
}

#[test]
fn a_busy_server_is_asked_once_more() {
    let fake = Fake::start(|number, request| match number {
        0 => (429, "retry-after: 0\r\n", Vec::new()),
        _ => lengths(request),
    });
    assert_eq!(embedder(&fake, None).embed(&["a"]).unwrap().len(), 1);
    assert_eq!(fake.requests().len(), 2);
    let busy = Fake::start(|_, _| (503, "retry-after: 0\r\n", b"{\"error\":\"loading\"}".to_vec()));
    let error = embedder(&busy, None).embed(&["a"]).unwrap_err();
    let url = format!("http://{}/v1/embeddings", busy.address);
    let expected = EndpointError::Refused { url, status: 503, said: "loading".to_owned() };
    assert_eq!(error, EmbedError::Endpoint(expected));
    assert_eq!(busy.requests().len(), 2);
}

#[test]
fn no_error_holds_the_key() {
    let check = |status: u16, body: &'static str, expected: &str| {
        let fake = Fake::start(move |_, _| (status, "", body.into()));
        let embedder = embedder(&fake, None);
        for error in
            [embedder.embed(&["a"]).unwrap_err().to_string(), embedder.model().unwrap_err().to_string()]
        {
            assert!(error.contains(expected), "{error}");
            assert!(!error.contains(KEY), "{error}");
        }
    };
    check(401, "bad key sk-very-secret", "it refused the key (status 401)");
    check(400, r#"{"error":{"message":"sk-very-secret may not"}}"#, "status 400: … may not");
    check(302, "", "status 302");
    check(200, "sk-very-secret", "the answer has no vectors in it");
    check(200, r#"{"data":[]}"#, "fewer vectors");
}

#[test]
fn vectors_of_another_length_are_refused() {
    let fake = Fake::start(|number, _| {
        let numbers = vec![1; number + 1];
        (200, "", json!({"data": [{"index": 0, "embedding": numbers}]}).to_string().into_bytes())
    });
    let embedder = embedder(&fake, None);
    embedder.embed(&["a"]).unwrap();
    let error = embedder.embed(&["a"]).unwrap_err().to_string();
    assert!(error.contains("a vector has 2 numbers instead of 1"), "{error}");
}

#[test]
fn whoever_is_not_there_is_named() {
    let nobody = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let settings = EndpointSettings {
        base_url: format!("http://{nobody}/v1"),
        model: "small".to_owned(),
        api_key: None,
        dimensions: None,
    };
    let error = Embedder::endpoint(settings).model().unwrap_err();
    let expected =
        format!("no embeddings from http://{nobody}/v1/embeddings: nobody answers there; is it running?");
    assert_eq!(error.to_string(), expected);
    assert!(matches!(error, Unavailable::Endpoint(EndpointError::Unreachable { .. })));
}

#[tokio::test]
async fn it_can_be_asked_from_within_a_runtime() {
    let fake = Fake::start(|_, request| lengths(request));
    assert_eq!(embedder(&fake, None).embed(&["a"]).unwrap().len(), 1);
}
