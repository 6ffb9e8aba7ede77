//! Benchmark of the KEMs of this crate on each back end: `cargo bench -p pqseal-kem-pq`.
//! `benches/peers` compares them with other implementations.

mod driver;

fn main() {
    if std::env::args().any(|arg| arg == "--bench") {
        driver::main(driver::ours::cases);
    } else {
        // Under `cargo test --all-targets` it is enough that it runs.
        for mut case in driver::ours::cases() {
            (case.run)();
        }
    }
}
