//! `steward ask`: one question, one answer.

use super::approvals::{WAITING, ask_owner};
use crate::terminal::say;
use crate::{
    cli::Ask,
    client::Client,
    terminal::{Answer, Screen, Shown, input_comes},
};
use anyhow::Context;
use protocol::{ApprovalId, Fact, Outcome, SessionKey, TurnId};
use std::{
    io::{self, IsTerminal, Read},
    process::ExitCode,
    time::Duration,
};
use store::{FeedItem, OpenApproval};
use tokio::signal::unix::{SignalKind, signal};

/// The most that is read from standard input, in bytes: more fits no model.
const MAX_INPUT_BYTES: u64 = 3 * 1024 * 1024;

/// How long standard input may stay silent before the question goes without it.
const INPUT_PATIENCE: Duration = Duration::from_secs(3);

/// The exit code of something stopped with Ctrl-C, as shells have it.
const INTERRUPTED: u8 = 130;

pub(crate) async fn run(ask: Ask) -> anyhow::Result<ExitCode> {
    let message = compose(&ask.message)?;
    let mut client = Client::open().await?;
    // Listening begins first: what is asked from here on is not missed.
    client.listen(&ask.talk.session).await?;
    if !clear_the_way(&mut client, &ask.talk.session).await? {
        eprintln!("steward: the message was not taken: this conversation waits for your decision");
        client.close().await?;
        return Ok(ExitCode::from(WAITING));
    }
    let said = client.say(&ask.talk.session, &message, ask.talk.model.as_deref()).await;
    let turn = said.context("the message was not accepted")?;
    let mut screen = (!ask.json).then(Screen::new);
    let ended = follow(&mut client, &ask.talk.session, Answer::new(turn), screen.as_mut()).await?;
    let code = match &ended {
        Ended::Over(answer, outcome) if ask.json => report(&ask, turn, answer, outcome)?,
        Ended::Over(_, outcome) => tell(outcome),
        Ended::Waiting => ExitCode::from(WAITING),
        Ended::Stopped => {
            match client.is_alone() {
                true => eprintln!("steward: stopping; the answer will be finished with the next start"),
                false => eprintln!("steward: leaving; the answer goes on (see `steward sessions show`)"),
            }
            ExitCode::FAILURE
        }
    };
    client.close().await?;
    Ok(code)
}

/// How following a turn ended.
pub(crate) enum Ended {
    /// The turn is over.
    Over(Box<Answer>, Outcome),
    /// The turn waits for a decision nobody here can make.
    Waiting,
    /// This process was told to end; the turn goes on later.
    Stopped,
}

/// Asks about what this conversation already waits for; a message behind it would wait as well. `false` if
/// something still waits.
pub(crate) async fn clear_the_way(client: &mut Client, session: &SessionKey) -> anyhow::Result<bool> {
    let waiting = client.view.open_approvals().await?;
    for open in waiting.into_iter().filter(|open| open.session == *session) {
        if !ask_owner(client, &open).await? {
            return Ok(false);
        }
    }
    Ok(true)
}

/// Shows a turn until it is over. Ctrl-C stops the turn, a second one this process. Whatever is asked in its
/// session is put to the owner: an earlier turn there must go on before this one can.
pub(crate) async fn follow(
    client: &mut Client,
    session: &SessionKey,
    mut answer: Answer,
    mut screen: Option<&mut Screen>,
) -> anyhow::Result<Ended> {
    let mut ticker = tokio::time::interval(Screen::TICK);
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let mut interrupted = false;
    loop {
        let item = tokio::select! {
            item = client.next() => item?,
            _ = terminate.recv() => return Ok(Ended::Stopped),
            _ = interrupt.recv() => {
                if std::mem::replace(&mut interrupted, true) {
                    return Ok(Ended::Stopped);
                }
                client.abort(answer.turn()).await?;
                continue;
            }
            _ = ticker.tick() => {
                if let Some(screen) = screen.as_deref_mut() {
                    screen.tick()?;
                }
                continue;
            }
        };
        for shown in answer.take(&item) {
            if let Some(screen) = screen.as_deref_mut() {
                screen.show(&shown)?;
            }
            if let Shown::Over(outcome) = shown {
                return Ok(Ended::Over(Box::new(answer), outcome));
            }
        }
        if let Some(approval) = asked_in(session, &item)
            && let Some(open) = still_open(client, approval).await?
            && !ask_owner(client, &open).await?
        {
            return Ok(Ended::Waiting);
        }
    }
}

