//! Reaching allowed hosts through the proxy, and nothing else.

use crate::support::{found, sandbox, scratch, shell};
use sandbox::{FIXED_PATH, Finished, Network, Profile};
use std::{
    io::{Read as _, Write as _},
    net::TcpListener,
    thread,
};

/// A web server on the loopback interface that says which request it got.
fn server() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a server");
    let port = listener.local_addr().expect("an address").port();
    thread::spawn(move || {
        for mut peer in listener.incoming().flatten() {
            let mut request = [0; 4096];
            let count = peer.read(&mut request).unwrap_or(0);
            let body =
                String::from_utf8_lossy(&request[..count]).lines().next().unwrap_or_default().to_owned();
            let head =
                format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n", body.len());
            peer.write_all(format!("{head}{body}").as_bytes()).unwrap_or_default();
        }
    });
    port
}

async fn fetch(rules: &[String], line: &str) -> Finished {
    let dir = scratch();
    let rules = rules.iter().map(|rule| rule.parse().expect("a rule")).collect();
    let profile = Profile { network: Network::Hosts(rules), ..Profile::new(dir.path()) };
    sandbox().run(&profile, shell(line, dir.path()), |_| {}).await.expect("a sandbox")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn only_allowed_hosts_are_reached() {
    if !found("curl", FIXED_PATH) {
        return;
    }
    let (open, closed) = (server(), server());
    let rules = [format!("127.0.0.1:{open}")];
    let through = "curl -sS -m 5 -w ' %{http_code}'";
    for (line, wanted) in [
        (format!("{through} http://127.0.0.1:{open}/page?x=1"), "GET /page?x=1 HTTP/1.1 200".to_owned()),
        (format!("{through} -p http://127.0.0.1:{open}/tunnel"), "GET /tunnel HTTP/1.1 200".to_owned()),
        (
            format!("{through} http://127.0.0.1:{closed}/"),
            "not on the list of allowed hosts\n 403".to_owned(),
        ),
        (format!("{through} http://localhost:{open}/"), "not on the list of allowed hosts\n 403".to_owned()),
        (format!("{through} http://example.org/"), "not on the list of allowed hosts\n 403".to_owned()),
    ] {
        let done = fetch(&rules, &line).await;
        assert!(done.output.text().contains(&wanted), "{line}: {done:?}\n{}", done.output.text());
    }
    for line in [
        format!("curl -sS -m 5 --noproxy '*' http://127.0.0.1:{open}/"),
        "curl -sS -m 5 --noproxy '*' http://1.1.1.1/".to_owned(),
        "exec 3<>/dev/tcp/1.1.1.1/80".to_owned(),
        "exec 3<>/dev/udp/1.1.1.1/53".to_owned(),
    ] {
        let done = fetch(&rules, &line).await;
        assert_ne!(done.exit, Some(0), "{line}: {done:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_name_that_leads_inside_is_refused_and_reported() {
    if !found("curl", FIXED_PATH) {
        return;
    }
    let open = server();
    let done =
        fetch(&[format!("localhost:{open}")], &format!("curl -sS -m 5 http://localhost:{open}/")).await;
    assert!(done.output.text().contains("not a public address"), "{done:?}");
    assert_eq!(done.refused.len(), 1, "{done:?}");
    assert!(done.refused[0].starts_with(&format!("localhost:{open}: it leads to ")), "{done:?}");
}
