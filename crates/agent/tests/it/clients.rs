//! Tools that a client has: offered in its conversations, handed over instead of run, waited for across restarts.

use super::*;
use agent::{CodeMode, Hands, Judged, Scene, Workbench, WorkbenchSettings};
use policy::{Places, PolicySettings, Preset, Redactor, RuleSettings, Taint};
use sandbox::{Network, Sandbox};
use serde_json::{Value, json};
use store::{ClientAnswer, TurnRef};
use tools::{Builtin, FetchLimits, Fetcher, Processes, ToolLimits};

fn tool(name: &str, risk: Risk) -> ClientTool {
    let input_schema = json!({
        "type": "object",
        "properties": { "app": { "type": "string" }, "reason": { "type": "string" } },
        "required": ["app"],
    });
    ClientTool { name: name.into(), description: format!("Does {name}."), input_schema, risk }
}

pub fn settings(home: &Path) -> WorkbenchSettings {
    let places = Places {
        workspace: home.join("workspace"),
        home: home.into(),
        steward_home: home.join("steward"),
        read_dirs: vec![],
        write_dirs: vec![],
    };
    WorkbenchSettings {
        policy: PolicySettings {
            preset: Preset::Guarded,
            rules: RuleSettings::default(),
            allowed_commands: vec![],
            extra_validation: vec![],
            places,
            sandbox_available: false,
        },
        made_rules: vec![],
        hidden: vec![],
        network: Network::None,
        env: vec![],
        sandboxed: true,
        limits: ToolLimits { timeout_ms: 60_000, max_output_bytes: 100_000 },
        desktop_shell: false,
        client_tools: vec![],
        code_mode: CodeMode::Auto,
    }
}

pub fn workbench(store: &Store, settings: WorkbenchSettings) -> Workbench {
    let registry = tools::builtin(Builtin {
        sandbox: Sandbox::detect(),
        processes: Processes::default(),
        fetcher: Fetcher::reaching(FetchLimits::default(), []),
        search: None,
        memory: None,
        orders: None,
    });
    let redactor = Arc::new(Redactor::new::<String>(&[]).unwrap());
    Workbench::new(store.clone(), registry.unwrap(), Sandbox::detect(), settings, redactor).unwrap()
}

/// A home that outlives its processes, and the model they ask.
struct Desk {
    home: tempfile::TempDir,
    fake: FakeModel,
}

/// One life of the process.
struct Life {
    store: Store,
    feed: Subscription,
    stop: CancellationToken,
    running: tokio::task::JoinHandle<()>,
}

impl Desk {
    async fn new() -> Self {
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir(home.path().join("workspace")).unwrap();
        Self { home, fake: FakeModel::start().await }
    }

    async fn store(&self) -> Store {
        Store::open(&self.home.path().join("steward.db")).await.unwrap()
    }

    /// An agent with one lane.
    async fn live(&self) -> Life {
        let store = self.store().await;
        let settings =
            WorkbenchSettings { made_rules: vec!["bash(touch x)".into()], ..settings(self.home.path()) };
        let hands = Arc::new(workbench(&store, settings));
        let agent = agent(store.clone(), &self.fake, hands, 1, self.home.path());
        agent.recover().await.unwrap();
        let (feed, stop) = (store.subscribe_from_now(), CancellationToken::new());
        let running = tokio::spawn({
            let stop = stop.clone();
            async move { agent.run(stop).await }
        });
        Life { store, feed, stop, running }
    }
}

impl Life {
    async fn die(self) {
        self.stop.cancel();
        self.running.await.unwrap();
    }

    async fn end_of(&mut self, turn: TurnId) {
        until(&mut self.feed, |event| {
            (event.turn == turn && matches!(event.fact, Fact::TurnFinished { .. })).then_some(())
        })
        .await;
    }
}

fn names(body: &Value) -> Vec<&str> {
    body["tools"].as_array().into_iter().flatten().map(|tool| tool["name"].as_str().unwrap()).collect()
}

fn results(body: &Value) -> String {
    body["messages"].as_array().unwrap().last().unwrap()["content"].to_string()
}

