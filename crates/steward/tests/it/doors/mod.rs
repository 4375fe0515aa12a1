//! The gateway as its clients find it: the real binary on a real port.

mod crowd;
mod kills;
mod matrix;
mod rough;
mod tasks;

use crate::{ask::signal, world::World};
use serde_json::Value;
use std::{net::SocketAddr, path::Path, process::Stdio, time::Duration};
use testkit::Door;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::{Child, Command},
    task::JoinHandle,
};

/// A daemon at work in a home.
pub struct Daemon {
    pub child: Child,
    pub door: Door,
    /// What it said when it was ready.
    pub ready: String,
    /// What it says after that.
    further: JoinHandle<Vec<String>>,
}

impl Daemon {
    /// Starts one on a free port and waits until it says that it is ready.
    pub async fn start(world: &World) -> Self {
        Self::with(world.home.path(), world.steward(&["serve"]).env("STEWARD_PORT", "0")).await
    }

    /// Starts one where another was.
    pub async fn start_at(world: &World, address: SocketAddr) -> Self {
        let port = address.port().to_string();
        Self::with(world.home.path(), world.steward(&["serve"]).env("STEWARD_PORT", port)).await
    }

    /// Starts this command and waits until it says that it is ready.
    pub async fn with(home: &Path, command: &mut Command) -> Self {
        let mut child = command.stderr(Stdio::inherit()).spawn().unwrap();
        let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let waiting = tokio::time::timeout(Duration::from_secs(30), lines.next_line());
        let ready = waiting.await.expect("the daemon is ready").unwrap().expect("it says so");
        // Whatever else it says must not block it.
        let further = tokio::spawn(async move {
            let mut further = Vec::new();
            while let Ok(Some(line)) = lines.next_line().await {
                further.push(line);
            }
            further
        });
        let (_, address) = ready.split_once("http://").unwrap_or_else(|| panic!("{ready}"));
        let address = address.split([' ', '/']).next().unwrap().parse().unwrap();
        let token = std::fs::read_to_string(home.join("data/token")).unwrap().trim().to_owned();
        Self { child, door: Door { address, token }, ready, further }
    }

    /// Ends it with SIGTERM; gives its exit code and what it said since it was ready.
    pub async fn end(mut self) -> (Option<i32>, Vec<String>) {
        signal(&self.child, "TERM").await;
        let code = self.child.wait().await.unwrap().code();
        (code, self.further.await.unwrap())
    }

    /// Ends it as a power cut would.
    pub async fn kill(mut self) {
        self.child.kill().await.unwrap();
    }

    /// What it answers.
    pub async fn get(&self, path: &str) -> Value {
        let answer = self.door.ask("GET", path, None).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.body);
        answer.json()
    }

    /// What it answers to a body.
    pub async fn post(&self, path: &str, body: Value) -> Value {
        let answer = self.door.ask("POST", path, Some(&body)).await;
        assert!((200..300).contains(&answer.status), "{path}: {} {}", answer.status, answer.body);
        answer.json()
    }

    /// Resident memory in kB.
    pub fn resident_kb(&self) -> u64 {
        let pid = self.child.id().unwrap();
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }
}
