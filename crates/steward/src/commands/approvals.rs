//! `steward approvals` and `steward rules`, and asking the owner in the middle of a conversation. Only the
//! owner's own keystrokes or command line decide; nothing a model says can.

use super::ask::{self, Ended};
use crate::terminal::say;
use crate::{
    cli::{Approvals, Rules},
    client::{Client, LinkError, Refusal},
    house,
    terminal::{self, Answer, Choice, KEYS, Screen},
};
use anyhow::Context;
use protocol::{AskedCall, Decision};
use std::{
    io::{self, IsTerminal, Write},
    process::ExitCode,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};
use store::{FeedItem, OpenApproval};
use tokio::signal::unix::{SignalKind, signal};

/// The exit code of something that waits for a decision.
pub(crate) const WAITING: u8 = 3;

pub(crate) async fn run(command: Approvals) -> anyhow::Result<ExitCode> {
    match command {
        Approvals::List => list().await,
        Approvals::Approve { approval, only, always } => {
            settle(&approval, |calls| match always {
                Some(number) => terminal::with_rule(calls, number).with_context(|| {
                    format!("there is no rule {number}; `steward approvals list` shows them")
                }),
                None if only.is_empty() => Ok(terminal::decide(calls, |_| true, None)),
                None => Ok(terminal::decide(
                    calls,
                    |number| only.contains(&number),
                    Some("not chosen by the owner"),
                )),
            })
            .await
        }
        Approvals::Deny { approval, reason } => {
            settle(&approval, |calls| Ok(terminal::decide(calls, |_| false, reason.as_deref()))).await
        }
    }
}

