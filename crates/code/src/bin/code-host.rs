//! The process that runs a program, by itself, for this crate's tests and measurements; the product calls the same two
//! entries from `steward`.

use std::process::ExitCode;

fn main() -> ExitCode {
    if std::env::args_os().nth(1).is_some_and(|word| word == "sandbox-exec") {
        sandbox::helper::main();
    }
    code::host_main()
}
