//! The sandbox helper by itself, for this crate's tests; the product calls the same entry from `steward`.

fn main() {
    sandbox::helper::main(sandbox::helper::nothing)
}
