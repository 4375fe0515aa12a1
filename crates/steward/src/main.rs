//! The binary: reads the command line, opens the home, wires the rooms together and runs one command.
//! What the rooms do is theirs; nothing depends on this crate.

mod backstage;
mod cli;
mod client;
mod commands;
mod config;
mod daemon;
mod environment;
mod hands;
mod home;
mod house;
mod logs;
mod notes;
mod model_files;
mod providers;
mod setup;
mod standing;
mod terminal;
mod token;
mod transcripts;

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    // A confined command begins here, before anything else of this program does, and so does the process that runs a program.
    if std::env::args_os().nth(1).is_some_and(|word| word == "sandbox-exec") {
        sandbox::helper::main(code::host_main);
    }
    let command = cli::Cli::parse().command;
    // Whatever is made from here on is the owner's alone.
    rustix::process::umask(rustix::fs::Mode::RWXG | rustix::fs::Mode::RWXO);
    // Other processes of the same owner cannot look into this one, where the keys are.
    if let Err(error) = sandbox::protect_gateway() {
        eprintln!("steward: other programs of yours may look into this one: {error}");
    }
    // One thread is enough for a command; the store has a thread of its own.
    let runtime = match tokio::runtime::Builder::new_current_thread().enable_all().build() {
        Ok(runtime) => runtime,
        Err(error) => return failed(&anyhow::Error::from(error).context("cannot start")),
    };
    let result = runtime.block_on(commands::run(command));
    // Reads that nobody waits for any more must not hold up the exit.
    runtime.shutdown_background();
    match result {
        Ok(code) => code,
        Err(error) => failed(&error),
    }
}

fn failed(error: &anyhow::Error) -> ExitCode {
    tracing::error!(error = format!("{error:#}"), "the command failed");
    eprintln!("steward: {error:#}");
    ExitCode::FAILURE
}
