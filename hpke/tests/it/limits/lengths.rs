//! The limits of the lengths of inputs and outputs. Two-stage KDFs hash their inputs; one-stage
//! KDFs write their lengths in 16 bits.

use pqseal_hpke::{
    AEADS, Aead, Aes128Gcm, DynKdf, Error, HkdfSha256, HkdfSha384, HkdfSha512, KDFS, Kem, Labels,
    Mode, Psk, Recipient, RecipientContext, Secret, Sender, SenderContext, Suite, TwoStage,
    X25519HkdfSha256,
};

use crate::common::Replay;

type AnyKdfSuite = Suite<X25519HkdfSha256, DynKdf, Aes128Gcm>;
type Contexts = (
    SenderContext<DynKdf, Aes128Gcm>,
    RecipientContext<DynKdf, Aes128Gcm>,
);

const LONGEST: usize = 65_535;

fn suites() -> impl Iterator<Item = AnyKdfSuite> {
    KDFS.iter()
        .map(|kdf| Suite::new(&X25519HkdfSha256, *kdf, &Aes128Gcm))
}

/// Returns both sides of a context, or the error of both sides, through the suite and through the
/// bound forms.
fn setup(suite: AnyKdfSuite, info: &[u8], psk: Option<Psk<'_>>) -> Result<Contexts, Error> {
    let (sk, pk) = X25519HkdfSha256.derive_key_pair(&[1; 32]).unwrap();
    let (sending, receiving) = (
        psk.map_or(Mode::Base, Mode::Psk),
        psk.map_or(Mode::Base, Mode::Psk),
    );
    let sent = suite.setup_s(&pk, info, sending, &mut Replay(&[2; 32]));
    let enc = sent.as_ref().map_or([9; 32], |(enc, _)| *enc);
    let received = suite.setup_r(&enc, &sk, info, receiving);
    let error = sent.as_ref().err();
    assert_eq!(received.as_ref().err(), error);
    assert_eq!(
        Sender::new(suite, pk, info, sending)
            .and_then(|s| s.setup(&mut Replay(&[2; 32])))
            .err(),
        error.copied()
    );
    assert_eq!(
        Recipient::new(suite, sk, info, receiving)
            .and_then(|r| r.setup(&enc))
            .err(),
        error.copied()
    );
    Ok((sent?.1, received?))
}

/// Checks 65,535 bytes with every KDF; one more is accepted only by the two-stage ones.
fn check_limit(setup_of_length: impl Fn(AnyKdfSuite, usize) -> Result<Contexts, Error>) {
    for suite in suites() {
        for len in [16_384, LONGEST] {
            assert_works(setup_of_length(suite, len));
        }
        match setup_of_length(suite, LONGEST + 1) {
            Err(error) => assert_eq!(
                (error, suite.kdf().info().one_stage),
                (Error::InputTooLong, true),
                "{suite:?}"
            ),
            contexts => {
                assert!(!suite.kdf().info().one_stage, "{suite:?}");
                assert_works(contexts);
            }
        }
    }
}

fn assert_works(contexts: Result<Contexts, Error>) {
    let (mut sender, mut recipient) = contexts.unwrap();
    let ct = sender.seal(b"", b"message").unwrap();
    assert_eq!(recipient.open(b"", &ct).unwrap(), b"message");
}

#[test]
fn info_ends_at_65535_bytes_with_a_one_stage_kdf() {
    check_limit(|suite, len| setup(suite, &vec![1; len], None));
}

#[test]
fn psk_ends_at_65535_bytes_with_a_one_stage_kdf() {
    check_limit(|suite, len| setup(suite, b"", Some(Psk::new(&vec![1; len], b"id").unwrap())));
}

#[test]
fn psk_id_ends_at_65535_bytes_with_a_one_stage_kdf() {
    check_limit(|suite, len| setup(suite, b"", Some(Psk::new(&[1; 32], &vec![1; len]).unwrap())));
}

#[test]
fn exporter_context_ends_at_65535_bytes_with_a_one_stage_kdf() {
    for suite in suites() {
        let (sender, recipient) = setup(suite, b"", None).unwrap();
        for len in [LONGEST, LONGEST + 1] {
            let context = vec![1; len];
            let exported = sender.export(&context, 32);
            assert_eq!(recipient.export(&context, 32), exported);
            let too_long = suite.kdf().info().one_stage && len > LONGEST;
            assert_eq!(
                exported.err(),
                too_long.then_some(Error::InputTooLong),
                "{suite:?}, {len} bytes"
            );
        }
    }
}

#[test]
fn an_export_ends_at_255_hashes_or_65535_bytes() {
    for suite in suites() {
        let (sender, recipient) = setup(suite, b"", None).unwrap();
        let longest = if suite.kdf().info().one_stage {
            LONGEST
        } else {
            255 * suite.kdf().info().n_h
        };
        for len in [0, 1, longest] {
            let exported = sender.export(b"context", len).unwrap();
            assert_eq!(exported.as_ref().len(), len, "{suite:?}");
            assert_eq!(recipient.export(b"context", len).unwrap(), exported);
        }
        for len in [longest + 1, 65_536, usize::MAX] {
            assert_eq!(
                sender.export(b"context", len),
                Err(Error::ExportTooLong),
                "{suite:?}, {len} bytes"
            );
            assert_eq!(
                recipient.export(b"context", len),
                Err(Error::ExportTooLong),
                "{suite:?}, {len} bytes"
            );
        }
    }
}

#[test]
fn an_aead_key_has_nk_bytes() {
    for aead in AEADS {
        let n_k = aead.info().n_k;
        for len in 0..=n_k + 1 {
            let expected = if len == n_k {
                None
            } else {
                Some(Error::KeyLength)
            };
            assert_eq!(aead.key(&vec![1; len]).err(), expected, "{aead:?} {len}");
        }
    }
}

#[test]
fn a_pseudorandom_key_has_nh_bytes() {
    fn check(kdf: &impl TwoStage) {
        let n_h = kdf.info().n_h;
        assert_eq!(kdf.prk(&vec![1; n_h - 1]).err(), Some(Error::KeyLength));
        assert!(kdf.prk(&vec![1; n_h]).is_ok());
        let short = Secret::from_slice(&vec![1; n_h - 1]);
        let exported = kdf.export(&Labels::v1(b"suite"), &short, b"", &mut [0; 8]);
        assert_eq!(exported, Err(Error::KeyLength));
    }
    check(&HkdfSha256);
    check(&HkdfSha384);
    check(&HkdfSha512);
}
