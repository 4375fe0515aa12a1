//! What the page asks of the real binary: keys and models that count at once, tools, costs.

use super::{doors::Daemon, world::World};
use futures::{SinkExt, StreamExt};
use serde_json::{Value, json};
use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    time::Duration,
};
use testkit::Script;
use tokio::process::Command;
use tokio_tungstenite::{MaybeTlsStream, WebSocketStream, tungstenite::Message};

const RIGHT: &str = "opaque-right-5f2c9a7d1e";
const WRONG: &str = "opaque-wrong-8b41d6c3f0";

/// A page that is open.
struct Page(WebSocketStream<MaybeTlsStream<tokio::net::TcpStream>>);

impl Page {
    async fn open(daemon: &Daemon) -> Self {
        let url = format!("ws://{}/ws", daemon.door.address);
        let (socket, _) = tokio_tungstenite::connect_async(url).await.unwrap();
        let mut page = Self(socket);
        page.send(json!({ "type": "auth", "token": daemon.door.token })).await;
        assert_eq!(page.next().await["ok"], true);
        page
    }

    async fn send(&mut self, frame: Value) {
        self.0.send(Message::text(frame.to_string())).await.unwrap();
    }

    async fn next(&mut self) -> Value {
        let next = async {
            loop {
                if let Message::Text(text) = self.0.next().await.unwrap().unwrap() {
                    return serde_json::from_str(&text).unwrap();
                }
            }
        };
        tokio::time::timeout(Duration::from_secs(30), next).await.expect("it takes too long")
    }

    /// The whole answer to a request.
    async fn ask(&mut self, method: &str, params: Value) -> Value {
        self.send(json!({ "id": method, "method": method, "params": params })).await;
        loop {
            let frame = self.next().await;
            if frame["id"] == method {
                return frame;
            }
        }
    }

    async fn get(&mut self, method: &str, params: Value) -> Value {
        let mut answer = self.ask(method, params).await;
        assert!(answer["error"].is_null(), "{method}: {answer}");
        answer["result"].take()
    }

    /// Why a request was refused.
    async fn refusal(&mut self, method: &str, params: Value) -> String {
        let answer = self.ask(method, params).await;
        assert_eq!(answer["error"]["code"], -32602, "{method}: {answer}");
        answer["error"]["message"].as_str().unwrap().to_owned()
    }

    /// What is answered to a message.
    async fn say(&mut self, text: &str) -> String {
        self.get("chat.send", json!({ "sessionKey": "page", "message": text })).await;
        loop {
            let frame = self.next().await;
            if frame["event"] == "chat.final" {
                return frame["data"]["text"].as_str().unwrap().to_owned();
            }
            assert_ne!(frame["event"], "chat.error", "{frame}");
        }
    }
}

/// A daemon without any key or model, which says all it can to its log and its errors to a file.
fn serve(world: &World) -> Command {
    let steward = world.steward(&["serve"]);
    let mut command = Command::new("/bin/sh");
    let (program, errors) = (steward.as_std().get_program(), world.path("errors.txt"));
    command.args(["-c", "exec \"$0\" serve 2>\"$1\""]).arg(program).arg(errors).env_clear();
    for (name, value) in steward.as_std().get_envs() {
        command.env(name, value.unwrap_or_default());
    }
    for name in ["ANTHROPIC_API_KEY", "OPENAI_API_KEY", "STEWARD_MODEL"] {
        command.env_remove(name);
    }
    command.env("STEWARD_PORT", "0").env("STEWARD_LOG", "trace");
    command.stdout(std::process::Stdio::piped()).kill_on_drop(true);
    command
}

/// All files below a folder.
fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