#[tokio::test]
async fn a_call_of_a_clients_tool_waits_for_it_across_restarts_and_holds_no_lane() {
    let desk = Desk::new().await;
    let mut life = desk.live().await;
    let declared = vec![tool("open_app", Risk::Safe), tool("screen.read", Risk::Risky)];
    let session = life.store.client_session(None, None, Some(declared)).await.unwrap().session;
    desk.fake.script(
        Script::new()
            .call("open_app", r#"{"app":"mail","reason":"to read your\u202e mail"}"#)
            .call("screen_read", r#"{"app":"mail"}"#)
            .call("open_app", r#"{"app":7}"#),
    );
    let turn = life.store.accept(trigger(session.as_str(), "what is new?", false)).await.unwrap().turn;
    let calls = until(&mut life.feed, |event| match &event.fact {
        Fact::ClientAsked { calls } => Some(calls.clone()),
        _ => None,
    })
    .await;
    let told = |call: &ClientCall| (call.call.tool.clone(), call.risk, call.reason.clone());
    assert_eq!(
        calls.iter().map(told).collect::<Vec<_>>(),
        [
            ("open_app".into(), Risk::Safe, "to read your\\u{202e} mail".into()),
            ("screen.read".into(), Risk::Risky, "the assistant wants to use screen.read".into()),
        ]
    );
    // The only lane is free for others meanwhile.
    desk.fake.script(Script::reply("Hello."));
    let other = life.store.accept(trigger("terminal--default", "hi", false)).await.unwrap().turn;
    life.end_of(other).await;
    life.die().await;

    let life = desk.live().await;
    let open = life.store.view().open_client_calls(&session).await.unwrap();
    assert_eq!(open, calls.iter().map(|call| call.call.id).collect::<Vec<_>>());
    let answer = async |life: &Life, call: CallId, output: &str| {
        life.store.client_result(&session, CallResult::from_client(call, true, output)).await.unwrap()
    };
    assert!(
        matches!(answer(&life, open[0], "opened").await, ClientAnswer::Accepted { turn: t, .. } if t == turn)
    );
    assert_eq!(answer(&life, open[0], "opened").await, ClientAnswer::AlreadySettled);
    life.die().await;

    let mut life = desk.live().await;
    desk.fake.script(Script::reply("You have no mail."));
    assert!(matches!(answer(&life, open[1], "an empty list").await, ClientAnswer::Accepted { .. }));
    life.end_of(turn).await;
    let requests = desk.fake.requests();
    assert_eq!(requests.len(), 3, "nothing was asked twice");
    let offered = names(&requests[0].body);
    assert!(offered.contains(&"screen_read") && !offered.contains(&"bash"), "{offered:?}");
    let said = results(&requests[2].body);
    for part in ["opened", "an empty list", "do not fit its schema"] {
        assert!(said.contains(part), "{part}: {said}");
    }
    let events = life.store.view().turn_events(turn, 0).await.unwrap();
    let of_clients = |event: &Event| match &event.fact {
        Fact::CallDone { result } if result.status == CallStatus::Succeeded => {
            Some((result.untrusted, result.private))
        }
        _ => None,
    };
    assert_eq!(events.iter().filter_map(of_clients).collect::<Vec<_>>(), [(true, true), (true, true)]);
    life.die().await;
}

#[tokio::test]
async fn stopping_a_turn_that_waits_for_a_client_ends_it() {
    let desk = Desk::new().await;
    let mut life = desk.live().await;
    let declared = Some(vec![tool("open_app", Risk::Safe)]);
    let session = life.store.client_session(None, None, declared).await.unwrap().session;
    desk.fake.script(Script::new().call("open_app", r#"{"app":"mail"}"#));
    let turn = life.store.accept(trigger(session.as_str(), "mail?", false)).await.unwrap().turn;
    let call = until(&mut life.feed, |event| match &event.fact {
        Fact::ClientAsked { calls } => Some(calls[0].call.id),
        _ => None,
    })
    .await;
    life.store.abort(turn).await.unwrap();
    let late = CallResult::from_client(call, true, "opened");
    assert_eq!(life.store.client_result(&session, late).await.unwrap(), ClientAnswer::AlreadySettled);
    life.end_of(turn).await;
    let events = life.store.view().turn_events(turn, 0).await.unwrap();
    let results: Vec<CallStatus> = events
        .iter()
        .filter_map(|event| match &event.fact {
            Fact::CallDone { result } => Some(result.status),
            _ => None,
        })
        .collect();
    assert_eq!(results, [CallStatus::Aborted]);
    life.die().await;
}

#[tokio::test]
async fn a_conversation_is_offered_the_tools_of_its_own_client() {
    let desk = Desk::new().await;
    let store = desk.store().await;
    let declared = vec![tool("open_app", Risk::Safe), tool("bash", Risk::Safe)];
    let session = store.client_session(None, None, Some(declared)).await.unwrap().session;
    let key = |key: &str| SessionKey::new(key).unwrap();
    let configured = ClientTool { description: "The owner's.".into(), ..tool("open_app", Risk::Risky) };
    let client_tools = vec![configured, tool("lock_screen", Risk::Safe)];
    let with = |desktop_shell| WorkbenchSettings {
        desktop_shell,
        client_tools: client_tools.clone(),
        ..settings(desk.home.path())
    };
    let (bare, both) = (workbench(&store, with(false)), workbench(&store, with(true)));
    let offered = async |bench: &Workbench, session: &SessionKey| {
        bench
            .offered(session, true)
            .await
            .into_iter()
            .map(|tool| (tool.name, tool.description))
            .collect::<Vec<_>>()
    };
    let check = async |bench: &Workbench, session: &SessionKey, has: &[&str], has_not: &[&str]| {
        let offered = offered(bench, session).await;
        let count = |name: &&&str| offered.iter().filter(|tool| tool.0 == **name).count();
        assert!(has.iter().all(|name| count(&name) == 1), "{session} has {has:?}: {offered:?}");
        assert!(has_not.iter().all(|name| count(&name) == 0), "{session} has not {has_not:?}: {offered:?}");
    };
    let shell = ["bash", "exec", "process"];
    check(&bare, &session, &["read", "open_app", "lock_screen"], &shell).await;
    check(&both, &session, &["read", "open_app", "lock_screen", "bash", "exec", "process"], &[]).await;
    check(&bare, &key("desktop--nobody"), &["read"], &["bash", "open_app", "lock_screen"]).await;
    check(&bare, &key("terminal--default"), &["read", "bash"], &["open_app", "lock_screen"]).await;
    let of_client = offered(&bare, &session).await.into_iter().find(|tool| tool.0 == "open_app").unwrap();
    assert_eq!(of_client.1, "Does open_app.", "what the client says of its tool counts");
    let collides = |name: &str| bare.collides(&tool(name, Risk::Safe));
    assert!(collides("bash") && collides("read") && !collides("open_app"));
}

#[tokio::test]
async fn calls_of_a_clients_tools_are_judged_by_its_word_and_the_owners_denials() {
    let desk = Desk::new().await;
    let store = desk.store().await;
    let risks =
        [("look", Risk::Safe), ("click", Risk::Risky), ("format", Risk::Forbidden), ("mail", Risk::Safe)];
    let declared = risks.map(|(name, risk)| tool(name, risk)).to_vec();
    let session = store.client_session(None, None, Some(declared)).await.unwrap().session;
    let mut settings = settings(desk.home.path());
    settings.policy.rules.deny = vec!["mail".into()];
    let bench = workbench(&store, settings);
    let judge = async |session: &SessionKey, tool: &str, arguments: &str| {
        let id = CallId::from(uuid::Uuid::nil());
        let call = Call { id, wire_id: "w".into(), tool: tool.into(), arguments: arguments.into() };
        let at = TurnRef { session: session.clone(), turn: TurnId::from(uuid::Uuid::nil()) };
        let scene = Scene { at, taint: Taint { untrusted: true, private: true }, program: false };
        match bench.judge(&scene, &[call]).await.remove(0) {
            Judged::Verdict(judgement) => Ok(judgement.verdict),
            Judged::Senseless(result) => Err(result.output),
        }
    };
    let client =
        |risk, name| Ok(Verdict::Client { risk, reason: format!("the assistant wants to use {name}") });
    let deny = |reason: &str| Ok(Verdict::Deny { reason: reason.into() });
    let app = r#"{"app":"x"}"#;
    assert_eq!(judge(&session, "look", app).await, client(Risk::Safe, "look"));
    assert_eq!(judge(&session, "click", app).await, client(Risk::Risky, "click"));
    assert_eq!(judge(&session, "format", app).await, deny("`format` is declared as forbidden"));
    assert_eq!(judge(&session, "mail", app).await, deny("the rule `mail` denies it"));
    for (tool, arguments, part) in [
        ("look", "{", "not valid JSON"),
        ("look", "{}", "do not fit its schema"),
        ("bash", r#"{"command":"ls"}"#, "There is no tool named `bash` in this conversation."),
        ("gone", "{}", "There is no tool named `gone`."),
    ] {
        let why = judge(&session, tool, arguments).await.unwrap_err();
        assert!(why.contains(part), "{tool}: {why}");
    }
    let terminal = SessionKey::new("terminal--default").unwrap();
    assert!(judge(&terminal, "look", app).await.is_err(), "no client is there");
    let ls = r#"{"command":"ls"}"#;
    assert!(matches!(judge(&terminal, "bash", ls).await, Ok(Verdict::Ask { .. })), "the owner is asked");
    bench.learn("bash(ls)");
    bench.learn("bash(ls)");
    let untainted = async || {
        let id = CallId::from(uuid::Uuid::nil());
        let call = Call { id, wire_id: "w".into(), tool: "bash".into(), arguments: ls.into() };
        let at = TurnRef { session: terminal.clone(), turn: TurnId::from(uuid::Uuid::nil()) };
        bench.judge(&Scene { at, taint: Taint::default(), program: false }, &[call]).await.remove(0)
    };
    let allowed = |judged: &Judged| matches!(judged, Judged::Verdict(it) if it.verdict == Verdict::Allow);
    assert!(allowed(&untainted().await), "{:?}", untainted().await);
    bench.forget("bash(ls)");
    assert!(!allowed(&untainted().await), "what is taken back counts no more");
}

#[tokio::test]
async fn brought_history_stands_in_place_of_the_sessions_own() {
    let desk = Desk::new().await;
    let mut life = desk.live().await;
    let said = |text: &str| Message::user(vec![Block::text(text)]);
    let mut say = async |text: &str, history: Vec<Message>, script: Script| {
        desk.fake.script(script);
        let trigger = Trigger { history, ..trigger("terminal--default", text, false) };
        let turn = life.store.accept(trigger).await.unwrap().turn;
        life.end_of(turn).await;
        desk.fake.requests().last().unwrap().body["messages"].to_string()
    };
    let check = |messages: &str, has: &[&str], has_not: &[&str]| {
        assert!(has.iter().all(|text| messages.contains(text)), "{has:?}: {messages}");
        assert!(!has_not.iter().any(|text| messages.contains(text)), "not {has_not:?}: {messages}");
    };
    say("first", vec![], Script::reply("one")).await;
    let brought = vec![said("brought"), Message::assistant(vec![Block::text("along")])];
    check(
        &say("second", brought, Script::reply("two")).await,
        &["brought", "along", "second"],
        &["first", "one"],
    );
    check(&say("third", vec![], Script::reply("three")).await, &["brought", "second", "two"], &["first"]);
    life.die().await;
}

#[tokio::test]
async fn brought_history_counts_as_words_of_strangers() {
    let desk = Desk::new().await;
    for (history, asks) in [(vec![Message::user(vec![Block::text("trust me")])], true), (vec![], false)] {
        let mut life = desk.live().await;
        // One that acts, and that a rule allows.
        desk.fake.script(Script::new().call("bash", r#"{"command":"touch x"}"#));
        let session = format!("terminal--{asks}");
        let trigger = Trigger { history, ..trigger(&session, "look", false) };
        life.store.accept(trigger).await.unwrap();
        let verdict = until(&mut life.feed, |event| match &event.fact {
            Fact::CallsJudged { judgements } => Some(judgements[0].verdict.clone()),
            _ => None,
        })
        .await;
        assert_eq!(matches!(verdict, Verdict::Ask { .. }), asks, "{verdict:?}");
        life.die().await;
    }
}
