//! What the tests share: a workspace, the tools over it, and an outside that remembers what it was told.

use futures::future::BoxFuture;
use protocol::{CallId, CallResult, CallStatus, SessionKey, Trigger, TurnId};
use sandbox::{Helper, Sandbox};
use serde_json::Value;
use std::{
    path::{Path, PathBuf},
    sync::{Arc, LazyLock, Mutex},
};
use tempfile::TempDir;
use tools::{
    Builtin, CommandTerms, Fetcher, Outside, ProcessEnd, ProcessStart, Processes, Registry, ToolContext,
    ToolLimits, ToolOutput, builtin,
};
use uuid::Uuid;

/// A workspace with tools. The directory above it is nobody's.
pub struct Bench {
    pub dir: TempDir,
    pub tools: Registry,
    pub context: ToolContext,
    pub heard: Arc<Heard>,
}

/// What the house was told.
#[derive(Default)]
pub struct Heard {
    pub progress: Mutex<Vec<String>>,
    pub triggers: Mutex<Vec<Trigger>>,
    pub started: Mutex<Vec<ProcessStart>>,
    pub ended: Mutex<Vec<ProcessEnd>>,
    /// When set, no row can be written.
    pub refuses: Mutex<bool>,
    pub changed: tokio::sync::Notify,
}

impl Bench {
    pub fn new() -> Self {
        Self::with(builtin(parts()).unwrap())
    }

    pub fn with(tools: Registry) -> Self {
        // Not below /tmp, which every sandbox replaces.
        let dir = tempfile::Builder::new().prefix("tools-test-").tempdir_in("/var/tmp").unwrap();
        let workspace = dir.path().join("workspace");
        std::fs::create_dir(&workspace).unwrap();
        let heard = Arc::new(Heard::default());
        let context = ToolContext {
            session: SessionKey::new("terminal--test").unwrap(),
            turn: TurnId::from(Uuid::from_u128(1)),
            call: CallId::from(Uuid::from_u128(2)),
            tainted: false,
            workspace,
            read_dirs: Vec::new(),
            write_dirs: Vec::new(),
            hidden: Vec::new(),
            limits: ToolLimits::default(),
            command: CommandTerms::default(),
            outside: heard.clone(),
        };
        Self { dir, tools, context, heard }
    }

    /// A path in the workspace.
    pub fn path(&self, inner: &str) -> PathBuf {
        self.context.workspace.join(inner)
    }

    /// Puts a file into the workspace.
    pub fn file(&self, inner: &str, content: impl AsRef<[u8]>) -> PathBuf {
        put(&self.path(inner), content)
    }

    /// Puts a file beside the workspace, out of reach.
    pub fn beside(&self, inner: &str, content: impl AsRef<[u8]>) -> PathBuf {
        put(&self.dir.path().join(inner), content)
    }

    pub fn content(&self, inner: &str) -> String {
        std::fs::read_to_string(self.path(inner)).unwrap()
    }

    /// Makes a call as the agent would: arguments as text, checked, then run.
    pub async fn call(&self, tool: &str, arguments: Value) -> CallResult {
        call(&self.tools, &self.context, tool, arguments).await
    }

    /// The output of a call that must succeed.
    pub async fn ok(&self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments).await;
        assert_eq!(result.status, CallStatus::Succeeded, "{}", result.output);
        result.output
    }

    /// The output of a call that must fail.
    pub async fn fails(&self, tool: &str, arguments: Value) -> String {
        let result = self.call(tool, arguments).await;
        assert_eq!(result.status, CallStatus::Failed, "{}", result.output);
        result.output
    }
}

/// What the tools are made of.
pub fn parts() -> Builtin {
    Builtin {
        sandbox: sandbox(),
        processes: Processes::default(),
        fetcher: Fetcher::default(),
        search: None,
        memory: None,
        orders: None,
    }
}

/// The sandbox with this crate's helper, probed once.
fn sandbox() -> Sandbox {
    static SANDBOX: LazyLock<Sandbox> = LazyLock::new(|| {
        let program = env!("CARGO_BIN_EXE_tools-sandbox-helper").into();
        Sandbox::detect_with(Helper { program, args: Vec::new() })
    });
    SANDBOX.clone()
}

pub async fn call(tools: &Registry, context: &ToolContext, tool: &str, arguments: Value) -> CallResult {
    let output = match tools.validate(tool, &arguments.to_string()) {
        Ok(input) => tools.get(tool).unwrap().execute(input, context).await,
        Err(why) => ToolOutput::failed(why),
    };
    fits_what_was_declared(tools, tool, &output);
    output.into_result(context.call)
}

/// Whoever says what its output looks like gives that with every success, and nobody else gives anything.
fn fits_what_was_declared(tools: &Registry, tool: &str, output: &ToolOutput) {
    let declared = tools.get(tool).and_then(|tool| tool.output_schema());
    let expected = declared.filter(|_| output.status == CallStatus::Succeeded);
    assert_eq!(output.value.is_some(), expected.is_some(), "{tool}: {:?}", output.value);
    if let (Some(mut schema), Some(value)) = (expected, &output.value) {
        close(&mut schema);
        let validator = jsonschema::validator_for(&schema).unwrap();
        let complaints: Vec<String> = validator.iter_errors(value).map(|error| error.to_string()).collect();
        assert_eq!(complaints, [""; 0], "{tool}: {value} does not fit {schema}");
    }
}

/// Lets no object have what its schema does not name.
fn close(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            fields.values_mut().for_each(close);
            if fields.contains_key("properties") {
                fields.insert("additionalProperties".into(), false.into());
            }
        }
        Value::Array(items) => items.iter_mut().for_each(close),
        _ => {}
    }
}

pub fn put(path: &Path, content: impl AsRef<[u8]>) -> PathBuf {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
    path.to_owned()
}

impl Heard {
    /// Waits until something was heard.
    pub async fn until(&self, heard: impl Fn(&Self) -> bool) {
        let patience = std::time::Duration::from_secs(30);
        let waiting = async {
            loop {
                let changed = self.changed.notified();
                if heard(self) {
                    return;
                }
                changed.await;
            }
        };
        tokio::time::timeout(patience, waiting).await.expect("it was never heard");
    }

    fn row<T>(&self, rows: &Mutex<Vec<T>>, row: T) -> Result<(), String> {
        if *self.refuses.lock().unwrap() {
            return Err("the disk is full".into());
        }
        rows.lock().unwrap().push(row);
        self.changed.notify_waiters();
        Ok(())
    }
}

impl Outside for Heard {
    fn progress(&self, text: &str) {
        self.progress.lock().unwrap().push(text.to_owned());
        self.changed.notify_waiters();
    }

    fn enqueue(&self, trigger: Trigger) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async move { self.row(&self.triggers, trigger) })
    }

    fn process_started(&self, process: ProcessStart) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async move { self.row(&self.started, process) })
    }

    fn process_ended(&self, process: ProcessEnd) -> BoxFuture<'_, Result<(), String>> {
        Box::pin(async move { self.row(&self.ended, process) })
    }
}