#[tokio::test]
async fn a_key_is_tried_kept_and_used_at_once_and_told_to_nobody() {
    let world = World::new().await;
    world.fake.reply_with(|request| match request.header("x-api-key") {
        Some(RIGHT) => Script::reply(format!("You said: {}", request.last_user_text())),
        other => Script::http(401).message(format!("invalid x-api-key: {}", other.unwrap_or_default())),
    });
    let before = r#"{"openrouter": {"key": "opaque-other-77aa12bc90"}}"#;
    fs::write(world.path("auth.json"), before).unwrap();
    let daemon = Daemon::with(world.home.path(), &mut serve(&world)).await;
    let mut page = Page::open(&daemon).await;
    let settings = page.get("settings.get", json!({})).await;
    assert_eq!(
        (&settings["needsSetup"], &settings["model"]),
        (&json!(true), &json!("offline")),
        "{settings}"
    );
    assert!(page.say("hello").await.contains("model"), "the offline helper answers");
    assert_eq!(world.fake.requests().len(), 0);

    let key = |key: &str| json!({ "provider": "anthropic", "key": key });
    for method in ["setup.testKey", "setup.saveKey"] {
        let why = page.refusal(method, key(WRONG)).await;
        let expected = "Provider `anthropic` did not accept the key from your input (HTTP 401). Check the key, or make a \
                        new one.";
        assert_eq!(why, expected, "the words of a 401 may hold the key, so they are left out");
        world.fake.script(Script::http(403).message(format!("the key {WRONG} may not use this model")));
        let why = page.refusal(method, key(WRONG)).await;
        assert!(why.contains("(HTTP 403): the key [key] may not use this model"), "{why}");
    }
    let tried = page.get("setup.testKey", key(RIGHT)).await;
    assert_eq!(tried, json!({ "ok": true, "model": "anthropic/claude-sonnet-4-5" }));
    assert_eq!(fs::read_to_string(world.path("auth.json")).unwrap(), before, "nothing was kept yet");
    page.get("setup.saveKey", key(&format!(" {RIGHT}\n"))).await;
    let kept: Value = serde_json::from_str(&fs::read_to_string(world.path("auth.json")).unwrap()).unwrap();
    let other = json!({ "key": "opaque-other-77aa12bc90" });
    assert_eq!(kept, json!({ "anthropic": { "key": RIGHT }, "openrouter": other }));
    let mode = fs::metadata(world.path("auth.json")).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    assert_eq!(page.say("and now?").await, "You said: and now?", "without a restart");
    let settings = page.get("settings.get", json!({})).await;
    assert_eq!(settings["needsSetup"], false);
    assert_eq!(settings["models"], json!(["anthropic/claude-sonnet-4-5", "offline"]));
    let provider =
        settings["providers"].as_array().unwrap().iter().find(|it| it["name"] == "anthropic").unwrap();
    assert!(provider["keySource"].as_str().unwrap().contains("auth.json"), "{provider}");
    let found = page.get("setup.detect", json!({})).await;
    let named: Vec<&str> =
        found["keys"].as_array().unwrap().iter().map(|key| key["provider"].as_str().unwrap()).collect();
    assert_eq!(named, ["anthropic", "openrouter"]);
    let log = page.get("audit.list", json!({})).await;
    let told = [settings, found, log].map(|told| told.to_string()).join(" ");
    // What is said in a conversation is the owner's; what is logged of it is not.
    assert!(!told.contains(RIGHT) && !told.contains(WRONG), "{told}");
    drop(page);
    let (code, further) = daemon.end().await;
    assert_eq!((code, further), (Some(0), Vec::new()));
    assert!(!files(&world.path("data/logs")).is_empty());
    for path in files(world.home.path()).iter().filter(|path| !path.ends_with("auth.json")) {
        let text = String::from_utf8_lossy(&fs::read(path).unwrap()).into_owned();
        assert!(!text.contains(RIGHT) && !text.contains(WRONG), "the key is in {}", path.display());
    }
    let daemon = Daemon::with(world.home.path(), &mut serve(&world)).await;
    assert_eq!(Page::open(&daemon).await.say("still there?").await, "You said: still there?");
    daemon.end().await;
}

#[tokio::test]
async fn a_key_that_cannot_be_tried_is_not_kept() {
    let world = World::new().await;
    let home = "[providers.home]\nbase_url = \"http://127.0.0.1:9/v1\"\napi_key_env = \"HOME_KEY\"\n";
    fs::write(world.path("config.toml"), home).unwrap();
    let daemon = Daemon::start(&world).await;
    let mut page = Page::open(&daemon).await;
    let mut check = async |params: Value, expected: &str| {
        let why = page.refusal("setup.saveKey", params.clone()).await;
        assert!(why.contains(expected), "{params}: {why}");
    };
    check(json!({ "provider": "nobody", "key": "k" }), "there is no provider `nobody`; known: `anthropic`")
        .await;
    check(json!({ "provider": "offline", "key": "k" }), "there is no provider").await;
    check(json!({ "provider": "openai", "key": " " }), "is empty").await;
    check(json!({ "provider": "openrouter", "key": "k" }), "name one of `openrouter`").await;
    check(json!({ "provider": "openai", "key": "k", "model": "anthropic/x" }), "is not one of `openai`")
        .await;
    check(json!({ "provider": "home", "key": "k", "model": "home/x" }), "HOME_KEY").await;
    check(json!({ "provider": "ollama", "key": "k\u{7}k", "model": "ollama/x" }), "that no key has").await;
    assert!(!world.path("auth.json").exists());
    assert_eq!(world.fake.requests().len(), 0);
    daemon.end().await;
}

