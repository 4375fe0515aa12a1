//! Every route, with every kind of token, from every kind of page.

use super::*;
use serde_json::json;

/// All methods and paths of the gateway, and whether they need the token, as its own document tells.
async fn routes(daemon: &Daemon) -> Vec<(String, String, bool)> {
    let document = daemon.get("/openapi.json").await;
    assert_eq!(document["openapi"], "3.1.0");
    let mut routes = Vec::new();
    for (path, operations) in document["paths"].as_object().unwrap() {
        for (method, operation) in operations.as_object().unwrap() {
            // What stands for an id is an id of nothing.
            let path = path.split('/').map(|part| if part.starts_with('{') { "nothing" } else { part });
            let path = path.collect::<Vec<_>>().join("/");
            routes.push((method.to_uppercase(), path, operation["security"] != json!([])));
        }
    }
    assert!(routes.len() > 15, "{routes:?}");
    routes
}

#[tokio::test]
async fn no_route_opens_to_the_wrong_token_or_page() {
    let world = World::new().await;
    let daemon = Daemon::start(&world).await;
    let old = daemon.door.clone();
    let token = daemon.post("/api/token/rotate", json!({})).await["token"].as_str().unwrap().to_owned();
    let daemon = Daemon { door: Door { token, ..old.clone() }, ..daemon };
    let good = format!("Bearer {}", daemon.door.token);
    let rotated = format!("Bearer {}", old.token);
    let own = format!("http://{}", daemon.door.address);
    let tokens = [
        ("none", None),
        ("bad", Some("Bearer guess")),
        ("rotated", Some(rotated.as_str())),
        ("good", Some(good.as_str())),
    ];
    let origins = [
        ("absent", None, true),
        ("own", Some(own.as_str()), true),
        ("foreign", Some("http://evil.example"), false),
        ("null", Some("null"), false),
        ("another port", Some("http://127.0.0.1:1"), false),
    ];
    for (method, path, guarded) in routes(&daemon).await {
        // This one would change the token under the test's feet.
        if path == "/api/token/rotate" {
            continue;
        }
        for (token, bearer) in tokens {
            for (origin, header, may) in origins {
                let mut headers = vec![("connection", "close")];
                headers.extend(bearer.map(|bearer| ("authorization", bearer)));
                headers.extend(header.map(|origin| ("origin", origin)));
                let body = (method == "POST").then(|| json!({}));
                let request = daemon.door.bare_request(&method, &path, &headers, body.as_ref());
                let case = format!("{method} {path} with {token} token from {origin} page");
                let answer = daemon.door.send(&request).await;
                let code = || answer.json()["error"]["code"].as_str().unwrap_or_default().to_owned();
                match (may, guarded, token) {
                    (false, ..) => {
                        assert_eq!((answer.status, code().as_str()), (403, "wrong_origin"), "{case}")
                    }
                    (true, true, "none") => {
                        assert_eq!((answer.status, code().as_str()), (401, "unauthorized"), "{case}")
                    }
                    // Those who guess are put off after a while.
                    (true, true, "bad" | "rotated") => {
                        assert!([401, 429].contains(&answer.status), "{case}: {}", answer.status)
                    }
                    _ => {
                        let refused = [401, 403, 421].contains(&answer.status) && !path.starts_with("/login");
                        assert!(!refused, "{case}: {} {}", answer.status, answer.body);
                    }
                }
                if answer.status >= 400 {
                    assert!(answer.json()["error"]["message"].is_string(), "{case}: {}", answer.body);
                }
            }
        }
    }
    for host in ["evil.example", "127.0.0.1:1", "localhost"] {
        let headers = [("host", host), ("authorization", good.as_str()), ("connection", "close")];
        let answer = daemon.door.send(&daemon.door.bare_request("GET", "/api/tasks", &headers, None)).await;
        assert_eq!(
            (answer.status, answer.json()["error"]["code"].clone()),
            (421, json!("wrong_host")),
            "{host}"
        );
    }
    // What happened at the doors can be read in the log.
    let audit = world.run(&["audit", "tail", "--limit", "200", "--json"]).await;
    assert!(audit.out.contains("auth.refused") && audit.out.contains("auth.rotated"), "{}", audit.out);
    assert!(!audit.out.contains(&daemon.door.token) && !audit.out.contains(&old.token));
    let refused = audit.out.matches("auth.refused").count();
    assert!(refused <= 25, "the log is not flooded: {refused}");
}

#[tokio::test]
async fn a_browser_signs_in_by_a_link_that_works_once() {
    let world = World::new().await;
    let daemon = Daemon::start(&world).await;
    let (_, link) = daemon.ready.split_once("/login/").expect("the ready line has a link");
    let path = format!("/login/{}", link.split([' ', ')']).next().unwrap());
    let open = |headers: Vec<(&'static str, String)>, method: &'static str, path: String| {
        let door = daemon.door.clone();
        async move {
            let mut headers: Vec<(&str, &str)> =
                headers.iter().map(|(name, value)| (*name, value.as_str())).collect();
            headers.push(("connection", "close"));
            door.send(&door.bare_request(method, &path, &headers, None)).await
        }
    };
    let answer = open(vec![], "GET", path.clone()).await;
    assert_eq!(answer.status, 303, "{}", answer.body);
    let cookie = answer.head.lines().find_map(|line| line.strip_prefix("set-cookie: ")).unwrap().to_owned();
    assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
    assert!(answer.head.lines().any(|line| line == "location: /"), "{}", answer.head);
    assert_eq!(open(vec![], "GET", path).await.status, 401, "the link is used up");

    let pair = cookie.split(';').next().unwrap().to_owned();
    let with = |pair: &str| vec![("cookie", format!("other=1; {pair}"))];
    assert_eq!(open(with(&pair), "GET", "/api/tasks".into()).await.status, 200);
    assert_eq!(open(with(&format!("{pair}0")), "GET", "/api/tasks".into()).await.status, 401);
    let foreign = vec![("cookie", pair.clone()), ("origin", "http://evil.example".to_owned())];
    assert_eq!(open(foreign, "GET", "/api/tasks".into()).await.status, 403);

    // A cookie outlives the daemon, not the token.
    let address = daemon.door.address;
    daemon.kill().await;
    let daemon = Daemon::start_at(&world, address).await;
    let request =
        daemon.door.bare_request("GET", "/api/tasks", &[("cookie", &pair), ("connection", "close")], None);
    assert_eq!(daemon.door.send(&request).await.status, 200);
    daemon.post("/api/token/rotate", json!({})).await;
    assert_eq!(daemon.door.send(&request).await.status, 401);
}

#[tokio::test]
async fn a_new_token_ends_live_streams() {
    let world = World::new().await;
    world.fake.script(testkit::Script::new().call("bash", r#"{"command":"echo 1"}"#));
    let daemon = Daemon::start(&world).await;
    let task = daemon.post("/api/tasks", json!({ "prompt": "wait" })).await;
    let path = format!("/api/tasks/{}/events", task["id"].as_str().unwrap());
    let mut listening = daemon.door.listen(&path, None).await.unwrap();
    while listening.event().await.unwrap().json()["type"] != "approval_request" {}
    daemon.post("/api/token/rotate", json!({})).await;
    assert_eq!(listening.event().await, None);
    assert_eq!(daemon.door.ask("GET", "/api/tasks", None).await.status, 401);
}
