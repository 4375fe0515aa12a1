//! One file for each command.

mod approvals;
mod ask;
mod audit;
mod chat;
mod code;
mod code_run;
mod cron;
mod doctor;
mod memory;
mod models;
mod open;
mod serve;
mod sessions;
mod task;
mod token;
mod watch;

use crate::cli::{Cli, Code, Command};
use clap::CommandFactory;
use std::process::ExitCode;

/// Runs a command to its exit code.
pub(crate) async fn run(command: Command) -> anyhow::Result<ExitCode> {
    match command {
        Command::Ask(ask) => ask::run(ask).await,
        Command::Chat(chat) => chat::run(chat).await,
        Command::Cron(cron) => cron::run(cron).await,
        Command::Task(task) => task::run(task).await,
        Command::Watch => watch::run().await,
        Command::Sessions(sessions) => sessions::run(sessions).await,
        Command::Approvals(approvals) => approvals::run(approvals).await,
        Command::Rules(rules) => approvals::rules(rules).await,
        Command::Audit(audit) => audit::run(audit).await,
        Command::Serve => serve::run().await,
        Command::Open => open::run().await,
        Command::Token(token) => token::run(token).await,
        Command::Memory(memory) => memory::run(memory),
        Command::Models(models) => models::run(models),
        Command::Code(Code::Check { file }) => code::check(&file).await,
        Command::Code(Code::Preview { file }) => code::preview(&file).await,
        Command::Code(Code::Run(run)) => code_run::run(run).await,
        Command::Doctor => doctor::run().await,
        Command::Licenses => code::licenses(),
        Command::Completions { shell } => {
            clap_complete::generate(shell, &mut Cli::command(), "steward", &mut std::io::stdout());
            Ok(ExitCode::SUCCESS)
        }
    }
}
