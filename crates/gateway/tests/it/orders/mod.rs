//! Standing orders at the doors: jobs and tasks over the socket, tasks over HTTP, and what other programs hand in.

mod hooks;
mod jobs;
mod streams;
mod tasks;
