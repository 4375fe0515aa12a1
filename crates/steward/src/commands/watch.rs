//! `steward watch`: what the owner is told and asked, as it comes.

use crate::{
    client::{Client, LinkError},
    terminal::{self, clean, clock_time, say},
};
use protocol::{ApprovalId, AskedCall, Event, Fact, Forecast, Outcome, SessionKey};
use std::process::ExitCode;
use store::FeedItem;
use tokio::signal::unix::{SignalKind, signal};

/// Where what happens is nobody's message: a failure there would go unseen.
const UNATTENDED: [&str; 3] = ["cron", "task", "heartbeat"];

pub(crate) async fn run() -> anyhow::Result<ExitCode> {
    let mut client = Client::open().await?;
    client.stay();
    client.listen_to_all().await?;
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    for open in client.view.open_approvals().await? {
        say!("{}", asked(&open.session, open.approval, &open.calls, open.forecast.as_ref()));
    }
    eprintln!("steward: watching; Ctrl-C ends");
    loop {
        let item = tokio::select! {
            item = client.next() => item,
            _ = interrupt.recv() => break,
            _ = terminate.recv() => break,
        };
        match item {
            Ok(FeedItem::Event(event)) => {
                if let Some(told) = told(&event) {
                    say!("{} {told}", clock_time(&event.at.to_string()));
                }
            }
            Ok(FeedItem::Delta(_)) => {}
            // It may be started again; nothing is lost meanwhile.
            Err(LinkError::Lost(error)) => eprintln!("steward: {error:#}; still watching"),
            Err(refused) => return Err(refused.into()),
        }
    }
    client.close().await?;
    Ok(ExitCode::SUCCESS)
}

/// What the owner should know of an event, if anything.
fn told(event: &Event) -> Option<String> {
    match &event.fact {
        Fact::Noticed { notice } => Some(terminal::notice(notice)),
        Fact::ApprovalRequested { approval, calls, forecast, .. } => {
            Some(asked(&event.session, *approval, calls, forecast.as_ref()))
        }
        Fact::TurnFinished { outcome } if UNATTENDED.contains(&event.session.place()) => match outcome {
            Outcome::Failed { error } => {
                Some(format!("✗ {} failed: {}", event.session, clean(&error.message)))
            }
            Outcome::LimitReached { reason } => Some(format!("✗ {} ended: {}", event.session, clean(reason))),
            Outcome::Completed | Outcome::Aborted => None,
        },
        Fact::TaskChanged { status, reason } => {
            let reason = reason.as_ref().map(|reason| format!(": {}", clean(reason))).unwrap_or_default();
            Some(format!("· {} is {status}{reason}", event.session))
        }
        _ => None,
    }
}

fn asked(
    session: &SessionKey,
    approval: ApprovalId,
    calls: &[AskedCall],
    forecast: Option<&Forecast>,
) -> String {
    let line = |tool: &str, summary: &str| format!("{}: {}", clean(tool), clean(summary));
    let calls: Vec<String> = calls.iter().map(|call| line(&call.tool, &call.summary)).collect();
    let who = if forecast.is_some() { ": a program asks" } else { " asks" };
    let mut text = format!("? {session}{who}: {}", calls.join("; "));
    let after = forecast.map(|forecast| forecast.calls.as_slice()).unwrap_or_default();
    if !after.is_empty() {
        let after: Vec<String> = after.iter().map(|call| line(&call.tool, &call.summary)).collect();
        text.push_str(&format!("\n  after that perhaps (a forecast): {}", after.join("; ")));
    }
    text.push_str(&format!(
        "\n  `steward approvals approve {approval}` or `steward approvals deny {approval}`"
    ));
    text
}
