//! The KEMs of this crate on each back end: `cargo bench -p pqseal-kem-pq`. `dev/benches/peers` has
//! other implementations beside them.

mod driver;

fn main() {
    let mut cases = driver::ours::cases();
    if std::env::args().any(|arg| arg == "--bench") {
        driver::main(cases);
    } else {
        // cargo test --all-targets: that it runs is enough.
        cases.iter_mut().for_each(|case| (case.run)());
    }
}