#[tokio::test]
async fn a_model_is_changed_at_once_and_for_good() {
    let world = World::new().await;
    let written = |model: &str| format!("# mine\n[agent]\n# which one\nmodel = \"{model}\" # for now\n");
    let config = || fs::read_to_string(world.path("config.toml")).unwrap();
    fs::write(world.path("config.toml"), written("openai/one")).unwrap();
    let mut serve = serve(&world);
    let daemon =
        Daemon::with(world.home.path(), serve.env("OPENAI_API_KEY", "sk-test-openai-0123456789")).await;
    let mut page = Page::open(&daemon).await;
    page.say("hello").await;
    let changed = page.get("settings.setModel", json!({ "model": "openai/two" })).await;
    assert_eq!(changed, json!({ "ok": true, "model": "openai/two" }));
    assert_eq!(config(), written("openai/two"));
    page.say("hello again").await;
    let asked: Vec<Value> =
        world.fake.requests().iter().map(|request| request.body["model"].clone()).collect();
    assert_eq!(asked, ["one", "two"]);
    assert_eq!(page.get("agents.list", json!({})).await["agents"][0]["model"], "openai/two");
    for (model, expected) in [
        ("nobody/x", "No provider named `nobody`"),
        ("two", "does not say which provider"),
        ("anthropic/x", "No key is set for provider `anthropic`"),
    ] {
        let why = page.refusal("settings.setModel", json!({ "model": model })).await;
        assert!(why.contains(expected), "{model}: {why}");
    }
    assert_eq!(config(), written("openai/two"));
    let automatic = page.get("settings.setModel", json!({ "model": "auto" })).await;
    assert_eq!((automatic["model"].as_str(), config()), (Some("openai/gpt-5"), written("auto")));
    daemon.end().await;

    let daemon = Daemon::start(&world).await;
    let why = Page::open(&daemon).await.refusal("settings.setModel", json!({ "model": "openai/two" })).await;
    assert_eq!(
        why,
        "the model is set by the environment variable STEWARD_MODEL: change it there, and start Steward again"
    );
    assert_eq!(config(), written("auto"));
    daemon.end().await;
}

#[tokio::test]
async fn tools_servers_and_costs_are_as_they_are_configured() {
    let world = World::new().await;
    let config = format!(
        "[policy]\ndeny = [\"webfetch\"]\n[providers.ollama]\nbase_url = \"{}\"\n[prices]\n\"anthropic/test\" = \
         {{ input = 1.0, output = 2.0 }}\n",
        world.fake.openai_url()
    );
    fs::write(world.path("config.toml"), config).unwrap();
    let daemon = Daemon::start(&world).await;
    let mut page = Page::open(&daemon).await;
    page.say("hello").await;
    let tools = page.get("tools.list", json!({})).await;
    assert_eq!((&tools["preset"], &tools["rules"]["deny"]), (&json!("guarded"), &json!(["webfetch"])));
    assert!(tools["sandbox"]["primitives"].as_array().unwrap().len() > 3, "{tools}");
    let check = |name: &str, usually: &str, acts: bool| {
        let tool = tools["tools"].as_array().unwrap().iter().find(|tool| tool["name"] == name).unwrap();
        assert_eq!(
            (&tool["usually"], &tool["labels"]["actsOutside"]),
            (&json!(usually), &json!(acts)),
            "{tool}"
        );
        assert_eq!(tool["inputSchema"]["type"], "object");
    };
    check("bash", "ask", true);
    check("read", "allow", false);
    check("write", "ask", true);
    check("webfetch", "deny", true);
    let found = page.get("setup.detect", json!({})).await;
    let base_url = world.fake.openai_url();
    let ollama = json!({ "provider": "ollama", "baseUrl": base_url, "models": ["fake-small", "fake-large"] });
    assert!(found["servers"].as_array().unwrap().contains(&ollama), "{found}");
    let usage = page.get("usage.summary", json!({ "days": 2 })).await;
    let used: Vec<&Value> =
        usage["days"].as_array().unwrap().iter().flat_map(|day| day["models"].as_array().unwrap()).collect();
    let cost = used[0]["cost"].as_f64().unwrap();
    assert!(used.len() == 1 && (cost - 20e-6).abs() < 1e-12, "{usage}");
    daemon.end().await;
}
