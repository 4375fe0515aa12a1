//! What can be typed about standing orders: `cron`, `task` and `watch`.

use clap::{Args, Subcommand, ValueEnum};
use serde_json::{Value, json};

pub(super) const CRON_EXAMPLES: &str = "\
Examples:
  steward cron add pizza --when \"in 20 minutes\" --message \"the pizza is ready\"
  steward cron add standup --when \"every weekday at 9\" --message \"what is on my plate today?\"
  steward cron add backup --cron \"30 2 * * *\" --tz Europe/Berlin --message \"run the backup\" --missed skip
  steward cron update standup --disable
  steward cron run standup                  now, beside its times
  steward cron history standup              what came of it

They fire while Steward runs: `steward serve` stays. What was missed meanwhile is made up for once,
unless --missed says otherwise.";

pub(super) const TASK_EXAMPLES: &str = "\
Examples:
  steward task new \"close all issues older than 30 days\"
  steward task new --when \"every day at 9\" \"if my site has 10 million visitors, tell me and end this task\"
  steward task new --on-event --secret \"$SECRET\" \"if this mail is spam, delete it\"
  steward task watch 0199a3c4               what it does, as it happens
  steward task cancel 0199a3c4 --reason \"not needed any more\"

An id may be shortened to its beginning.";

/// When something is due.
#[derive(Debug, Args)]
pub(crate) struct When {
    /// Once, at this time: 2027-03-03T09:00, or "tomorrow at 9"
    #[arg(long, value_name = "TIME", group = "due")]
    at: Option<String>,
    /// Again and again, so far apart: "30 minutes", "2 hours"
    #[arg(long, value_name = "SPAN", group = "due")]
    every: Option<String>,
    /// A cron expression: minute hour day month weekday
    #[arg(long, value_name = "EXPRESSION", group = "due")]
    cron: Option<String>,
    /// As you would say it: "in 20 minutes", "every weekday at 9"
    #[arg(long, value_name = "PHRASE", group = "due")]
    when: Option<String>,
    /// Whose clock the cron expression goes by, such as Europe/Berlin; this machine's if left out
    #[arg(long, value_name = "ZONE", requires = "cron")]
    tz: Option<String>,
}

impl When {
    /// The schedule as the doors take it; none if nothing was said.
    pub fn schedule(&self) -> Option<Value> {
        if let Some(at) = &self.at {
            return Some(json!({ "kind": "at", "at": at }));
        }
        if let Some(expr) = &self.cron {
            return Some(json!({ "kind": "cron", "expr": expr, "tz": self.tz }));
        }
        let every = self.every.as_ref().map(|span| format!("every {span}"));
        every.or_else(|| self.when.clone()).map(Value::from)
    }
}

/// What becomes of times that passed while Steward was off.
#[derive(Debug, Clone, Copy, ValueEnum)]
pub(crate) enum Missed {
    /// They are passed over
    Skip,
    /// One run stands for all of them
    Once,
    /// Each is made up for
    All,
}

impl Missed {
    pub fn word(self) -> &'static str {
        match self {
            Self::Skip => "skip",
            Self::Once => "once",
            Self::All => "all",
        }
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum Cron {
    /// Set a reminder, or anything else that is to come due
    Add {
        /// What you call it
        name: String,
        #[command(flatten)]
        when: When,
        /// What the assistant is told when it is due
        #[arg(long)]
        message: String,
        /// Where it takes place: `own` (a conversation of its own), `main` (where you last spoke), or a key
        #[arg(long, value_name = "own|main|KEY", default_value = "own")]
        session: String,
        /// Where you are told what came of it: `last` (where you last spoke), `none`, or a key
        #[arg(long, value_name = "last|none|KEY", default_value = "last")]
        deliver: String,
        /// What becomes of times that passed while Steward was off
        #[arg(long, default_value = "once")]
        missed: Missed,
        /// Remove it once it has run
        #[arg(long)]
        delete_after_run: bool,
        /// Set it, switched off
        #[arg(long)]
        disabled: bool,
        /// The model to ask, as provider/model
        #[arg(long)]
        model: Option<String>,
    },
    /// List what is set, and when it comes next
    List {
        /// Print JSON, one object a line
        #[arg(long)]
        json: bool,
    },
    /// Change something about it; what is not named stays
    Update {
        /// Its name or id
        name: String,
        #[command(flatten)]
        when: When,
        /// Another name
        #[arg(long)]
        rename: Option<String>,
        /// Another message
        #[arg(long)]
        message: Option<String>,
        /// Another place to be told
        #[arg(long, value_name = "last|none|KEY")]
        deliver: Option<String>,
        /// Another policy for what was missed
        #[arg(long)]
        missed: Option<Missed>,
        /// Switch it on
        #[arg(long, conflicts_with = "disable")]
        enable: bool,
        /// Switch it off
        #[arg(long)]
        disable: bool,
    },
    /// Remove it
    Remove {
        /// Its name or id
        name: String,
    },
    /// Run it now, beside its times, and see what comes of it
    Run {
        /// Its name or id
        name: String,
    },
    /// Say how many there are and when the next is due
    Status {
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Show what came of it, the newest first
    History {
        /// Its name or id
        name: String,
        /// How many at most
        #[arg(long, default_value_t = 20)]
        limit: usize,
        /// Print JSON, one object a line
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Task {
    /// Give an order: for now, to come again, or whenever something is handed in
    New(NewTask),
    /// List tasks, the latest first
    List {
        /// Only those that are so: open, completed, failed, cancelled, …
        #[arg(long)]
        status: Option<String>,
        /// Only one_shot, recurring or event
        #[arg(long)]
        kind: Option<String>,
        /// How many at most
        #[arg(long, default_value_t = 50)]
        limit: usize,
        /// Print JSON, one object a line
        #[arg(long)]
        json: bool,
    },
    /// Show a task and its latest runs
    Show {
        /// Its id, or the beginning of it
        task: String,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Stop a task for good
    Cancel {
        /// Its id, or the beginning of it
        task: String,
        /// Why
        #[arg(long)]
        reason: Option<String>,
    },
    /// Follow a task until it ends; Ctrl-C only stops watching
    Watch {
        /// Its id, or the beginning of it
        task: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct NewTask {
    /// What to do
    #[arg(required = true)]
    pub prompt: Vec<String>,
    #[command(flatten)]
    pub when: When,
    /// Run whenever something is POSTed to an address of its own, which is shown once
    #[arg(long, conflicts_with = "due")]
    pub on_event: bool,
    /// What senders must sign with (HMAC-SHA256), at least 16 characters
    #[arg(long, requires = "on_event")]
    pub secret: Option<String>,
    /// Where you are told what came of it: `last` (where you last spoke), `none`, or a key
    #[arg(long, value_name = "last|none|KEY")]
    pub deliver: Option<String>,
    /// The model to ask, as provider/model
    #[arg(long)]
    pub model: Option<String>,
}
