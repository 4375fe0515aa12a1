//! Programs that mean no good, or are merely confused: the house stays whole, and what is told is true.

use super::{
    processes::{hosts_below, until},
    program,
    tale::{ACT, THROWS, Tale},
};
use crate::{doors::Daemon, world::World};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use store::View;
use testkit::Script;

/// How much more memory a daemon may have after hostile programs than after a harmless one.
const SLACK_KB: u64 = 60_000;

/// A daemon, and the model's next answers.
struct Stage {
    world: World,
    daemon: Daemon,
    answer: Arc<Mutex<Script>>,
    /// The last event of the scene before.
    seen: u64,
}

impl Stage {
    async fn new() -> Self {
        let world = World::new().await;
        std::fs::write(
            world.path("config.toml"),
            "[policy]\nallow = [\"bash\"]\nask = [\"bash(touch:*)\"]\n",
        )
        .unwrap();
        let answer = Arc::new(Mutex::new(Script::new()));
        let scripted = answer.clone();
        world.fake.reply_with(move |request| match request.last_user_text().as_str() {
            "please" => scripted.lock().unwrap().clone(),
            _ => Script::reply("Done."),
        });
        let daemon = Daemon::start(&world).await;
        std::fs::write(world.path("workspace/seed.txt"), "forty-two\n").unwrap();
        Self { world, daemon, answer, seen: 0 }
    }

    async fn begin(&mut self, answer: Script) -> String {
        std::fs::remove_file(self.world.path("workspace/effects.txt")).ok();
        *self.answer.lock().unwrap() = answer;
        self.seen = View::open(&self.world.path("data/steward.db")).newest().await.unwrap();
        let task = self.daemon.post("/api/tasks", json!({ "prompt": "please" })).await;
        task["id"].as_str().unwrap().to_owned()
    }

    async fn tale(&self) -> Tale {
        let view = View::open(&self.world.path("data/steward.db"));
        Tale::read(&view.events_after(self.seen, usize::MAX >> 1).await.unwrap(), "hostile programs")
    }

    /// The tale once the turn is over; what was done is what it says.
    async fn ended(&self) -> Tale {
        let tale = until("the end", async || Some(self.tale().await).filter(|tale| tale.over)).await;
        tale.check_effects(&self.world, "hostile programs");
        tale
    }

    async fn play(&mut self, code: &str) -> Tale {
        self.begin(program(&format!("{ACT}{code}"))).await;
        self.ended().await
    }

    /// Stops the turn once something has come of so many calls.
    async fn stop_after(&mut self, code: &str, calls: usize) -> Tale {
        let task = self.begin(program(&format!("{ACT}{code}"))).await;
        until("its calls", async || (self.tale().await.results.len() == calls).then_some(())).await;
        until("what comes then", async || self.is_under_way().await.then_some(())).await;
        self.daemon.post(&format!("/api/tasks/{task}/cancel"), Value::Null).await;
        let tale = self.ended().await;
        let pid = self.daemon.child.id().unwrap();
        until("its process to end", async || hosts_below(pid).is_empty().then_some(())).await;
        assert!(tale.receipts.starts_with("Aborted: the owner stopped the program."), "{}", tale.receipts);
        tale
    }

    /// Whether a command of the program runs or a screen waits, or it computes.
    async fn is_under_way(&self) -> bool {
        let view = View::open(&self.world.path("data/steward.db"));
        let waits = !view.open_approvals().await.unwrap().is_empty();
        waits || self.world.path("workspace/here").exists()
    }
}

