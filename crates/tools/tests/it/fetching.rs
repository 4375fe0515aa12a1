//! `webfetch` against real servers on loopback, and against every way to be led inside.

use crate::support::{Bench, parts};
use axum::{
    Router,
    body::Body,
    http::{StatusCode, header},
    response::{IntoResponse, Response},
    routing::get,
};
use futures::future::BoxFuture;
use protocol::CallStatus;
use serde_json::json;
use std::{
    io,
    net::IpAddr,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};
use tokio::net::TcpListener;
use tools::{Builtin, FetchLimits, Fetcher, Lookup, builtin};

/// Every name leads to these, in turn; the last one stays.
struct Names {
    answers: Vec<Vec<IpAddr>>,
    asked: AtomicUsize,
}

impl Names {
    fn new(answers: &[&[&str]]) -> Arc<Self> {
        let parse = |list: &&[&str]| list.iter().map(|address| address.parse().unwrap()).collect();
        Arc::new(Self { answers: answers.iter().map(parse).collect(), asked: AtomicUsize::new(0) })
    }
}

impl Lookup for Names {
    fn addresses<'a>(&'a self, _name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        let turn = self.asked.fetch_add(1, Ordering::Relaxed).min(self.answers.len() - 1);
        Box::pin(async move { Ok(self.answers[turn].clone()) })
    }
}

fn bench(names: Arc<Names>, allowed: &[String]) -> Bench {
    let limits = FetchLimits { timeout_ms: 5_000, ..FetchLimits::default() };
    let fetcher = Fetcher::with(limits, names, allowed.iter().cloned());
    Bench::with(builtin(Builtin { fetcher, ..parts() }).unwrap())
}

/// A server with these routes; gives its `host:port`.
async fn serve(router: Router) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
    address
}

/// A bench that may reach one server.
async fn with_server(router: Router) -> (Bench, String) {
    let address = serve(router).await;
    (bench(Names::new(&[&["127.0.0.1"]]), std::slice::from_ref(&address)), format!("http://{address}"))
}

/// Something nobody may connect to, on every local address; counts who did.
async fn canary() -> (u16, Arc<AtomicUsize>) {
    let hits = Arc::new(AtomicUsize::new(0));
    let listener = TcpListener::bind("0.0.0.0:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut listeners = vec![listener];
    listeners.extend(TcpListener::bind(("::1", port)).await.ok());
    for listener in listeners {
        let hits = hits.clone();
        tokio::spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.unwrap();
                hits.fetch_add(1, Ordering::Relaxed);
                drop(stream);
            }
        });
    }
    (port, hits)
}

