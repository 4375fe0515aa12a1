//! The page: there without a token, whether it was built or not, and nothing beside it.

use crate::{http::answer, world::World};
use reqwest::Method;

#[tokio::test]
async fn the_page_is_there_for_everybody_and_nothing_beside_it() {
    let world = World::new().await;
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let page = client.request(Method::GET, world.url("/")).send().await.unwrap();
    assert_eq!(page.status(), 200);
    assert_eq!(page.headers()["content-type"], "text/html; charset=utf-8");
    let policy = page.headers()["content-security-policy"].to_str().unwrap();
    assert!(policy.starts_with("default-src 'self'; ") && !policy.contains("unsafe"), "{policy}");
    let html = page.text().await.unwrap();
    assert!(html.contains("<title>Steward</title>") && !html.contains("<style"), "{html}");

    let check = async |path: &str| {
        let (status, body) = answer(client.request(Method::GET, world.url(path))).await;
        assert_eq!((status, body["error"]["code"].as_str()), (404, Some("not_found")), "{path}");
    };
    check("/assets/nothing.js").await;
    check("/assets/../../Cargo.toml").await;
    check("/assets/%2e%2e/index.html").await;
    check("/assets/..%2f..%2f..%2fCargo.toml").await;
    check("/index.html").await;
}
