//! Comparison of the KEMs of kem-pq with AWS-LC, RustCrypto and graviola, measured in turn.

#[path = "../../driver/mod.rs"]
mod driver;

mod aws_lc;
mod graviola;
mod rust_crypto;

fn main() {
    driver::main(
        [
            driver::ours::cases(),
            aws_lc::cases(),
            rust_crypto::cases(),
            graviola::cases(),
        ]
        .into_iter()
        .flatten()
        .collect(),
    );
}
