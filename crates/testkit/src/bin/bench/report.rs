//! Figures beside each other.

use super::child::Cost;

/// One thing measured, beside another.
pub struct Row {
    what: String,
    unit: &'static str,
    ours: f64,
    theirs: f64,
    beside: String,
}

impl Row {
    pub fn new(what: &str, unit: &'static str, ours: f64, theirs: f64, beside: &str) -> Self {
        Self { what: what.into(), unit, ours, theirs, beside: beside.into() }
    }
}

/// The middle of what was measured.
pub fn median<T: Ord + Copy>(costs: &[Cost], of: impl Fn(&Cost) -> T) -> T {
    let mut values: Vec<T> = costs.iter().map(of).collect();
    values.sort();
    values[values.len() / 2]
}

/// Prints a Markdown table.
pub fn print(rows: &[Row]) {
    println!("| measure (median) | Steward | beside | ratio |");
    println!("|---|---|---|---|");
    for Row { what, unit, ours, theirs, beside } in rows {
        println!("| {what} | {ours:.1} {unit} | {theirs:.1} {unit} ({beside}) | {:.1}× |", ours / theirs);
    }
    println!();
}