/// A screen as it still waits, if it does; it may have been answered since it was put up.
async fn still_open(client: &Client, approval: ApprovalId) -> anyhow::Result<Option<OpenApproval>> {
    let waiting = client.view.open_approvals().await?;
    Ok(waiting.into_iter().find(|open| open.approval == approval))
}

/// The screen an item puts up in this session.
fn asked_in(session: &SessionKey, item: &FeedItem) -> Option<ApprovalId> {
    match item {
        FeedItem::Event(event) if event.session == *session => match &event.fact {
            Fact::ApprovalRequested { approval, .. } => Some(*approval),
            _ => None,
        },
        _ => None,
    }
}

/// Says how a turn ended, unless it simply did.
pub(crate) fn tell(outcome: &Outcome) -> ExitCode {
    match outcome {
        Outcome::Completed => ExitCode::SUCCESS,
        Outcome::LimitReached { reason } => {
            eprintln!("steward: {reason}");
            ExitCode::SUCCESS
        }
        Outcome::Aborted => {
            eprintln!("steward: stopped");
            ExitCode::from(INTERRUPTED)
        }
        Outcome::Failed { error } => {
            eprintln!("steward: {error}");
            ExitCode::FAILURE
        }
    }
}

fn report(ask: &Ask, turn: TurnId, answer: &Answer, outcome: &Outcome) -> anyhow::Result<ExitCode> {
    let line = serde_json::json!({
        "sessionKey": ask.talk.session,
        "runId": turn,
        "text": answer.text,
        "usage": { "inputTokens": answer.usage.input_tokens, "outputTokens": answer.usage.output_tokens },
        "outcome": outcome,
    });
    say!("{}", serde_json::to_string(&line)?);
    Ok(match outcome {
        Outcome::Completed | Outcome::LimitReached { .. } => ExitCode::SUCCESS,
        Outcome::Aborted => ExitCode::from(INTERRUPTED),
        Outcome::Failed { .. } => ExitCode::FAILURE,
    })
}

/// The words of the command line, then what stands on standard input.
fn compose(words: &[String]) -> anyhow::Result<String> {
    let waits = words.iter().any(|word| word == "-");
    let words: Vec<&str> = words.iter().map(String::as_str).filter(|word| *word != "-").collect();
    let mut message = words.join(" ");
    if waits || (!io::stdin().is_terminal() && (words.is_empty() || something_comes()?)) {
        let mut input = String::new();
        let read = io::stdin().take(MAX_INPUT_BYTES + 1).read_to_string(&mut input);
        read.context("standard input is not text in UTF-8")?;
        anyhow::ensure!(
            input.len() as u64 <= MAX_INPUT_BYTES,
            "standard input is longer than 3 MB: send less"
        );
        if !input.trim().is_empty() {
            message = [message.trim(), input.trim_end()].join("\n\n").trim_start().to_owned();
        }
    }
    anyhow::ensure!(!message.trim().is_empty(), "nothing to ask: try `steward ask \"hello\"`");
    Ok(message)
}

/// Whether standard input has something to say, or its end, within a while. A script may have left it open
/// with nobody at the other end; then the question must not wait for ever.
fn something_comes() -> anyhow::Result<bool> {
    let comes = input_comes(INPUT_PATIENCE)?;
    if !comes {
        eprintln!("steward: nothing on standard input; asking without it (`steward ask … -` waits for it)");
    }
    Ok(comes)
}
