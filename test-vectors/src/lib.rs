//! Official test vectors in one schema, for the tests of the workspace.
//!
//! A set is one file of `data/`: a [`Header`] that names its source and licence, and entries of one
//! type. The files are committed; this crate needs nothing else to load them. `src/bin/import`
//! writes them from the official files.
//!
//! A loader panics on a file that does not parse, or whose header has another number of entries: a
//! test that silently runs fewer vectors would be worse.
//!
//! ```
//! for vector in test_vectors::rfc9180().entries {
//!     assert_eq!(vector.pk_e.as_ref(), Some(&vector.enc));
//! }
//! ```

mod formats;
mod hpke;
mod kems;
mod set;
mod wycheproof;

pub use formats::{
    AgeExpect, AgeVector, CobblestoneVector, CoseVector, JoseVector, MatchedData, MlsVector,
    ReceiptVector,
};
pub use hpke::{AccumulatedHpke, Digest, Encryption, Export, HpkeVector, count_aad, sha256};
pub use kems::{
    AccumulatedVector, BikeAltered, BikeLevel, BikeVector, DecapsVector, EncapsVector,
    KeyCheckVector, KeyGenVector, KyberVector, NonCanonicalKeys, ParameterSet, XWingVector,
};
pub use set::{Header, Set};
pub use wycheproof::{
    AeadVector, Cipher, Curve, DhVector, Hash, HkdfVector, KeyFormat, KeyFormatVector, Verdict,
};

use set::hex_bytes;

/// Parses a file of `data/`, which becomes part of the binary.
macro_rules! embedded {
    ($file:literal) => {
        Set::parse($file, include_str!(concat!("../data/", $file)))
    };
}

/// Loads the vectors that RFC 9180 refers to: 4 KEMs, 2 KDFs, 3 AEADs and export-only, 4 modes.
/// They do not cover P-384 and HKDF-SHA384; [`hpke_pq`] covers both.
pub fn rfc9180() -> Set<HpkeVector> {
    embedded!("rfc9180.json")
}

/// Loads the vectors of draft-ietf-hpke-pq: ML-KEM, the hybrids, the one-stage KDFs, and P-384.
/// Base mode only.
pub fn hpke_pq() -> Set<HpkeVector> {
    embedded!("hpke-pq.json")
}

/// Loads the edge cases of draft-ietf-hpke-hpke: a rejected P-256 candidate, empty inputs, inputs
/// with zero bytes.
pub fn hpke_edge() -> Set<HpkeVector> {
    embedded!("hpke-edge.json")
}

/// Loads Go's hashes of thousands of messages and exports of RFC 9180's vectors in base mode.
pub fn hpke_accumulated() -> Set<AccumulatedHpke> {
    embedded!("hpke-accumulated.json")
}

/// Loads matched-data blobs of versions 1 to 3 with their keys.
pub fn matched_data() -> Set<MatchedData> {
    embedded!("matched-data.json")
}

/// Loads Wycheproof's Diffie-Hellman tests of one curve.
pub fn wycheproof_dh(curve: Curve) -> Set<DhVector> {
    match curve {
        Curve::X25519 => embedded!("wycheproof-x25519.json"),
        Curve::X448 => embedded!("wycheproof-x448.json"),
        Curve::P256 => embedded!("wycheproof-p256.json"),
        Curve::P384 => embedded!("wycheproof-p384.json"),
        Curve::P521 => embedded!("wycheproof-p521.json"),
    }
}

/// Loads those of Wycheproof's Diffie-Hellman tests with keys as JWK, PEM and DER that test more
/// than [`wycheproof_dh`].
pub fn wycheproof_key_formats() -> Set<KeyFormatVector> {
    embedded!("wycheproof-key-formats.json")
}

/// Loads Wycheproof's AEAD tests with the sizes of HPKE: nonce 96 bits, tag 128, AES key 128 or
/// 256.
pub fn wycheproof_aead(cipher: Cipher) -> Set<AeadVector> {
    match cipher {
        Cipher::AesGcm => embedded!("wycheproof-aes-gcm.json"),
        Cipher::ChaCha20Poly1305 => embedded!("wycheproof-chacha20-poly1305.json"),
    }
}

/// Loads Wycheproof's HKDF tests over one hash.
pub fn wycheproof_hkdf(hash: Hash) -> Set<HkdfVector> {
    match hash {
        Hash::Sha256 => embedded!("wycheproof-hkdf-sha256.json"),
        Hash::Sha384 => embedded!("wycheproof-hkdf-sha384.json"),
        Hash::Sha512 => embedded!("wycheproof-hkdf-sha512.json"),
    }
}

/// Loads NIST's ML-KEM key generations (ACVP).
pub fn acvp_ml_kem_key_gen() -> Set<KeyGenVector> {
    embedded!("acvp-ml-kem-key-gen.json")
}

/// Loads NIST's ML-KEM encapsulations (ACVP).
pub fn acvp_ml_kem_encaps() -> Set<EncapsVector> {
    embedded!("acvp-ml-kem-encaps.json")
}

/// Loads NIST's ML-KEM decapsulations (ACVP), with expanded keys.
pub fn acvp_ml_kem_decaps() -> Set<DecapsVector> {
    embedded!("acvp-ml-kem-decaps.json")
}

/// Loads NIST's checks of encapsulation keys (ACVP).
pub fn acvp_ml_kem_ek_check() -> Set<KeyCheckVector> {
    embedded!("acvp-ml-kem-ek-check.json")
}

