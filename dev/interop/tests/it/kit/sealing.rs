//! A sealing of a suite in a mode, and its case.

use pqseal_hpke::{AnyPrivateKey, AnyPublicKey, KEMS as CLASSICAL, Suite};

use super::{
    schema::{Case, Hex},
    suites::{PSK, PSK_ID, Repeatable, mode, pair, suite},
};

/// A sealing of a suite in a mode.
pub(crate) struct Sealing {
    pub(crate) suite: Suite,
    pub(crate) mode: u8,
    pub(crate) recipient: (AnyPrivateKey, AnyPublicKey),
    pub(crate) sender: (AnyPrivateKey, AnyPublicKey),
}

impl Sealing {
    pub(crate) fn new(ids: [u16; 3], mode: u8) -> Self {
        let suite = suite(ids);
        let [recipient, sender] = [1, 2].map(|number| pair(suite.kem(), number));
        Self {
            suite,
            mode,
            recipient,
            sender,
        }
    }

    /// Returns a valid case with the enc and ct of `seed`.
    pub(crate) fn valid(&self, comment: &str, seed: u16, [info, aad, pt]: [&[u8]; 3]) -> Case {
        let mut case = self.case(comment, seed, info);
        let (enc, cts) = self.seal(&self.recipient.1, seed, info, &[(aad, pt)]);
        (case.enc, case.ct, case.aad, case.pt) =
            (Hex(enc), Hex(cts[0].clone()), aad.into(), pt.into());
        case
    }

    /// Returns the fields that all cases share.
    pub(crate) fn case(&self, comment: &str, seed: u16, info: &[u8]) -> Case {
        let (sk, pk) = &self.recipient;
        let with_key = self.mode >= 2;
        let with_psk = self.mode % 2 == 1;
        Case {
            comment: comment.into(),
            flags: vec!["Valid".into()],
            sk_rm: Some(
                self.suite
                    .kem()
                    .serialize_private_key(sk)
                    .expect("a seed")
                    .as_ref()
                    .into(),
            ),
            pk_rm: pk.as_ref().into(),
            pk_sm: with_key.then(|| self.sender.1.as_ref().into()),
            psk: with_psk.then(|| PSK.into()),
            psk_id: with_psk.then(|| PSK_ID.into()),
            ikm_e: Some(self.ikm_e(seed)),
            info: info.into(),
            result: "valid".into(),
            ..Case::default()
        }
    }

    /// Returns ikmE as in #273: the private key of a DHKEM's ephemeral pair, the randomness of
    /// other KEMs.
    pub(crate) fn ikm_e(&self, seed: u16) -> Hex {
        let kem = self.suite.kem();
        let randomness = Repeatable::new(seed).bytes(kem.info().n_random);
        if CLASSICAL
            .iter()
            .all(|other| other.info().id != kem.info().id)
        {
            return Hex(randomness);
        }
        let (sk, _) = kem.derive_key_pair(&randomness).expect("enough material");
        kem.serialize_private_key(&sk)
            .expect("a scalar")
            .as_ref()
            .into()
    }

    pub(crate) fn seal(
        &self,
        to: &AnyPublicKey,
        seed: u16,
        info: &[u8],
        messages: &[(&[u8], &[u8])],
    ) -> (Vec<u8>, Vec<Vec<u8>>) {
        let mode = mode(self.mode, Some(&self.sender.0), [PSK, PSK_ID]);
        let (enc, mut context) = self
            .suite
            .setup_s(to, info, mode, &mut Repeatable::new(seed))
            .expect("sealing");
        let cts = messages
            .iter()
            .map(|(aad, pt)| context.seal(aad, pt).expect("sealing"));
        (enc.clone(), cts.collect())
    }
}