/// Hosts that lead inside however they are spelled. `PORT` stands for the canary's port.
const SPELLINGS: &[&str] = &[
    // Plain.
    "http://127.0.0.1:PORT/",
    "https://127.0.0.1:PORT/",
    "http://localhost:PORT/",
    "http://LOCALHOST:PORT/",
    "http://localhost.:PORT/",
    "http://foo.localhost:PORT/",
    "http://anything.example:PORT/",
    "http://[::1]:PORT/",
    "http://0.0.0.0:PORT/",
    "http://[::]:PORT/",
    "http://0:PORT/",
    "http://127.1.2.3:PORT/",
    "http://127.255.255.254:PORT/",
    // Numbers in other bases and shorter forms.
    "http://127.1:PORT/",
    "http://127.0.1:PORT/",
    "http://2130706433:PORT/",
    "http://0x7f000001:PORT/",
    "http://0x7f.0.0.1:PORT/",
    "http://0x7f.1:PORT/",
    "http://0X7F.0X0.0X0.0X1:PORT/",
    "http://0177.0.0.1:PORT/",
    "http://0177.1:PORT/",
    "http://017700000001:PORT/",
    "http://00000177.0.0.01:PORT/",
    "http://127.0.0.1.:PORT/",
    "http://127.000.000.001:PORT/",
    "http://0x7f.0.0.0x1.:PORT/",
    // IPv4 dressed up as IPv6.
    "http://[::ffff:127.0.0.1]:PORT/",
    "http://[::ffff:7f00:1]:PORT/",
    "http://[0:0:0:0:0:ffff:127.0.0.1]:PORT/",
    "http://[::127.0.0.1]:PORT/",
    "http://[::7f00:1]:PORT/",
    "http://[::ffff:0:7f00:1]:PORT/",
    "http://[64:ff9b::127.0.0.1]:PORT/",
    "http://[64:ff9b::7f00:1]:PORT/",
    "http://[64:ff9b:1::7f00:1]:PORT/",
    "http://[2002:7f00:1::]:PORT/",
    "http://[2001:0:7f00:1::]:PORT/",
    "http://[0000:0000:0000:0000:0000:0000:0000:0001]:PORT/",
    "http://[::1%25lo]:PORT/",
    "http://[::1%lo]:PORT/",
    "http://[fe80::1]:PORT/",
    "http://[fc00::1]:PORT/",
    "http://[fd00:ec2::254]:PORT/",
    "http://[fec0::1]:PORT/",
    "http://[ff02::1]:PORT/",
    "http://[2001:db8::1]:PORT/",
    // Private, shared, reserved, multicast, metadata.
    "http://10.0.0.1:PORT/",
    "http://172.16.0.1:PORT/",
    "http://172.31.255.255:PORT/",
    "http://192.168.0.1:PORT/",
    "http://169.254.169.254/latest/meta-data/",
    "http://169.254.169.254.:80/",
    "http://0xa9fea9fe/",
    "http://2852039166/",
    "http://[::ffff:169.254.169.254]/",
    "http://100.100.100.200/",
    "http://100.64.0.1:PORT/",
    "http://168.63.129.16/",
    "http://192.0.0.192/",
    "http://198.18.0.1:PORT/",
    "http://224.0.0.1:PORT/",
    "http://239.255.255.250:PORT/",
    "http://240.0.0.1:PORT/",
    "http://255.255.255.255:PORT/",
    "http://metadata.google.internal/",
    // User names, which hide the host.
    "http://example.org@127.0.0.1:PORT/",
    "http://example.org:80@127.0.0.1:PORT/",
    "http://user:word@127.0.0.1:PORT/",
    "http://example.org%40127.0.0.1:PORT/",
    "http://127.0.0.1:PORT#@example.org/",
    "http://127.0.0.1:PORT?@example.org/",
    // What parsers disagree on.
    "http:\\\\127.0.0.1:PORT\\",
    "http://example.org\\@127.0.0.1:PORT/",
    "http:127.0.0.1:PORT/",
    "http:/127.0.0.1:PORT/",
    "http:///127.0.0.1:PORT/",
    " http://127.0.0.1:PORT/",
    "http://127.0.0.1:PORT/ ",
    "ht\ttp://127.0.0.1:PORT/",
    "http://127.0.0.1\n:PORT/",
    "http://127.0.0.1\0.example.org:PORT/",
    "http://127.0.0.1%00.example.org:PORT/",
    "http://127。0。0。1:PORT/",
    "http://127．0．0．1:PORT/",
    "http://①②⑦.⓪.⓪.①:PORT/",
    "http://１２７.0.0.1:PORT/",
    "http://ⓛocalhost:PORT/",
    "http://loc\u{ad}alhost:PORT/",
    "http://%31%32%37.0.0.1:PORT/",
    "http://127.0.0.1:0PORT/",
    // Other schemes and no host at all.
    "file:///etc/passwd",
    "ftp://127.0.0.1:PORT/",
    "gopher://127.0.0.1:PORT/_x",
    "dict://127.0.0.1:PORT/",
    "ws://127.0.0.1:PORT/",
    "data:text/html,x",
    "javascript:alert(1)",
    "unix:/run/docker.sock",
    "//127.0.0.1:PORT/",
    "127.0.0.1:PORT",
    "http://:PORT/",
    "http://",
    "",
];

#[tokio::test]
async fn no_spelling_reaches_inside() {
    let (port, hits) = canary().await;
    // The worst resolver there is: every name leads to this machine.
    let bench = bench(Names::new(&[&["127.0.0.1"]]), &[]);
    assert!(SPELLINGS.len() >= 80);
    for spelling in SPELLINGS {
        let url = spelling.replace("PORT", &port.to_string());
        let result = bench.call("webfetch", json!({ "url": url })).await;
        assert_eq!(result.status, CallStatus::Failed, "{url:?}: {}", result.output);
        assert_eq!(hits.load(Ordering::Relaxed), 0, "{url:?}");
    }
    let long = format!("http://127.0.0.1:{port}/{}", "x".repeat(10_000));
    assert!(bench.fails("webfetch", json!({ "url": long })).await.contains("too long"));
}

