//! The pure pieces of the web tools, and the one thing only seen from inside: what becomes of credentials.

use super::{
    body::{Body, Taken},
    fetch::{FetchLimits, Fetcher, Request},
    guard::System,
    readable, shallow,
};
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderValue};
use std::{
    io::Write as _,
    sync::{Arc, Mutex},
};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpListener,
};

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

#[test]
fn a_body_is_taken_in_up_to_its_limits() {
    let take = |encoding: &str, bytes: &[u8], max: usize| -> Result<Taken, String> {
        let mut body = Body::new(encoding, max)?;
        for piece in bytes.chunks(1_000) {
            if !body.push(piece)? {
                break;
            }
        }
        Ok(body.finish())
    };
    let whole = |text: &[u8]| Ok(Taken { bytes: text.to_vec(), cut: false });
    let noise: Vec<u8> =
        (0..50_000_u32).flat_map(|number| number.wrapping_mul(2_654_435_761).to_le_bytes()).collect();
    assert_eq!(take("", b"plain", 100), whole(b"plain"));
    assert_eq!(take("", b"exact", 5), whole(b"exact"));
    assert_eq!(take("", b"too long", 3), Ok(Taken { bytes: b"too".to_vec(), cut: true }));
    assert_eq!(take("GZIP", &gzip(&noise), 200_000), whole(&noise));
    assert_eq!(take("gzip", &gzip(&noise), 1_000), Ok(Taken { bytes: noise[..1_000].to_vec(), cut: true }));
    assert_eq!(take("gzip", &[gzip(b"one"), gzip(b"two")].concat(), 100), whole(b"onetwo"));
    assert!(take("gzip", b"not gzip at all", 100).unwrap_err().contains("could not be unpacked"));
    assert!(take("br", b"", 100).unwrap_err().contains("`br`"));
    assert!(take("gzip, gzip", b"", 100).is_err());
    let bomb = gzip(&vec![0; 100 << 20]);
    assert!(bomb.len() < 120_000);
    assert!(take("gzip", &bomb, 10 << 20).unwrap_err().contains("far more than it is"));
}

#[test]
fn bytes_become_text_by_the_encoding_they_name() {
    let check = |bytes: &[u8], content_type: &str, text: &str| {
        assert_eq!(readable::decode(bytes, content_type), text, "{content_type}");
    };
    check("é".as_bytes(), "text/html", "é");
    check(b"caf\xe9", "text/html; charset=ISO-8859-1", "café");
    check(b"caf\xe9", "text/html; Charset=\"latin1\"; x=y", "café");
    check(b"<meta charset='windows-1252'>\x80", "text/html", "<meta charset='windows-1252'>€");
    check(b"\xff\xfe\x61\0", "text/html; charset=utf-16le", "a");
    check(b"caf\xe9", "text/html; charset=odd", "caf\u{fffd}");
    check(b"\xef\xbb\xbfx", "text/html", "x");
}

#[test]
fn a_page_becomes_markdown() {
    let paragraph = "Some words about a thing, with commas, and enough of them to count as text. ".repeat(8);
    let article = format!(
        "<html><head><title>A title</title></head><body><nav><a href=/x>menu</a></nav><article><h2>Head</h2>\
         <p>{paragraph}</p><p>{paragraph}<a href='/rel'>link</a></p></article><script>evil()</script></body></html>"
    );
    let page = readable::page(&article, "https://example.org/a/b");
    assert_eq!(page.title, "A title");
    assert!(page.markdown.contains("[link](https://example.org/rel)"), "{}", page.markdown);
    assert!(page.markdown.contains("## Head") && !page.markdown.contains("evil"), "{}", page.markdown);
    let short =
        readable::page("<title>T</title><ul><li>one<li>two</ul><script>evil()</script>", "https://x.org");
    assert_eq!((short.title.as_str(), short.markdown.contains("evil")), ("T", false));
    assert!(short.markdown.contains("one") && short.markdown.contains("two"), "{}", short.markdown);
}

