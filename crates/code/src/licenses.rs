//! The licenses of what this room takes into the binary besides Rust crates: the TypeScript compiler.

/// The license texts that must go with the binary.
pub fn licenses() -> String {
    let license = include_str!(concat!(env!("OUT_DIR"), "/typescript.license"));
    let notices = include_str!(concat!(env!("OUT_DIR"), "/typescript.notices"));
    format!("TypeScript, which is part of this program\n\n{}\n\n{}\n", license.trim(), notices.trim())
}
