//! Comparison of the KEMs of kem-pq with AWS-LC, RustCrypto and graviola, measured in turn.

#[path = "../../driver/mod.rs"]
mod driver;

mod aws_lc;
mod graviola;
mod rust_crypto;

fn main() {
    driver::main(|| {
        let mut cases = driver::ours::cases();
        cases.extend(aws_lc::cases());
        cases.extend(rust_crypto::cases());
        cases.extend(graviola::cases());
        cases
    });
}
