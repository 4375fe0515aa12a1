//! The tests of this room, by subject. What they share is in `ground`.

mod ground;
mod commands;
mod rules;
mod paths;
mod taint;
mod usual;
mod screens;
mod secrets;
mod properties;
mod bash;
