//! The helper by itself, for this crate's tests and measurements; the product calls the same entry from `steward`.

use std::os::fd::AsRawFd as _;

fn main() {
    sandbox::helper::main(look_around)
}

/// Says what is within reach of what a binary does itself.
fn look_around(words: &[String]) -> i32 {
    for word in words {
        let opened = std::fs::File::open(word).map(|_| "opened").unwrap_or("closed");
        println!("{word}: {opened}");
    }
    let around = std::fs::read_dir("/").map_or(0, Iterator::count);
    let climbed = std::fs::read_dir("../../../../..").map_or(0, Iterator::count);
    println!("entries: {around} and {climbed}");
    println!("written: {}", std::fs::write("/made", "x").is_ok());
    println!("connected: {}", std::net::TcpStream::connect("127.0.0.1:1").is_ok());
    // The kernel gives the lowest number that is free.
    let next = std::io::pipe().map_or(-1, |(reader, _)| reader.as_raw_fd());
    println!("next descriptor: {next}");
    println!("variables: {}", std::env::vars_os().count());
    println!("process: {}", std::process::id());
    7
}
