//! The process that runs one program: reads orders from standard input, answers on standard output, and ends.
//!
//! `runner` starts it, inside the sandbox. Before it reads anything a program or a model had a hand in, it gives up
//! every right but those to read, write, and use memory.

use crate::{
    engine::Engine,
    frame::{self, Order, Report},
    limits::Limits,
};
use std::{
    ffi::CString,
    io::{self, Read, Write},
};

/// What the process is called.
pub(crate) const NAME: &str = "code-host";
/// Says that the sandbox is switched off, so that giving up rights may fail.
pub(crate) const UNCONFINED: &str = "--unconfined";

/// Runs one program and gives an exit code. The binary hands this to [`sandbox::helper::main`].
pub fn host_main(words: &[String]) -> i32 {
    let unconfined = words.iter().any(|word| word == UNCONFINED);
    // A name is for people; without it nothing is lost.
    CString::new(NAME).map(|name| rustix::thread::set_name(&name).ok()).ok();
    if let Err(error) = sandbox::renounce()
        && !unconfined
    {
        // Standard error may lead nowhere; the exit code still says that nothing ran.
        writeln!(io::stderr(), "steward: cannot give up rights: {error}").unwrap_or_default();
        return 1;
    }
    i32::from(serve(&mut io::stdin().lock(), &mut io::stdout().lock()).is_err())
}

/// Answers orders until the program has ended or nobody gives any more.
fn serve(orders: &mut impl Read, reports: &mut impl Write) -> io::Result<()> {
    let most = Limits::default().frame_bytes();
    let Some(Order::Start(start)) = frame::read(orders, most)? else { return Ok(()) };
    let most = start.limits.frame_bytes();
    let (mut engine, mut report) = Engine::start(&start);
    loop {
        frame::write(reports, &report)?;
        let (Some(engine), Report::Quiet { .. }) = (&mut engine, &report) else { return Ok(()) };
        let Some(Order::Deliver(delivery)) = frame::read(orders, most)? else { return Ok(()) };
        report = engine.deliver(&delivery);
    }
}