pub(crate) async fn rules(command: Rules) -> anyhow::Result<ExitCode> {
    match command {
        Rules::List => {
            let (home, _, _) = house::enter()?;
            let rules = match house::view(&home) {
                Some(view) => view.rules().await?,
                None => Vec::new(),
            };
            if rules.is_empty() {
                say!("No rules made yet. Answering `a` to a question makes one.");
            }
            rules.iter().for_each(|rule| say!("{rule}"));
        }
        Rules::Remove { rule } => {
            let mut client = Client::open().await?;
            let removed = client.remove_rule(&rule).await?;
            client.close().await?;
            anyhow::ensure!(removed, "there is no rule `{rule}`; `steward rules list` shows them");
            say!("Removed: {rule}");
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Asks the owner at the terminal until there is a decision, and writes it. Ctrl-C stops the turn that asks.
/// Without a terminal nothing is decided, and the answer is `false`.
pub(crate) async fn ask_owner(client: &mut Client, open: &OpenApproval) -> anyhow::Result<bool> {
    let OpenApproval { approval, turn, calls, .. } = open;
    if !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        eprintln!("{}", screen(open, true));
        eprintln!(
            "steward: this waits for your decision: `steward approvals approve {approval}` or `… deny {approval}`"
        );
        return Ok(false);
    }
    say!("{}", screen(open, false));
    loop {
        let Some(answer) = read_line(KEYS).await? else {
            client.abort(*turn).await?;
            return Ok(true);
        };
        let decisions = match terminal::choice(calls, &answer) {
            Choice::Decide(decisions) => decisions,
            Choice::ShowAll => {
                say!("{}", screen(open, true));
                continue;
            }
            Choice::Unclear(help) => {
                say!("{help}");
                continue;
            }
            Choice::Rules => match choose_rule(calls).await? {
                Some(decisions) => decisions,
                None => continue,
            },
        };
        tell(client.decide(*approval, &decisions).await)?;
        return Ok(true);
    }
}

fn screen(open: &OpenApproval, all: bool) -> String {
    terminal::screen(&open.calls, open.forecast.as_ref(), all)
}

/// Shows the rules that could be made and asks which one; nothing is written before it was shown.
async fn choose_rule(calls: &[AskedCall]) -> anyhow::Result<Option<Vec<Decision>>> {
    say!("This rule would be written, and the call approved:");
    for (number, (_, rule)) in (1..).zip(terminal::rules(calls)) {
        say!("  {number}. {}", terminal::clean(rule));
    }
    let answer = read_line("the rule's number, or nothing to go back").await?.unwrap_or_default();
    Ok(answer.trim().parse().ok().and_then(|number| terminal::with_rule(calls, number)))
}

/// One line from the terminal; none on Ctrl-C.
async fn read_line(prompt: &str) -> anyhow::Result<Option<String>> {
    print!("{prompt} > ");
    io::stdout().flush()?;
    let mut interrupt = signal(SignalKind::interrupt())?;
    let given_up = Arc::new(AtomicBool::new(false));
    let reading = tokio::task::spawn_blocking({
        let given_up = given_up.clone();
        move || wait_for_line(&given_up)
    });
    tokio::select! {
        line = reading => line?,
        _ = interrupt.recv() => {
            given_up.store(true, Ordering::Relaxed);
            say!();
            Ok(None)
        }
    }
}

/// Reads a line once there is one, unless given up before: nothing typed later may end up here.
fn wait_for_line(given_up: &AtomicBool) -> anyhow::Result<Option<String>> {
    while !given_up.load(Ordering::Relaxed) {
        if !terminal::input_comes(Duration::from_millis(50))? {
            continue;
        }
        let mut line = String::new();
        // Nobody is there any more, so nothing is decided.
        let gone = "no answer; the question stays open (see `steward approvals list`)";
        anyhow::ensure!(io::stdin().read_line(&mut line)? > 0, gone);
        return Ok(Some(line));
    }
    Ok(None)
}

fn tell(decided: Result<(), LinkError>) -> anyhow::Result<()> {
    match decided {
        Err(LinkError::Refused(refusal)) if refusal.code == Refusal::ALREADY_SETTLED => {
            say!("This was decided elsewhere; that decision counts.");
            Ok(())
        }
        other => Ok(other?),
    }
}

async fn list() -> anyhow::Result<ExitCode> {
    let (home, _, _) = house::enter()?;
    let waiting = match house::view(&home) {
        Some(view) => view.open_approvals().await?,
        None => Vec::new(),
    };
    if waiting.is_empty() {
        say!("Nothing waits for your decision.");
    }
    for open in waiting {
        say!(
            "{} · {} · until {}",
            open.approval,
            open.session,
            open.expires_at.strftime("%Y-%m-%d %H:%M UTC")
        );
        say!("{}", screen(&open, true));
        for (number, (_, rule)) in (1..).zip(terminal::rules(&open.calls)) {
            say!("  --always {number} writes: {}", terminal::clean(rule));
        }
    }
    Ok(ExitCode::SUCCESS)
}

/// Decides a screen from the command line and follows its turn to the end.
async fn settle(
    wanted: &str,
    decide: impl Fn(&[AskedCall]) -> anyhow::Result<Vec<Decision>>,
) -> anyhow::Result<ExitCode> {
    let mut client = Client::open().await?;
    let open = find(&client, wanted).await?;
    let since = client.listen(&open.session).await?;
    let mut answer = Answer::new(open.turn);
    // What the turn did before is known to the owner, and what follows makes sense only after it.
    for event in client.view.turn_events(open.turn, 0).await?.into_iter().filter(|event| event.seq <= since) {
        answer.take(&FeedItem::Event(Arc::new(event)));
    }
    tell(client.decide(open.approval, &decide(&open.calls)?).await)?;
    let mut screen = Screen::new();
    let code = match ask::follow(&mut client, &open.session, answer, Some(&mut screen)).await? {
        Ended::Over(_, outcome) => ask::tell(&outcome),
        Ended::Waiting => ExitCode::from(WAITING),
        Ended::Stopped => ExitCode::FAILURE,
    };
    client.close().await?;
    Ok(code)
}

async fn find(client: &Client, wanted: &str) -> anyhow::Result<OpenApproval> {
    let mut found = client.view.open_approvals().await?;
    found.retain(|open| open.approval.to_string().starts_with(wanted));
    match found.len() {
        0 => anyhow::bail!(
            "no open approval begins with `{wanted}`; `steward approvals list` shows what waits"
        ),
        1 => found.pop().context("just counted"),
        _ => anyhow::bail!("several approvals begin with `{wanted}`: write more of the id"),
    }
}
