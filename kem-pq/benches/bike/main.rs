//! What BIKE costs on every back end that this machine has: `cargo bench -p pqseal-kem-pq --bench
//! bike`.
//!
//! Beside liboqs: `dev/interop/liboqs`.

mod driver;

fn main() {
    driver::main(driver::ours);
}
