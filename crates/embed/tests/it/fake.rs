//! A server that says what it is told to, over real HTTP.

use std::{
    io::{BufRead, BufReader, Read, Write},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

/// One request as it came: its first line, its headers in lower case, and its body.
#[derive(Debug, Clone)]
pub struct Request {
    pub line: String,
    pub headers: String,
    pub body: String,
}

/// What is answered: status, further header lines, body.
pub type Answer = (u16, &'static str, Vec<u8>);

/// A server that lives as long as the test.
pub struct Fake {
    pub address: SocketAddr,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Fake {
    /// Answers every request with what `answer` makes of it.
    pub fn start(answer: impl Fn(usize, &Request) -> Answer + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let requests = Arc::new(Mutex::new(Vec::new()));
        let kept = requests.clone();
        thread::spawn(move || {
            for (number, stream) in listener.incoming().enumerate() {
                let stream = stream.unwrap();
                let Some(request) = read(&stream) else { continue };
                let (status, headers, body) = answer(number, &request);
                kept.lock().unwrap().push(request);
                let head = format!(
                    "HTTP/1.1 {status} x\r\ncontent-length: {}\r\nconnection: close\r\n{headers}\r\n",
                    body.len()
                );
                let mut stream = stream;
                // Who asked may have had enough.
                stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body)).ok();
            }
        });
        Self { address, requests }
    }

    /// Everything that was asked.
    pub fn requests(&self) -> Vec<Request> {
        self.requests.lock().unwrap().clone()
    }
}

fn read(stream: &TcpStream) -> Option<Request> {
    let mut reader = BufReader::new(stream);
    let (mut line, mut headers) = (String::new(), String::new());
    reader.read_line(&mut line).ok().filter(|count| *count > 0)?;
    while !headers.ends_with("\r\n\r\n") && reader.read_line(&mut headers).unwrap() > 2 {}
    let headers = headers.to_lowercase();
    let length = headers.lines().find_map(|line| line.strip_prefix("content-length: "));
    let mut body = vec![0; length.map_or(0, |it| it.trim().parse().unwrap())];
    reader.read_exact(&mut body).unwrap();
    Some(Request { line: line.trim().to_owned(), headers, body: String::from_utf8(body).unwrap() })
}
