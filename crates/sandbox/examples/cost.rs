//! What a sandboxed `bash -c true` costs beyond a plain one, in processor time, from a small and a large gateway.
//!
//! Prints figures and asserts nothing: wall time depends on the machine's load, processor time much less.

#![allow(unsafe_code)] // `getrusage` has no safe form in a library this crate uses.

use sandbox::{CommandSpec, Helper, Network, Profile, Sandbox};
use std::{path::PathBuf, time::Instant};

/// Enough runs for a steady mean.
const RUNS: u32 = 150;
const LARGE_BYTES: usize = 500 << 20;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args_os().skip(1);
    let program = words.next().map(PathBuf::from).ok_or("usage: cost HELPER [ARGUMENT…]")?;
    let begun = Instant::now();
    let sandbox = Sandbox::detect_with(Helper { program, args: words.collect() });
    println!("detect: {:.2} ms, degraded: {:?}", begun.elapsed().as_secs_f64() * 1e3, sandbox.degraded());
    measure(&sandbox, "small parent").await?;
    // Written to, so that the pages are really there and a fork would have to copy their tables.
    let mut large = vec![0_u8; LARGE_BYTES];
    large.iter_mut().step_by(4096).for_each(|byte| *byte = 1);
    measure(&sandbox, "500 MiB parent").await?;
    std::hint::black_box(large);
    Ok(())
}

async fn measure(sandbox: &Sandbox, parent: &str) -> Result<(), Box<dyn std::error::Error>> {
    let (mut plain, mut confined, mut hosts) = (Cost::default(), Cost::default(), Cost::default());
    let home = std::env::home_dir().unwrap_or_default();
    let none = Profile { hidden: sandbox::secret_paths(&home), ..Profile::new("/var/tmp") };
    let some = Profile { network: Network::Hosts(vec!["docs.rs".parse()?]), ..none.clone() };
    // Taken in turn, so that a change of load falls on all alike.
    for _ in 0..RUNS {
        let begun = Cost::now();
        tokio::process::Command::new("bash").args(["-c", "true"]).status().await?;
        plain.add(&begun);
        for (profile, cost) in [(&none, &mut confined), (&some, &mut hosts)] {
            let begun = Cost::now();
            let spec = CommandSpec::new(["bash", "-c", "true"], "/var/tmp");
            let done = sandbox.run(profile, spec, |_| {}).await?;
            cost.add(&begun);
            if done.exit != Some(0) {
                return Err(format!("{done:?}").into());
            }
        }
    }
    for (name, cost) in [("plain", &plain), ("sandboxed", &confined), ("sandboxed with hosts", &hosts)] {
        let each = |seconds: f64| seconds * 1e3 / f64::from(RUNS);
        println!(
            "{parent}: {name}: CPU {:.2} ms (x{:.2}, {:+.2} ms), wall {:.2} ms",
            each(cost.cpu),
            cost.cpu / plain.cpu,
            each(cost.cpu - plain.cpu),
            each(cost.wall)
        );
    }
    Ok(())
}

/// Seconds spent.
#[derive(Default)]
struct Cost {
    cpu: f64,
    wall: f64,
}

/// A moment to measure from.
struct Moment {
    cpu: f64,
    wall: Instant,
}

impl Cost {
    fn now() -> Moment {
        Moment { cpu: cpu_seconds(), wall: Instant::now() }
    }

    fn add(&mut self, begun: &Moment) {
        self.cpu += cpu_seconds() - begun.cpu;
        self.wall += begun.wall.elapsed().as_secs_f64();
    }
}

/// Processor time of this process and of every child it has waited for.
fn cpu_seconds() -> f64 {
    [libc::RUSAGE_SELF, libc::RUSAGE_CHILDREN].into_iter().map(usage).sum()
}

fn usage(who: i32) -> f64 {
    // SAFETY: `rusage` is plain data for which all zeroes is a value, and the call fills it.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(who, &raw mut usage);
        usage
    };
    [usage.ru_utime, usage.ru_stime].iter().map(|time| time.tv_sec as f64 + time.tv_usec as f64 / 1e6).sum()
}
