//! Cost of BIKE on every back end that this machine has: `cargo bench -p pqseal-kem-pq --bench
//! bike`.
//!
//! `dev/interop/liboqs` compares it with liboqs.

mod driver;

fn main() {
    driver::main(driver::ours);
}
