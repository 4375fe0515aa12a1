//! The process that runs a program, by itself, for this crate's tests and measurements; the product calls the same
//! entry from `steward`.

fn main() {
    sandbox::helper::main(code::host_main)
}
