//! Randomness: the exact amount, and a generator that fails.

use pqseal_hpke::{
    Aes128Gcm, Error, HkdfSha256, KEMS, Mode, Response, Sender, Suite, X25519HkdfSha256,
};

use crate::common::Replay;

#[test]
fn an_encapsulation_takes_exactly_its_number_of_random_bytes() {
    for kem in KEMS {
        let n_random = kem.info().n_random;
        let (sk, pk) = kem.derive_key_pair(&[1; 66]).unwrap();
        assert!(kem.encap(&pk, &vec![2; n_random]).is_ok());
        for len in [0, 1, n_random - 1, n_random + 1, 2 * n_random] {
            assert_eq!(
                kem.encap(&pk, &vec![2; len]).unwrap_err(),
                Error::Encap,
                "{len} bytes"
            );
            assert_eq!(
                kem.auth_encap(&pk, &sk, &vec![2; len]).unwrap_err(),
                Error::Encap,
                "{len} bytes"
            );
        }
    }
}

/// Tests every operation that draws randomness, with one byte too few in the
/// generator.
#[test]
fn a_failing_generator_fails_the_operation() {
    let suite = Suite::new(&X25519HkdfSha256, &HkdfSha256, &Aes128Gcm);
    let (sk, pk) = suite.generate_key_pair(&mut Replay(&[1; 32])).unwrap();
    let broken = || Replay(&[2; 31]);
    assert_eq!(
        suite.generate_key_pair(&mut broken()).unwrap_err(),
        Error::Rng
    );
    assert_eq!(
        suite
            .setup_s(&pk, b"", Mode::Base, &mut broken())
            .unwrap_err(),
        Error::Rng
    );
    assert_eq!(
        suite
            .setup_s(&pk, b"", Mode::Auth(&sk), &mut broken())
            .unwrap_err(),
        Error::Rng
    );
    assert_eq!(
        suite.seal(&pk, b"", Mode::Base, b"", b"message", &mut broken()),
        Err(Error::Rng)
    );
    assert_eq!(
        suite.send_export(&pk, b"", Mode::Base, b"", 32, &mut broken()),
        Err(Error::Rng)
    );
    let sender = Sender::new(suite, pk.clone(), b"", Mode::Base).unwrap();
    assert_eq!(sender.setup(&mut broken()).unwrap_err(), Error::Rng);
    assert_eq!(sender.seal(b"", b"message", &mut broken()), Err(Error::Rng));
    let recipient = suite.setup_r(pk.as_ref(), &sk, b"", Mode::Base).unwrap();
    let answer = recipient.seal_response(
        Response::new(b"answer"),
        pk.as_ref(),
        b"",
        b"message",
        &mut broken(),
    );
    assert_eq!(answer, Err(Error::Rng));
}