#[tokio::test]
async fn the_canary_would_sing() {
    let (port, hits) = canary().await;
    let bench =
        bench(Names::new(&[&["127.0.0.1"]]), &[format!("127.0.0.1:{port}"), format!("name.test:{port}")]);
    bench.fails("webfetch", json!({ "url": format!("http://127.0.0.1:{port}/") })).await;
    assert!(hits.load(Ordering::Relaxed) > 0);
    // What is allowed is this host at this port, by this name.
    let before = hits.load(Ordering::Relaxed);
    bench.fails("webfetch", json!({ "url": format!("http://127.0.0.2:{port}/") })).await;
    bench.fails("webfetch", json!({ "url": format!("http://other.test:{port}/") })).await;
    assert_eq!(hits.load(Ordering::Relaxed), before);
}

#[tokio::test]
async fn every_address_of_a_name_is_judged() {
    let (port, hits) = canary().await;
    let public = "93.184.216.34";
    let lists: &[&[&str]] = &[
        &[public, "127.0.0.1"],
        &["127.0.0.1", public],
        &["2606:2800:220:1:248:1893:25c8:1946", "::1"],
        &["::ffff:127.0.0.1"],
        &["::ffff:10.0.0.1", public],
        &["fe80::1"],
        &["169.254.169.254"],
        &["0.0.0.0"],
        &[],
    ];
    for list in lists {
        let bench = bench(Names::new(&[list]), &[]);
        let why = bench.fails("webfetch", json!({ "url": format!("http://name.test:{port}/") })).await;
        assert!(
            why.contains("does not lead to the public internet") || why.contains("has no address"),
            "{list:?}: {why}"
        );
    }
    assert_eq!(hits.load(Ordering::Relaxed), 0);
}

