//! The key pairs that input keying material can represent.

use std::fmt;

use pqseal_hpke::{
    AnyPrivateKey, DynKem, HkdfSha256, Kem, Labels, Secret, TwoStage, X25519HkdfSha256,
    labeled::kem_suite_id,
};

use pqseal_keys::{kem_by_id, kems};

/// The way in which ikm became a private key.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Derivation {
    /// By DeriveKeyPair of the document that defines the KEM.
    DeriveKeyPair,
    /// By DeriveKeyPair under the label of this draft of HPKE (X25519).
    Draft(&'static str),
    /// Directly: the ikm was used as the serialized private key.
    Itself,
}

/// A key pair that ikm can represent.
#[derive(Debug)]
pub struct KeyPair {
    /// The KEM.
    pub kem: &'static DynKem,
    /// The derivation.
    pub derivation: Derivation,
    /// The private key, from which the public key follows.
    pub private: AnyPrivateKey,
}

/// The labels of the drafts, and their names. Draft 05 writes a space after its label.
const DRAFTS: [(&[u8], &str); 3] = [
    (b"HPKE-05 ", "draft-irtf-cfrg-hpke-05"),
    (b"HPKE-06", "draft-irtf-cfrg-hpke-06"),
    (b"HPKE-07", "draft-irtf-cfrg-hpke-07"),
];

/// Lists every key pair that `ikm` can represent, of all KEMs.
pub fn key_pairs_of(ikm: &[u8]) -> impl Iterator<Item = KeyPair> {
    let of_kems = kems().flat_map(move |kem| {
        let derived = kem.derive_key_pair(ikm).ok().map(|(private, _)| private);
        let itself = kem.deserialize_private_key(ikm).ok();
        [
            (Derivation::DeriveKeyPair, derived),
            (Derivation::Itself, itself),
        ]
        .into_iter()
        .filter_map(move |(derivation, private)| {
            Some(KeyPair {
                kem,
                derivation,
                private: private?,
            })
        })
    });
    let of_drafts = DRAFTS.into_iter().filter_map(move |(label, name)| {
        let kem = kem_by_id(X25519HkdfSha256.info().id)?;
        let sk = of_draft(ikm, label)?;
        Some(KeyPair {
            kem,
            derivation: Derivation::Draft(name),
            private: kem.deserialize_private_key(sk.as_ref()).ok()?,
        })
    });
    of_kems.chain(of_drafts)
}

/// Computes DeriveKeyPair of X25519 (RFC 9180, section 7.1.3), which differs between the drafts
/// only in the version label: `dkp_prk = LabeledExtract("", "dkp_prk", ikm)`, `sk =
/// LabeledExpand(dkp_prk, "sk", "", Nsk)`.
fn of_draft(ikm: &[u8], version: &[u8]) -> Option<Secret> {
    let kem = X25519HkdfSha256.info();
    let suite_id = kem_suite_id(kem.id);
    let labels = Labels {
        version,
        suite_id: &suite_id,
    };
    let prk = HkdfSha256
        .labeled_prk(&labels, b"", "dkp_prk", [ikm, b""])
        .ok()?;
    let mut sk = Secret::new(vec![0; kem.n_sk]);
    HkdfSha256
        .labeled_expand(&labels, &prk, "sk", [b"", b"", b""], sk.as_mut())
        .ok()?;
    Some(sk)
}

/// Writes the derivation in words.
impl fmt::Display for Derivation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DeriveKeyPair => f.write_str("DeriveKeyPair"),
            Self::Draft(draft) => write!(f, "DeriveKeyPair of {draft}"),
            Self::Itself => f.write_str("the ikm used as the private key itself"),
        }
    }
}

#[cfg(test)]
mod tests {
    use data_encoding::HEXLOWER;

    use super::*;
    use crate::keys;

    /// The recipient's key of the first X25519 vector of test-vectors.json of each draft, at the
    /// tags of <https://github.com/cfrg/draft-irtf-cfrg-hpke>: draft, ikmR (05: seedR), pkRm. The
    /// one of draft 07 is from commit 9dc6a76: the file at its tag still has the label of draft 06.
    const DRAFT_KEYS: [(&str, &str, &str); 3] = [
        (
            "draft-irtf-cfrg-hpke-05",
            "1289f0db1d8f68d0c531b5e53a40911a2a2347059355d7c267717033fef2b08c",
            "8756e2580c07c1d2ffcb662f5fadc6d6ff13da85abd7adfecf984aaa102c1269",
        ),
        (
            "draft-irtf-cfrg-hpke-06",
            "8a219e9a42233826f165d2c1036399fa84cfb3bcb93872bc49287dfbe6f1fec9",
            "693e421a7747f0b5cc05716351a9409de672d205f2a178ed70294c7afad22620",
        ),
        (
            "draft-irtf-cfrg-hpke-07",
            "0aac672e885d50ae96b7b712e220d6535fcbecb7fdeeaec75209eac344b6179c",
            "d6a6368e2a473f820fa2790ed7cdfac60dcd04ed350abe64f7ee674d32bb5821",
        ),
    ];

    fn bytes(hex: &str) -> Vec<u8> {
        HEXLOWER.decode(hex.as_bytes()).unwrap()
    }

    #[test]
    fn drafts_derive_their_published_keys() {
        for (draft, ikm, public) in DRAFT_KEYS {
            let is_public = |pair: &KeyPair| {
                let own = keys::public_key(&pair.private).unwrap();
                own.as_ref() == bytes(public)
            };
            let found = key_pairs_of(&bytes(ikm)).find(is_public).unwrap();
            assert_eq!(found.derivation, Derivation::Draft(draft));
        }
    }

    #[test]
    fn an_ikm_gives_keys_of_every_kem() {
        let pairs: Vec<_> = key_pairs_of(&[7; 32]).collect();
        for kem in kems() {
            let has = |pair: &KeyPair| {
                pair.kem.info().id == kem.info().id && pair.derivation == Derivation::DeriveKeyPair
            };
            assert!(pairs.iter().any(has), "{}", kem.info().name);
        }
        let itself = pairs
            .iter()
            .filter(|pair| pair.derivation == Derivation::Itself);
        assert!(itself.count() > 0);
    }
}
