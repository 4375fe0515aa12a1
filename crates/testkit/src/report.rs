//! Figures beside each other, as benchmarks print them.

use std::time::Duration;

/// One thing measured, beside another where there is one.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    what: String,
    unit: &'static str,
    ours: f64,
    theirs: Option<f64>,
    beside: String,
}

impl Row {
    /// Something measured beside something else.
    pub fn new(what: &str, unit: &'static str, ours: f64, theirs: f64, beside: &str) -> Self {
        Self { what: what.into(), unit, ours, theirs: Some(theirs), beside: beside.into() }
    }

    /// Something measured, and what is to be said of it in place of another figure.
    pub fn alone(what: &str, unit: &'static str, ours: f64, said: &str) -> Self {
        Self { what: what.into(), unit, ours, theirs: None, beside: said.into() }
    }
}

/// Prints a Markdown table.
pub fn print(rows: &[Row]) {
    println!("| measure (median) | Steward | beside | ratio |");
    println!("|---|---|---|---|");
    for Row { what, unit, ours, theirs, beside } in rows {
        match theirs {
            Some(theirs) => {
                let ratio = ours / theirs;
                let digits = if ratio >= 1.0 { 1 } else { 3 };
                println!("| {what} | {ours:.1} {unit} | {theirs:.1} {unit} ({beside}) | {ratio:.digits$}× |");
            }
            None => println!("| {what} | {ours:.1} {unit} | {beside} | |"),
        }
    }
    println!();
}

/// The middle of times that were measured, in milliseconds.
pub fn middle_ms(times: &[Duration]) -> f64 {
    let mut times = times.to_vec();
    times.sort();
    times.get(times.len() / 2).map_or(f64::NAN, |time| time.as_secs_f64() * 1e3)
}