/// A name whose answer changes between the check and the connection is asked once and then held to.
#[tokio::test]
async fn a_name_is_looked_up_once_and_pinned() {
    let address = serve(Router::new().route("/", get("the honest server"))).await;
    let port: u16 = address.rsplit(':').next().unwrap().parse().unwrap();
    let names = Names::new(&[&["127.0.0.1"], &["127.0.0.2"]]);
    let bench = bench(names.clone(), &[format!("name.test:{port}")]);
    let text = bench.ok("webfetch", json!({ "url": format!("http://name.test:{port}/") })).await;
    assert!(text.contains("the honest server"), "{text}");
    assert_eq!(names.asked.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn redirects_are_checked_one_by_one() {
    let (canary_port, hits) = canary().await;
    let targets = [
        format!("http://127.0.0.1:{canary_port}/"),
        format!("//127.0.0.1:{canary_port}/"),
        format!("http://2130706433:{canary_port}/"),
        format!("http://[::ffff:7f00:1]:{canary_port}/"),
        format!("http://name.test:{canary_port}/"),
        format!("http://x@127.0.0.1:{canary_port}/"),
        "file:///etc/passwd".into(),
        "http://169.254.169.254/".into(),
    ];
    let mut router = Router::new().route("/end", get("the end"));
    for (number, target) in targets.iter().enumerate() {
        for status in [301, 302, 303, 307, 308] {
            let answer = (StatusCode::from_u16(status).unwrap(), [(header::LOCATION, target.clone())]);
            router = router.route(&format!("/{number}/{status}"), get(|| async { answer }));
        }
    }
    for left in 0..9_u32 {
        let onward = if left == 0 { "/end".into() } else { format!("hop{}", left - 1) };
        let answer = (StatusCode::FOUND, [(header::LOCATION, onward)]);
        router = router.route(&format!("/hop{left}"), get(|| async { answer }));
    }
    let (bench, base) = with_server(router).await;
    for number in 0..targets.len() {
        for status in [301, 302, 303, 307, 308] {
            let why = bench.fails("webfetch", json!({ "url": format!("{base}/{number}/{status}") })).await;
            assert!(why.starts_with("It redirects to"), "{number} {status}: {why}");
        }
    }
    assert_eq!(hits.load(Ordering::Relaxed), 0);
    for user in ["user:word@", "user@", ":word@"] {
        let url = format!("{base}/end").replace("http://", &format!("http://{user}"));
        let why = bench.fails("webfetch", json!({ "url": url })).await;
        assert!(why.contains("user name or a password"), "{why}");
    }
    let text = bench.ok("webfetch", json!({ "url": format!("{base}/hop4") })).await;
    assert_eq!(text, format!("{base}/end\n\nthe end"));
    let why = bench.fails("webfetch", json!({ "url": format!("{base}/hop5") })).await;
    assert!(why.contains("more than 5 times"), "{why}");
}

#[tokio::test]
async fn pages_come_as_markdown_and_the_rest_as_it_is() {
    let html = "<!doctype html><title>Tea</title><body><h1>Tea</h1><p>Leaves and <b>water</b>.</p><script>x</script>";
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x02\0\0\0\x03".to_vec();
    let typed = |kind: &'static str, body: Vec<u8>| {
        get(move || async move { ([(header::CONTENT_TYPE, kind)], body) })
    };
    let router = Router::new()
        .route("/html", typed("text/html; charset=utf-8", html.into()))
        .route("/latin", typed("text/html; charset=latin1", b"<p>caf\xe9</p>".to_vec()))
        .route("/json", typed("application/json", b"{\"a\": \"<p>\"}".to_vec()))
        .route("/text", typed("text/plain", b"<p>as it is</p>".to_vec()))
        .route("/png", typed("image/png", png))
        .route("/zip", typed("application/zip", b"PK\x03\x04\0\0".to_vec()))
        .route("/gone", get(|| async { (StatusCode::GONE, "it is gone") }))
        .route("/long", typed("text/plain", "ä".repeat(20_000).into_bytes()));
    let (bench, base) = with_server(router).await;
    let fetch = async |path: &str| bench.call("webfetch", json!({ "url": format!("{base}{path}") })).await;
    let page = fetch("/html").await.output;
    assert!(page.starts_with(&format!("{base}/html\n\n# Tea\n")) && page.contains("**water**"), "{page}");
    assert!(!page.contains("<"), "{page}");
    assert!(fetch("/latin").await.output.contains("café"));
    assert_eq!(fetch("/json").await.output, format!("{base}/json\n\n{{\"a\": \"<p>\"}}"));
    assert_eq!(fetch("/text").await.output, format!("{base}/text\n\n<p>as it is</p>"));
    let picture = fetch("/png").await;
    assert_eq!((picture.attachments.len(), picture.status), (1, CallStatus::Succeeded));
    assert!(fetch("/zip").await.output.contains("not text: `application/zip`"));
    let gone = fetch("/gone").await;
    assert_eq!(gone.status, CallStatus::Failed);
    assert!(gone.output.contains("status 410 Gone\n\nit is gone"), "{}", gone.output);
    let long = fetch("/long").await;
    assert!(
        long.truncated
            && long.output.ends_with("[10000 more characters were cut; ask for more with maxChars]")
    );
    let more = bench.ok("webfetch", json!({ "url": format!("{base}/long"), "maxChars": 20_000 })).await;
    assert!(more.ends_with("ää"));
}

#[tokio::test]
async fn floods_bombs_and_silence_are_cut() {
    let endless = || async {
        let piece = axum::body::Bytes::from(vec![b'x'; 65_536]);
        Body::from_stream(futures::stream::repeat_with(move || Ok::<_, io::Error>(piece.clone())))
            .into_response()
    };
    let drip = || async {
        let drops = futures::stream::unfold((), |()| async {
            tokio::time::sleep(Duration::from_millis(200)).await;
            Some((Ok::<_, io::Error>("x"), ()))
        });
        Body::from_stream(drops).into_response()
    };
    let bomb = || async {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        io::Write::write_all(&mut packer, &vec![0; 50 << 20]).unwrap();
        let body = packer.finish().unwrap();
        Response::builder().header(header::CONTENT_ENCODING, "gzip").body(Body::from(body)).unwrap()
    };
    let router = Router::new()
        .route("/endless", get(endless))
        .route("/drip", get(drip))
        .route("/bomb", get(bomb))
        .route("/silence", get(std::future::pending::<()>));
    let (bench, base) = with_server(router).await;
    let fetch = async |path: &str| bench.call("webfetch", json!({ "url": format!("{base}{path}") })).await;
    let endless = fetch("/endless").await;
    assert!(
        endless.truncated && endless.output.contains("[only the first 10.5 MB were read]"),
        "{}",
        endless.output
    );
    for path in ["/drip", "/silence"] {
        let begun = Instant::now();
        let result = fetch(path).await;
        assert!(result.output.contains("took longer than 5 s"), "{path}: {}", result.output);
        assert!(begun.elapsed() < Duration::from_secs(8));
    }
    let bomb = fetch("/bomb").await;
    assert!(bomb.output.contains("far more than it is"), "{}", bomb.output);
}
