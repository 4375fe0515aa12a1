//! Measures what a local embedding costs: `cargo run --release -p embed --example measure -- FOLDER [--from FILE]`
//! prints load time, vectors for each processor second, and memory before, while and after. With `--from`, the model
//! file is made first. With `--lines FILE`, prints the vector of each line instead.

use embed::Embedder;
use std::{
    error::Error,
    fs,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let folder = PathBuf::from(arguments.first().ok_or("name a folder")?);
    let option = |name: &str| arguments.iter().skip_while(|it| *it != name).nth(1);
    if let Some(from) = option("--from") {
        let start = Instant::now();
        let fetched = embed::convert_file(Path::new(from), &folder)?;
        println!("made {} bytes in {:.2} s", fetched.bytes, start.elapsed().as_secs_f64());
    }
    let embedder = Embedder::local(vec![folder]);
    if let Some(lines) = option("--lines") {
        let text = fs::read_to_string(lines)?;
        for vector in embedder.embed(&text.lines().collect::<Vec<_>>())? {
            println!("{}", vector.iter().map(f32::to_string).collect::<Vec<_>>().join(" "));
        }
        return Ok(());
    }
    println!("memory before        {} kB", resident()?);
    let (load, _) = timed(|| embedder.embed(&["warm"]))?;
    println!("load and first       {:.1} ms", load.as_secs_f64() * 1e3);
    println!("memory loaded        {} kB ({} bytes of weights)", resident()?, embedder.loaded_bytes());
    let query = "what did I say about my sister's new job?";
    let (queries, _) = timed(|| (0..100).try_for_each(|_| embedder.embed(&[query]).map(|_| ())))?;
    println!("a short query        {:.2} ms", queries.as_secs_f64() * 10.0);
    let words = "The lease of the flat ends in March and the landlord wants to hear by the new year whether it shall go on. ";
    let text: String = words.repeat(5).chars().take(500).collect();
    for (batch, rounds) in [(1, 64), (8, 8), (64, 1)] {
        let texts = vec![text.as_str(); batch];
        let (all, _) = timed(|| (0..rounds).try_for_each(|_| embedder.embed(&texts).map(|_| ())))?;
        println!("500 characters       {:.1} a second, {batch} at once", 64.0 / all.as_secs_f64());
    }
    println!("memory after work    {} kB", resident()?);
    drop(embedder);
    println!("memory without       {} kB", resident()?);
    Ok(())
}

/// How much processor time it takes.
fn timed<T, E>(work: impl FnOnce() -> Result<T, E>) -> Result<(Duration, T), E> {
    let before = processor_time();
    let done = work()?;
    Ok((processor_time() - before, done))
}

fn processor_time() -> Duration {
    let stat = fs::read_to_string("/proc/self/schedstat").unwrap_or_default();
    Duration::from_nanos(stat.split(' ').next().and_then(|it| it.parse().ok()).unwrap_or_default())
}

fn resident() -> Result<u64, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).ok_or("no VmRSS")?;
    Ok(line.split_whitespace().nth(1).ok_or("no number")?.parse()?)
}
