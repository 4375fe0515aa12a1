//! Runs asynchronous work to its end for somebody who waits, wherever that is: a runtime cannot be started inside
//! another one's thread, so it gets one of its own. What the work is, is left to others.

use std::{io, thread};

/// Runs `work` to its end. Meanwhile the calling thread does `meanwhile`.
pub(crate) fn in_own_thread<T: Send, F: Future<Output = T>>(
    work: impl FnOnce() -> F + Send,
    meanwhile: impl FnOnce(),
) -> io::Result<T> {
    thread::scope(|scope| {
        let run = || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
            Ok(runtime.block_on(work()))
        };
        let thread = thread::Builder::new().name("embed-http".to_owned()).spawn_scoped(scope, run)?;
        meanwhile();
        thread.join().unwrap_or_else(|_| Err(io::Error::other("the request broke off")))
    })
}
