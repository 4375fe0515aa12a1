//! Tests of reading a proxy request.

use super::proxy::{Request, parse};

#[test]
fn requests_are_read_from_their_first_line() {
    let get = "GET http://Docs.rs/a?b HTTP/1.1\r\nHost: evil.example\r\nProxy-Authorization: x\r\nAccept: */*\r\n\r\n";
    let forward = "GET /a?b HTTP/1.1\r\nHost: docs.rs\r\nConnection: close\r\nAccept: */*\r\n\r\n";
    let host = || "docs.rs".parse().unwrap();
    for (head, wanted) in [
        (
            "CONNECT docs.rs:443 HTTP/1.1\r\nHost: evil.example\r\n\r\n",
            Request { host: host(), port: 443, forward: None },
        ),
        (get, Request { host: host(), port: 80, forward: Some(forward.into()) }),
        (
            "GET http://docs.rs:8080?q HTTP/1.0\r\n\r\n",
            Request {
                host: host(),
                port: 8080,
                forward: Some("GET /?q HTTP/1.1\r\nHost: docs.rs:8080\r\nConnection: close\r\n\r\n".into()),
            },
        ),
    ] {
        assert_eq!(parse(head.as_bytes()), Ok(wanted), "{head}");
    }
}

#[test]
fn anything_else_is_refused() {
    for head in [
        "",
        "\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: docs.rs\r\n\r\n",
        "CONNECT docs.rs HTTP/1.1\r\n\r\n",
        "CONNECT evil.example\0.docs.rs:443 HTTP/1.1\r\n\r\n",
        "CONNECT docs.rs.:443 HTTP/1.1\r\n\r\n",
        "CONNECT 0x7f.1:443 HTTP/1.1\r\n\r\n",
        "CONNECT docs.rs:443  HTTP/1.1\r\n\r\n",
        "CONNECT docs.rs:443 HTTP/2\r\n\r\n",
        "GET http://evil.example@docs.rs/ HTTP/1.1\r\n\r\n",
        "GET http://docs.rs#@evil.example/ HTTP/1.1\r\n\r\n",
        "GET http://docs.rs\\evil.example/ HTTP/1.1\r\n\r\n",
        "GET https://docs.rs/ HTTP/1.1\r\n\r\n",
        "GET ftp://docs.rs/ HTTP/1.1\r\n\r\n",
        "GET http:///path HTTP/1.1\r\n\r\n",
    ] {
        assert!(parse(head.as_bytes()).is_err(), "{head:?}");
    }
}
