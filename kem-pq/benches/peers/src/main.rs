//! Comparison of the KEMs of kem-pq with AWS-LC and RustCrypto, measured in turn.

#[path = "../../driver/mod.rs"]
mod driver;

mod aws_lc;
mod rust_crypto;

fn main() {
    driver::main(
        [driver::ours::cases(), aws_lc::cases(), rust_crypto::cases()]
            .into_iter()
            .flatten()
            .collect(),
    );
}
