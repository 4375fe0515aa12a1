//! The plain client beside which everything is measured: opens a socket, sends the same bytes, prints what
//! comes. What `curl` would do, without its set-up.

use std::{
    io::{Read, Write},
    net::TcpStream,
    path::Path,
};

/// The command that asks the fake at `url` with the request in `body`.
pub fn command(url: &str, body: &Path) -> Vec<String> {
    let bench = std::env::current_exe().unwrap().display().to_string();
    vec![bench, "direct".into(), url.into(), body.display().to_string()]
}

/// Sends the request and prints the answer as it comes.
pub fn ask(url: &str, body: &Path) {
    let host = url.trim_start_matches("http://");
    let body = std::fs::read(body).unwrap();
    let mut stream = TcpStream::connect(host).unwrap();
    stream.set_nodelay(true).unwrap();
    let head = format!(
        "POST /v1/messages HTTP/1.1\r\nhost: {host}\r\nx-api-key: sk-bench\r\nanthropic-version: 2023-06-01\r\n\
         content-type: application/json\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(&[head.as_bytes(), &body].concat()).unwrap();
    let (mut out, mut piece, mut total) = (std::io::stdout().lock(), [0; 8192], 0);
    loop {
        match stream.read(&mut piece).unwrap() {
            0 => break,
            count => {
                total += count;
                out.write_all(&piece[..count]).unwrap();
                out.flush().unwrap();
            }
        }
    }
    assert!(total > 0, "the fake said nothing");
}
