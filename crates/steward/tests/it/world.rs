//! One home, one fake provider, and the binary run in them with a clean environment.

use serde_json::Value;
use std::{
    path::PathBuf,
    process::{Output, Stdio},
};
use tempfile::TempDir;
use testkit::FakeModel;
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    process::Command,
};

pub struct World {
    pub home: TempDir,
    pub fake: FakeModel,
}

impl World {
    pub async fn new() -> Self {
        Self { home: tempfile::tempdir().unwrap(), fake: FakeModel::start().await }
    }

    /// `steward ARGS…` with both vendors pointed at the fake and nothing else in the environment.
    pub fn steward(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_steward"));
        command
            .args(args)
            .env_clear()
            .env("STEWARD_HOME", self.home.path())
            .env("ANTHROPIC_API_KEY", "sk-test-anthropic-0123456789")
            .env("ANTHROPIC_BASE_URL", self.fake.anthropic_url())
            .env("OPENAI_API_KEY", "sk-test-openai-0123456789")
            .env("OPENAI_BASE_URL", self.fake.openai_url())
            .env("STEWARD_MODEL", "anthropic/test")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .kill_on_drop(true);
        command
    }

    /// Runs to the end.
    pub async fn run(&self, args: &[&str]) -> Ran {
        Ran::from(self.steward(args).output().await.unwrap())
    }

    /// Runs with something on standard input.
    pub async fn run_with_input(&self, args: &[&str], input: &str) -> Ran {
        let mut child = self.steward(args).stdin(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(input.as_bytes()).await.unwrap();
        drop(stdin);
        Ran::from(child.wait_with_output().await.unwrap())
    }

    /// Runs at a terminal of its own, with these keys typed at the first question.
    pub async fn run_in_terminal(&self, args: &[&str], keys: &str) -> Ran {
        let steward = self.steward(args);
        let steward = steward.as_std();
        let words = std::iter::once(steward.get_program()).chain(steward.get_args());
        let line: Vec<String> = words.map(|word| format!("'{}'", word.to_str().unwrap())).collect();
        let mut command = Command::new("script");
        command
            .args(["-q", "-e", "-c", &line.join(" "), "/dev/null"])
            .env_clear()
            .env("PATH", "/usr/bin:/bin");
        for (name, value) in steward.get_envs() {
            command.env(name, value.unwrap_or_default());
        }
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().unwrap();
        let (mut stdin, mut stdout) = (child.stdin.take().unwrap(), child.stdout.take().unwrap());
        let (mut out, mut typed) = (Vec::new(), false);
        // The keys are typed once the question is on the screen.
        while stdout.read_buf(&mut out).await.unwrap() > 0 {
            if !typed && String::from_utf8_lossy(&out).contains("show all >") {
                stdin.write_all(keys.as_bytes()).await.unwrap();
                typed = true;
            }
        }
        let status = child.wait().await.unwrap();
        Ran { code: status.code(), out: String::from_utf8_lossy(&out).into_owned(), err: String::new() }
    }

    pub fn path(&self, below_home: &str) -> PathBuf {
        self.home.path().join(below_home)
    }

    /// A session's transcript: (role, content, error) of each line. A torn line fails here.
    pub fn transcript(&self, session: &str) -> Vec<(String, String, Option<String>)> {
        let path = self.path(&format!("data/sessions/{session}.jsonl"));
        let text = std::fs::read_to_string(path).unwrap_or_default();
        assert!(text.is_empty() || text.ends_with('\n'), "a torn line: {text:?}");
        let field = |line: &Value, name: &str| line[name].as_str().map(str::to_owned);
        text.lines()
            .map(|line| {
                serde_json::from_str::<Value>(line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
            })
            .map(|line| {
                (field(&line, "role").unwrap(), field(&line, "content").unwrap(), field(&line, "error"))
            })
            .collect()
    }
}

/// How a run ended.
#[derive(Debug)]
pub struct Ran {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl From<Output> for Ran {
    fn from(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).unwrap();
        Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
    }
}
