//! Standing orders, put together from the configuration: who keeps them, by which clock, and who brings word.

use crate::config::Settings;
use anyhow::Context;
use schedule::hours::ActiveHours;
use std::{collections::HashSet, sync::Arc};
use store::Store;
use tasks::{Clock, Courier, HeartbeatSettings, Orders, Scheduler};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Who keeps the standing orders of this house. Nothing runs until told to.
pub(crate) struct Standing {
    pub orders: Orders,
    scheduler: Scheduler,
    courier: Courier,
}

impl Standing {
    pub fn new(settings: &Settings, store: &Store, clock: Arc<dyn Clock>) -> anyhow::Result<Self> {
        let zone = jiff::tz::TimeZone::system();
        let heartbeat = heartbeat(settings)?;
        Ok(Self {
            orders: Orders::new(store.clone(), clock.clone(), zone.clone()),
            scheduler: Scheduler::new(store.clone(), clock, zone, heartbeat),
            courier: Courier::new(store.clone(), HashSet::new()),
        })
    }

    /// Fires what is due and brings word to the owner, until `stop`.
    pub fn start(&self, work: &mut JoinSet<()>, stop: &CancellationToken) {
        let (scheduler, courier) = (self.scheduler.clone(), self.courier.clone());
        let (until, stop) = (stop.clone(), stop.clone());
        work.spawn(async move { scheduler.run(until).await });
        work.spawn(async move { courier.run(stop).await });
    }
}

fn heartbeat(settings: &Settings) -> anyhow::Result<HeartbeatSettings> {
    let wanted = &settings.heartbeat;
    let active_hours = ActiveHours::parse(&wanted.active_hours)
        .map_err(|error| anyhow::anyhow!("{error}"))
        .with_context(|| format!("`heartbeat.active_hours` is `{}`", wanted.active_hours))?;
    Ok(HeartbeatSettings {
        enabled: wanted.enabled,
        interval_minutes: wanted.interval_minutes.get(),
        active_hours,
        deliver_to: wanted.deliver_to.clone(),
        workspace: settings.workspace.clone(),
    })
}
