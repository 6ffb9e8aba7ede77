//! Benchmark of the KEMs of this crate on each back end: `cargo bench -p pqseal-kem-pq`.
//! `dev/benches/peers` compares them with other implementations.

mod driver;

fn main() {
    let mut cases = driver::ours::cases();
    if std::env::args().any(|arg| arg == "--bench") {
        driver::main(cases);
    } else {
        // Under `cargo test --all-targets` it is enough that it runs.
        cases.iter_mut().for_each(|case| (case.run)());
    }
}