/// Pages made to overflow a stack or to take for ever.
#[test]
fn a_hostile_page_ends_in_an_answer() {
    for (what, html) in [
        ("divs", "<div>".repeat(100_000)),
        ("spans", format!("<body>{}x", "<span>".repeat(100_000))),
        ("lists", "<ul><li>".repeat(50_000)),
        ("tables", "<table><tr><td>".repeat(30_000)),
        ("quotes", format!("{}x", "<blockquote><b>".repeat(50_000))),
        ("formatting", "<b><i><a><nobr>".repeat(20_000)),
        ("attributes", format!("<p {}>x", "a=b ".repeat(100_000))),
        ("unique attributes", format!("<p {}>x", (0..500_000).map(|n| format!("a{n} ")).collect::<String>())),
        ("misnested", "<span><span><div></span></span></div>".repeat(20_000)),
        ("adopted", "<b><div></b>".repeat(50_000)),
        ("drawings", format!("<svg>{}", "<g><p>".repeat(50_000))),
        ("wide", "<p>x</p>".repeat(300_000)),
    ] {
        let begun = std::time::Instant::now();
        let page = std::thread::Builder::new()
            // What the runtime gives its blocking threads.
            .stack_size(2 << 20)
            .spawn(move || readable::page(&html, "https://example.org/").markdown.len())
            .unwrap()
            .join();
        println!("{what}: {page:?} in {:?}", begun.elapsed());
        assert!(page.is_ok(), "{what}");
        assert!(begun.elapsed().as_secs() < 20, "{what}");
    }
}

#[test]
fn the_tree_stays_shallow_and_keeps_its_words() {
    for piece in [
        "<div>word",
        "<span>word",
        "<b>word",
        "<x-y>word",
        "<ul><li>word",
        "<table><tr><td>word",
        "<section><p>word",
        "<span><span><div></span></span></div>word",
        "<b><div></b>word",
        "<div><table><tr><td></div>word",
        "<object></div>word",
        "<math><mi>word",
        "<rt>word",
        "<template>word",
        "<select><option>word",
        "<svg></svg><div/>word",
    ] {
        let document = shallow::parse(&piece.repeat(3_000));
        let nodes = document.select("*");
        let depth = nodes.nodes().iter().map(|node| node.ancestors(None).len()).max().unwrap();
        assert!(depth < 1_000, "{piece}: {depth}");
        let words = document.text().matches("word").count();
        assert!(words == 3_000 || piece.starts_with("<template"), "{piece}: {words}");
    }
}

/// A server that answers every request alike and remembers them.
async fn server(answer: String) -> (String, Arc<Mutex<Vec<String>>>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap().to_string();
    let requests = Arc::new(Mutex::new(Vec::new()));
    let seen = requests.clone();
    tokio::spawn(async move {
        loop {
            let (mut stream, _) = listener.accept().await.unwrap();
            let mut buffer = vec![0; 10_000];
            let count = stream.read(&mut buffer).await.unwrap();
            seen.lock().unwrap().push(String::from_utf8_lossy(&buffer[..count]).to_ascii_lowercase());
            stream.write_all(answer.as_bytes()).await.unwrap();
        }
    });
    (address, requests)
}

#[tokio::test]
async fn credentials_stay_with_their_origin() {
    let (last, seen_last) =
        server("HTTP/1.1 200 OK\r\nContent-Length: 4\r\nConnection: close\r\n\r\nlast".into()).await;
    let onward = format!(
        "HTTP/1.1 302 Found\r\nLocation: http://{last}/\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
    );
    let (first, seen_first) = server(onward).await;
    let fetcher = Fetcher::with(FetchLimits::default(), Arc::new(System), [first.clone(), last.clone()]);
    let headers = HeaderMap::from_iter([(AUTHORIZATION, HeaderValue::from_static("Bearer hunter2"))]);
    let url = format!("http://{first}/");
    let request = |json| Request { url: &url, json, headers: headers.clone(), accept: "*/*" };
    let fetched = fetcher.fetch(request(None)).await.unwrap();
    assert_eq!(fetched.body.bytes, b"last");
    assert!(seen_first.lock().unwrap()[0].contains("hunter2"));
    assert!(!seen_last.lock().unwrap()[0].contains("hunter2"));
    // What was posted is not carried on either.
    let refused = fetcher.fetch(request(Some("{}".into()))).await.unwrap_err();
    assert!(refused.contains("may not be repeated"), "{refused}");
    assert_eq!(seen_last.lock().unwrap().len(), 1);
}
