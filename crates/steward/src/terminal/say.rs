//! Lines on standard output. Whoever reads them may stop doing so (`steward … | head -1`): then there is
//! nothing left to do, and that is no failure to report.

use std::{
    fmt,
    io::{self, Write},
};

/// The exit code of something whose reader went away, as shells have it for SIGPIPE.
const READER_GONE: i32 = 141;

/// Prints a line, as `println!` does.
macro_rules! say {
    () => { $crate::terminal::say_line(format_args!("")) };
    ($($argument:tt)*) => { $crate::terminal::say_line(format_args!($($argument)*)) };
}
pub(crate) use say;

/// Writes one line to standard output.
pub(crate) fn say_line(line: fmt::Arguments<'_>) {
    if let Err(error) = writeln!(io::stdout().lock(), "{line}") {
        if error.kind() != io::ErrorKind::BrokenPipe {
            tracing::error!(%error, "cannot write to standard output");
        }
        std::process::exit(READER_GONE);
    }
}
