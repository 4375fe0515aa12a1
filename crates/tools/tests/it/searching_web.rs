//! `websearch` in the three dialects, and its absence.

use crate::support::{Bench, parts};
use axum::{
    Json, Router,
    extract::RawQuery,
    http::{HeaderMap, StatusCode, header},
    routing::{get, post},
};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tools::{Builtin, SearchEndpoint, SearchKind, builtin};

async fn engine(router: Router, kind: SearchKind, path: &str, key: Option<&str>) -> Bench {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}{path}", listener.local_addr().unwrap()).parse().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    let search = Some(SearchEndpoint { kind, url, key: key.map(Into::into) });
    Bench::with(builtin(Builtin { search, ..parts() }).unwrap())
}

fn items(snippet: &str) -> Value {
    json!([
        { "title": "First", "url": "https://a.example/", snippet: "about a" },
        { "title": "No address", snippet: "dropped" },
        { "title": "Second", "url": "https://b.example/", snippet: "b".repeat(500) },
        { "title": "Third", "url": "https://c.example/" },
    ])
}

#[tokio::test]
async fn three_engines_are_understood() {
    let searxng = get(|RawQuery(query): RawQuery| async move {
        assert_eq!(query.as_deref(), Some("lang=en&q=tea+%26+caf%C3%A9&format=json"));
        Json(json!({ "results": items("content") }))
    });
    let brave = get(|RawQuery(query): RawQuery, headers: HeaderMap| async move {
        assert_eq!(query.as_deref(), Some("q=tea+%26+caf%C3%A9&count=2"));
        assert_eq!(headers["x-subscription-token"], "the-key");
        Json(json!({ "web": { "results": items("description") } }))
    });
    let tavily = post(|headers: HeaderMap, Json(body): Json<Value>| async move {
        assert_eq!(body, json!({ "query": "tea & café", "max_results": 2 }));
        assert_eq!(headers["authorization"], "Bearer the-key");
        Json(json!({ "results": items("content") }))
    });
    let router = Router::new().route("/searxng", searxng).route("/brave", brave).route("/tavily", tavily);
    let expected = format!(
        "1. First\nhttps://a.example/\nabout a\n\n2. Second\nhttps://b.example/\n{} …",
        "b".repeat(400)
    );
    for (kind, path, key) in [
        (SearchKind::Searxng, "/searxng?lang=en", None),
        (SearchKind::Brave, "/brave", Some("the-key")),
        (SearchKind::Tavily, "/tavily", Some("the-key")),
    ] {
        let bench = engine(router.clone(), kind, path, key).await;
        let found = bench.ok("websearch", json!({ "query": "tea & café", "count": 2 })).await;
        assert_eq!(found, expected, "{kind:?}");
    }
}

#[tokio::test]
async fn an_engine_in_trouble_is_told_in_words() {
    let router = Router::new()
        .route("/none", get(|| async { Json(json!({ "results": [] })) }))
        .route("/html", get(|| async { "<html>" }))
        .route("/odd", get(|| async { Json(json!({ "error": "x" })) }))
        .route("/limit", get(|| async { (StatusCode::TOO_MANY_REQUESTS, "slow down\nsecret detail") }))
        .route("/onward", get(|| async { (StatusCode::FOUND, [(header::LOCATION, "http://127.0.0.1:9/")]) }));
    let check = async |path: &str, part: &str| {
        let bench = engine(router.clone(), SearchKind::Searxng, path, Some("hunter2")).await;
        let said = bench.call("websearch", json!({ "query": "x" })).await.output;
        assert!(said.contains(part) && !said.contains("hunter2"), "{path}: {said}");
    };
    check("/none", "Nothing was found.").await;
    check("/html", "did not answer with JSON").await;
    check("/odd", "has no results in it").await;
    check("/limit", "answered 429 Too Many Requests: slow down …").await;
    check("/onward", "does not lead to the public internet").await;
}

#[tokio::test]
async fn without_an_engine_there_is_no_search() {
    let bench = Bench::new();
    assert!(bench.tools.get("websearch").is_none());
    assert!(bench.fails("websearch", json!({ "query": "x" })).await.contains("There is no tool named"));
}
