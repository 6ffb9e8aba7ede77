//! Compares our back ends with liboqs, in one process and in turn.

#[path = "../../../../kem-pq/benches/bike/driver.rs"]
mod driver;

use bike_liboqs::Liboqs;
use driver::{Candidate, timed};
use pqseal_kem_pq::bike::Params;

fn main() {
    driver::main(|p| std::iter::once(theirs(p)).chain(driver::ours(p)).collect());
}

/// Returns liboqs with this level, on the instructions that it chooses, or in plain C if it was
/// built so.
fn theirs(p: &'static Params) -> Candidate {
    let liboqs = Liboqs::new(p);
    let name = if cfg!(feature = "generic") {
        "liboqs generic"
    } else {
        "liboqs"
    };
    let round = move |round| {
        let ((pk, sk), keygen) = timed(|| liboqs.keypair(&[round; 64]));
        let ((c, sent), encaps) = timed(|| liboqs.encaps(&pk, &[round; 32]));
        let (received, decaps) = timed(|| liboqs.decaps(&c, &sk));
        assert!(sent == received, "{} {round}", p.name);
        [keygen, encaps, decaps]
    };
    Candidate {
        name,
        round: Box::new(round),
    }
}
