//! Keys at run time know their KEM, and every operation asks.

use pqseal_hpke::{AnyPublicKey, Error, Mode, Recipient, Sealed};

use super::case::{INFO, PARTIES, Party, every_kem};
use crate::common::Replay;

/// Lists the parties of every other KEM.
fn others(party: &Party) -> impl Iterator<Item = &'static Party> {
    let id = party.kem.info().id;
    PARTIES
        .iter()
        .filter(move |other| other.kem.info().id != id)
}

#[test]
fn a_key_survives_serialization() {
    every_kem(|case| {
        let (kem, (sk, pk)) = (case.party.kem, &case.party.recipient);
        let bytes = kem.serialize_private_key(sk).unwrap();
        assert_eq!(bytes.as_ref().len(), kem.info().n_sk);
        assert_eq!(
            &kem.public_key(&kem.deserialize_private_key(bytes.as_ref()).unwrap())
                .unwrap(),
            pk
        );
        assert_eq!(pk.as_ref().len(), kem.info().n_pk);
        assert_eq!(&kem.deserialize_public_key(pk.as_ref()).unwrap(), pk);
        assert_eq!((sk.kem(), pk.kem()), (kem.info(), kem.info()));
        assert_eq!(sk.to_bytes().unwrap(), bytes);
        assert_eq!(&sk.public_key().unwrap(), pk);
    });
}

/// RFC 9180, section 7.1.2: a private key of a P-curve is above zero and below the order.
#[test]
fn scalars_out_of_range_are_refused() {
    every_kem(|case| {
        let kem = case.party.kem;
        if (0x0010..=0x0012).contains(&kem.info().id) {
            for byte in [0, 0xff] {
                let scalar = vec![byte; kem.info().n_sk];
                let refused = kem.deserialize_private_key(&scalar).unwrap_err();
                assert_eq!(refused, Error::Deserialize, "{byte}");
            }
        }
    });
}

#[test]
fn keys_of_another_length_are_refused() {
    every_kem(|case| {
        let kem = case.party.kem;
        for len in (0..kem.info().n_sk).chain([kem.info().n_sk + 1]) {
            assert_eq!(
                kem.deserialize_private_key(&vec![1; len]).unwrap_err(),
                Error::Deserialize,
                "{len}"
            );
        }
        let pk = [case.party.recipient.1.as_ref(), &[0]].concat();
        for len in (0..kem.info().n_pk).chain([kem.info().n_pk + 1]) {
            assert_eq!(
                kem.deserialize_public_key(&pk[..len]).unwrap_err(),
                Error::Deserialize,
                "{len}"
            );
        }
    });
}

#[test]
fn a_key_pair_comes_only_from_its_randomness() {
    every_kem(|case| {
        let n_sk = case.party.kem.info().n_sk;
        let generate = |byte| {
            case.suite
                .generate_key_pair(&mut Replay(&vec![byte; n_sk]))
                .unwrap()
                .1
        };
        assert_eq!(generate(1), generate(1));
        assert_ne!(generate(1), generate(2));
        assert_eq!(
            generate(1),
            case.party.kem.derive_key_pair(&vec![1; n_sk]).unwrap().1
        );
    });
}

#[test]
fn a_key_of_another_kem_is_refused_by_the_kem() {
    every_kem(|case| {
        let (kem, enc) = (case.party.kem, case.send().0);
        let (sk, pk) = &case.party.recipient;
        for Party {
            recipient: (other_sk, other_pk),
            ..
        } in others(case.party)
        {
            let randomness = case.party.randomness(1);
            let results = [
                kem.public_key(other_sk).map(drop),
                kem.serialize_private_key(other_sk).map(drop),
                kem.encap(other_pk, &randomness).map(drop),
                kem.decap(&enc, other_sk).map(drop),
                kem.auth_encap(other_pk, sk, &randomness).map(drop),
                kem.auth_encap(pk, other_sk, &randomness).map(drop),
                kem.auth_decap(&enc, other_sk, pk).map(drop),
                kem.auth_decap(&enc, sk, other_pk).map(drop),
            ];
            assert_eq!(results, [Err(Error::KeyMismatch); 8]);
            let batch = kem.decap_batch(&[&enc, &enc], other_sk);
            assert!(
                batch.len() == 2
                    && batch
                        .iter()
                        .all(|result| result == &Err(Error::KeyMismatch))
            );
        }
    });
}

#[test]
fn a_key_of_another_kem_is_refused_by_the_suite() {
    every_kem(|case| {
        let enc = case.send().0;
        let randomness = case.party.randomness(1);
        for Party {
            recipient: (sk, pk),
            ..
        } in others(case.party)
        {
            let sent = case
                .suite
                .setup_s(pk, INFO, case.sender_mode(), &mut Replay(&randomness));
            assert_eq!(sent.unwrap_err(), Error::KeyMismatch);
            let received = case.suite.setup_r(&enc, sk, INFO, case.recipient_mode());
            assert_eq!(received.unwrap_err(), Error::KeyMismatch);
            let recipient =
                Recipient::new(case.suite, sk.clone(), INFO, Mode::<AnyPublicKey>::Base).unwrap();
            let record = Sealed {
                enc: &enc,
                aad: b"",
                ct: &[0; 16],
            };
            assert_eq!(recipient.open_batch(&[record]), [Err(Error::KeyMismatch)]);
        }
    });
}
