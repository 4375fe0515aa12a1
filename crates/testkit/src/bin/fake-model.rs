//! The fake model as a program, for benchmarks and for trying things by hand: prints its two base URLs and
//! answers until it is stopped.

use clap::Parser;
use std::time::Duration;
use testkit::{FakeModel, Script};

/// A model provider that is none: echoes what is said to it.
#[derive(Parser)]
struct Options {
    /// The port to listen on; 0 takes a free one.
    #[arg(long, default_value_t = 0)]
    port: u16,
    /// How long to wait before each chunk, in milliseconds.
    #[arg(long, default_value_t = 0)]
    delay_ms: u64,
    /// Answer with this many chunks instead of an echo.
    #[arg(long)]
    chunks: Option<usize>,
}

#[tokio::main]
async fn main() {
    let options = Options::parse();
    let fake = FakeModel::start_on(options.port).await;
    fake.reply_with(move |request| {
        let script = match options.chunks {
            Some(chunks) => Script::reply("word ".repeat(chunks)).text_chunks_of("word ".len()),
            None => Script::reply(format!("You said: {}", request.last_user_text())).text_chunks_of(16),
        };
        script.chunk_delay(Duration::from_millis(options.delay_ms))
    });
    println!("anthropic {}", fake.anthropic_url());
    println!("openai {}", fake.openai_url());
    fake.serve_forever().await;
}