#[tokio::test]
async fn hostile_and_confused_programs_leave_the_house_as_it_was() {
    let mut stage = Stage::new().await;
    let told = stage.play(r#"return await act("a");"#).await;
    assert!(told.receipts.starts_with(r#"Returned: "a done""#), "{}", told.receipts);
    let at_rest = stage.daemon.resident_kb();

    let flood = r#"
const one = async () => (await tools.read({ path: "seed.txt" })).text.length;
const all = await Promise.allSettled(Array.from({ length: 1000 }, one));
return all.filter((it) => it.status === "fulfilled").length;
"#;
    let told = stage.play(flood).await;
    assert!(told.receipts.starts_with("Returned: 1000\nCalls: 1000\n"), "{}", told.receipts);
    assert!(told.receipts.ends_with("… and 940 more, of which 940 succeeded."), "{}", told.receipts);

    let too_many = r#"
for (let number = 0; number < 10; number += 1) {
    await Promise.allSettled(Array.from({ length: 101 }, () => tools.read({ path: "seed.txt" })));
}
return "all";
"#;
    let told = stage.play(too_many).await;
    let said = "Failed: TooManyCalls: the program asked for more than 1000 calls";
    assert!(told.receipts.starts_with(said), "{}", told.receipts);

    let told = stage.play(THROWS).await;
    assert!(
        told.receipts.starts_with("Failed in line ") && told.receipts.contains("ToolError"),
        "{}",
        told.receipts
    );
    assert_eq!(told.results.len(), 42, "each of its calls has a result");
    let unrun = told.results.values().filter(|result| result.output == "Not run: the program had ended.");
    assert!(unrun.count() > 0, "what had not begun does not begin: {}", told.receipts);

    let misfits = r#"
const said: string[] = [];
const attempt = async (what: () => Promise<unknown>) => {
    try { await what(); said.push("done"); }
    catch (error) { said.push((error as Error).name); }
};
const loose = tools as any;
await attempt(() => tools.bash({ comand: "echo no >> effects.txt" } as any));
await attempt(() => loose.bash("echo no >> effects.txt"));
await attempt(() => loose.run_code({ code: "return 1" }));
await attempt(() => loose.tools.search({ query: "x" }));
await attempt(() => loose["tools.describe"]({ path: "bash" }));
return said;
"#;
    let told = stage.play(misfits).await;
    let said = r#"Returned: ["ToolError","ToolError","TypeError","TypeError","TypeError"]"#;
    assert!(told.receipts.starts_with(said), "{}", told.receipts);

    let hoards = "const all: number[][] = []; for (;;) all.push(new Array(100_000).fill(1));";
    let told = stage.play(hoards).await;
    assert!(told.receipts.contains("OutOfMemory"), "{}", told.receipts);

    let both = [r#"return await act("one");"#, r#"return await act("two");"#];
    let both = both.map(|code| json!({ "code": format!("{ACT}{code}") }).to_string());
    let [one, two] = both;
    stage.begin(Script::new().call("run_code", one).call("run_code", two)).await;
    let told = stage.ended().await;
    assert_eq!((told.ends.len(), told.calls.len(), told.results.len()), (2, 2, 4), "both ran");

    let after = stage.daemon.resident_kb();
    println!("{at_rest} kB before, {after} kB after");
    assert!(after < at_rest + SLACK_KB, "{at_rest} kB before, {after} kB after");
    assert_eq!(stage.daemon.end().await.0, Some(0));
}

#[tokio::test]
async fn a_program_is_stopped_while_it_runs_waits_or_computes_and_receipts_say_what_was_done() {
    let mut stage = Stage::new().await;
    let runs = r#"await act("a"); await tools.bash({ command: "echo here > here; sleep 60" }); return 1;"#;
    let told = stage.stop_after(runs, 1).await;
    assert!(told.receipts.contains("; it may have had an effect."), "{}", told.receipts);
    assert!(told.receipts.contains("Calls: 2\n1. bash") && told.receipts.contains(": succeeded\n2. bash"));
    std::fs::remove_file(stage.world.path("workspace/here")).unwrap();

    let waits = r#"await act("a"); await tools.bash({ command: "touch b" }); return 1;"#;
    let told = stage.stop_after(waits, 1).await;
    assert!(told.receipts.contains("not finished: Aborted: the owner stopped the turn before this was run."));
    assert!(!stage.world.path("workspace/b").exists());

    let computes = r#"await tools.bash({ command: "echo here > here" }); for (;;);"#;
    let told = stage.stop_after(computes, 1).await;
    assert!(told.receipts.contains("Calls: 1\n1. bash") && told.receipts.ends_with(": succeeded"));
    assert_eq!(stage.daemon.end().await.0, Some(0));
}
