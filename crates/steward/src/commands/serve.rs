//! `steward serve`: stays, answers at the doors, and works through the inbox until told to end.

use crate::terminal::say;
use crate::{
    client::{self, Reached},
    config, daemon, hands,
    home::Home,
    house::{self, Doors, House},
    token,
};
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::{io, process::ExitCode, time::Duration};
use tokio::{
    net::TcpListener,
    signal::unix::{Signal, SignalKind, signal},
};

/// When what only starting needed is let go, and how often what was needed since.
const SETTLED: Duration = Duration::from_secs(1);
const TIDYING: Duration = Duration::from_secs(60);

pub(crate) async fn run() -> anyhow::Result<ExitCode> {
    let (home, settings, environment) = house::enter()?;
    allow_many_connections();
    let lock = match client::reach(&home).await? {
        Reached::Nobody(lock) => lock,
        Reached::Daemon(daemon) => {
            anyhow::bail!("Steward runs already, at {} (process {})", daemon.address, daemon.pid)
        }
    };
    // Whoever left this is gone: the lock was free.
    daemon::withdraw(&home)?;
    let token = token::find_or_make(&home, &environment)?;
    let mut house = House::open(&home, &settings, &environment, lock).await?;
    let (interrupt, terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    let config::Gateway { host, allowed_hosts, .. } = settings.gateway.clone();
    let listener = listen(&settings.gateway).await?;
    let address = listener.local_addr()?;
    if !gateway::is_loopback(&address) {
        eprintln!(
            "Warning (gateway.host): other machines can reach {address}, and what is said there is not \
             encrypted. Whoever has the token is you. Use `127.0.0.1` unless something in front encrypts."
        );
    }
    let doors = Doors { host, port: address.port(), allowed_hosts, token: token.text };
    let gateway = house.gateway(doors);
    house.start();
    daemon::announce(&home, gateway.address())?;
    let (at, link) = (gateway.address(), gateway.sign_in_link());
    say!("Steward is ready at {at} · open {link} (works once), or run `steward open`");
    after_the_start(at.to_owned());
    house.stay();
    tokio::join!(gateway.serve(listener), end_when_told(&home, &house, interrupt, terminate));
    house.close().await?;
    Ok(ExitCode::SUCCESS)
}

/// What nobody has to wait for: the first line of the log, for which the patterns of secrets are made ready, and
/// a look at what the kernel offers, take milliseconds. Code that was needed for a while is let go at rest.
fn after_the_start(address: String) {
    tokio::task::spawn_blocking(move || {
        tracing::info!(address, "ready");
        hands::warnings().iter().for_each(|warning| eprintln!("{warning}"));
    });
    tokio::spawn(async {
        tokio::time::sleep(SETTLED).await;
        loop {
            sandbox::forget_code();
            tokio::time::sleep(TIDYING).await;
        }
    });
}

async fn end_when_told(home: &Home, house: &House, mut interrupt: Signal, mut terminate: Signal) {
    tokio::select! {
        _ = interrupt.recv() => {}
        _ = terminate.recv() => {}
        // Without its agent a daemon is of no use; whoever watches over it starts it again.
        () = house.stop.cancelled() => {}
    }
    tracing::info!("ending");
    if let Err(error) = daemon::withdraw(home) {
        tracing::warn!(error = format!("{error:#}"), "others may look for this daemon in vain");
    }
    house.stop.cancel();
}

async fn listen(gateway: &config::Gateway) -> anyhow::Result<TcpListener> {
    let config::Gateway { host, port, .. } = gateway;
    TcpListener::bind((host.as_str(), *port)).await.map_err(|error| match error.kind() {
        io::ErrorKind::AddrInUse => anyhow::anyhow!(
            "another program listens on {host}:{port}: choose another `gateway.port` in config.toml, or set \
             STEWARD_PORT (0 takes any that is free)"
        ),
        _ => anyhow::Error::from(error).context(format!(
            "cannot listen on {host}:{port}; `gateway.host` and `gateway.port` in config.toml, or STEWARD_HOST \
             and STEWARD_PORT, say where"
        )),
    })
}

/// Every connection is an open file, and the usual limit is low for historical reasons only.
fn allow_many_connections() {
    let limit = getrlimit(Resource::Nofile);
    if let Err(error) = setrlimit(Resource::Nofile, Rlimit { current: limit.maximum, ..limit }) {
        tracing::warn!(%error, "cannot raise the limit of open files");
    }
}
