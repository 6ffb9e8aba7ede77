//! Thousands of rounds hashed into one value, where single vectors are too few.

use pqseal_hpke::Kem;
use pqseal_kem_pq::ml_kem::{MlKem, ParameterSet};
use shake::{ExtendableOutput, Shake128, Update, XofReader};
use test_vectors::AccumulatedVector;

use super::operations::with_kem_of;

#[test]
fn ten_thousand_rounds_of_each_parameter_set_hash_to_the_known_value() {
    let tests = test_vectors::ml_kem_accumulated().entries;
    tests.iter().for_each(|test| with_kem_of!(test, run));
    assert_eq!(
        tests.iter().map(|test| test.rounds).sum::<u32>(),
        3 * (100 + 10_000)
    );
}

fn run<P: ParameterSet>(kem: &MlKem<P>, vector: &AccumulatedVector) {
    let (mut inputs, mut outputs) = (Shake128::default().finalize_xof(), Shake128::default());
    for _ in 0..vector.rounds {
        round(kem, &mut inputs, &mut outputs);
    }
    let mut found = [0; 32];
    outputs.finalize_xof().read(&mut found);
    assert_eq!(
        &found[..],
        vector.outputs,
        "{}, {} rounds",
        kem.info().name,
        vector.rounds
    );
}

fn round<P: ParameterSet>(kem: &MlKem<P>, inputs: &mut impl XofReader, outputs: &mut Shake128) {
    let sk = kem.deserialize_private_key(&draw(inputs, 64)).unwrap();
    let pk = kem.public_key(&sk).unwrap();
    outputs.update(pk.as_ref());
    let (secret, enc) = kem.encap(&pk, &draw(inputs, 32)).unwrap();
    outputs.update(&enc);
    outputs.update(secret.as_ref());
    assert_eq!(kem.decap(&enc, &sk).unwrap(), secret);
    let rejected = kem.decap(&draw(inputs, enc.len()), &sk).unwrap();
    outputs.update(rejected.as_ref());
}

fn draw(inputs: &mut impl XofReader, len: usize) -> Vec<u8> {
    let mut drawn = vec![0; len];
    inputs.read(&mut drawn);
    drawn
}