/// Loads NIST's checks of decapsulation keys (ACVP).
pub fn acvp_ml_kem_dk_check() -> Set<KeyCheckVector> {
    embedded!("acvp-ml-kem-dk-check.json")
}

/// Loads Wycheproof's ML-KEM key generations.
pub fn wycheproof_ml_kem_key_gen() -> Set<KeyGenVector> {
    embedded!("wycheproof-ml-kem-key-gen.json")
}

/// Loads Wycheproof's ML-KEM encapsulations, including keys that must be refused.
pub fn wycheproof_ml_kem_encaps() -> Set<EncapsVector> {
    embedded!("wycheproof-ml-kem-encaps.json")
}

/// Loads Wycheproof's ML-KEM decapsulations with seeds, including lengths that must be refused.
pub fn wycheproof_ml_kem_decaps() -> Set<DecapsVector> {
    embedded!("wycheproof-ml-kem-decaps.json")
}

/// Loads CCTV's encapsulation keys with a coefficient that is not below q, one entry for each
/// parameter set.
pub fn cctv_ml_kem_modulus() -> Set<NonCanonicalKeys> {
    embedded!("cctv-ml-kem-modulus.json")
}

/// Loads CCTV's ML-KEM encapsulations: with published intermediate values, and with a matrix that
/// is hard to sample.
pub fn cctv_ml_kem_encaps() -> Set<EncapsVector> {
    embedded!("cctv-ml-kem-encaps.json")
}

/// Loads CCTV's ML-KEM decapsulations: the same as [`cctv_ml_kem_encaps`], and ciphertexts that a
/// comparison with `strcmp` would accept.
pub fn cctv_ml_kem_decaps() -> Set<DecapsVector> {
    embedded!("cctv-ml-kem-decaps.json")
}

/// Loads expanded ML-KEM keys that fail the check of FIPS 203, section 7.3.
pub fn libcrux_invalid_dk() -> Set<DecapsVector> {
    embedded!("libcrux-ml-kem-invalid-dk.json")
}

/// Loads hashes of many rounds of ML-KEM.
pub fn ml_kem_accumulated() -> Set<AccumulatedVector> {
    embedded!("ml-kem-accumulated.json")
}

/// Loads the vectors of Kyber768 of round 3.
pub fn kyber768() -> Set<KyberVector> {
    embedded!("kyber768.json")
}

/// Loads the vectors of the X-Wing draft.
pub fn x_wing() -> Set<XWingVector> {
    embedded!("x-wing.json")
}

/// Loads HPKE vectors with X25519Kyber768Draft00: base and psk mode.
pub fn xyber768d00() -> Set<HpkeVector> {
    embedded!("xyber768d00.json")
}

/// Loads BIKE's known answers of one level.
pub fn bike(level: BikeLevel) -> Set<BikeVector> {
    match level {
        BikeLevel::L1 => embedded!("bike-l1.json"),
        BikeLevel::L3 => embedded!("bike-l3.json"),
        BikeLevel::L5 => embedded!("bike-l5.json"),
    }
}

/// Loads altered ciphertexts of one level of BIKE, and one unaltered.
pub fn bike_altered(level: BikeLevel) -> Set<BikeAltered> {
    match level {
        BikeLevel::L1 => embedded!("bike-l1-altered.json"),
        BikeLevel::L3 => embedded!("bike-l3-altered.json"),
        BikeLevel::L5 => embedded!("bike-l5-altered.json"),
    }
}

/// Loads the age test kit: a file per case, with the keys that open it.
pub fn age_kit() -> Set<AgeVector> {
    embedded!("age-kit.json")
}

/// Loads Wycheproof's tests of Cobblestone-128.
pub fn cobblestone_128() -> Set<CobblestoneVector> {
    embedded!("cobblestone-128.json")
}

/// Loads Wycheproof's tests of Cobblestone-256.
pub fn cobblestone_256() -> Set<CobblestoneVector> {
    embedded!("cobblestone-256.json")
}

/// Loads JOSE-HPKE vectors: HPKE-0 to HPKE-7 and their -KE.
pub fn jose_hpke() -> Set<JoseVector> {
    embedded!("jose-hpke.json")
}

/// Loads JOSE-HPKE vectors with ML-KEM and hybrids: HPKE-8, 9, 10, 12 and 13 and their -KE.
pub fn jose_hpke_pq() -> Set<JoseVector> {
    embedded!("jose-hpke-pq.json")
}

/// Loads the same draft's vectors before its algorithms were renumbered: HPKE-8 to HPKE-17 and
/// their -KE.
pub fn jose_hpke_pq_00() -> Set<JoseVector> {
    embedded!("jose-hpke-pq-00.json")
}

/// Loads the messages of the COSE-HPKE draft.
pub fn cose_hpke() -> Set<CoseVector> {
    embedded!("cose-hpke.json")
}

/// Loads COSE-HPKE messages of hpke-js.
pub fn cose_hpke_js() -> Set<CoseVector> {
    embedded!("cose-hpke-js.json")
}

/// Loads MLS vectors: one message to a key in each of the seven cipher suites of RFC 9420.
pub fn mls() -> Set<MlsVector> {
    embedded!("mls.json")
}

/// Loads the disclosure envelopes of agent receipts.
pub fn receipts() -> Set<ReceiptVector> {
    embedded!("receipts.json")
}
