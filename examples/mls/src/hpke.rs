//! The HPKE calls of `OpenMlsCrypto`, in mode base. Keys are serialized as in RFC 9180; those of
//! the post-quantum KEMs are seeds.

use openmls_traits::types::{
    CryptoError, ExporterSecret, HpkeCiphertext, HpkeConfig, HpkeKemType, HpkeKeyPair, KemOutput,
};
use pqseal_hpke::{Mode, Policy, Suite, SuiteId, SysRng};

/// X-Wing's id in HPKE's registry. openmls has the id of an old draft of X-Wing.
const MLKEM768_X25519: u16 = 0x647a;

/// Returns the suite that openmls asks for. Its ids are HPKE's.
fn suite(HpkeConfig(kem, kdf, aead): HpkeConfig) -> Result<Suite, CryptoError> {
    let kem = match kem {
        HpkeKemType::XWingKemDraft6 => MLKEM768_X25519,
        kem => kem as u16,
    };
    let id = SuiteId::new(kem, kdf as u16, aead as u16);
    let kems = &[pqseal_hpke::KEMS, pqseal_kem_pq::KEMS];
    let suite = Suite::from_id(kems, id, &Policy::draft());
    suite.map_err(|_| CryptoError::UnsupportedCiphersuite)
}

pub(crate) fn seal(
    config: HpkeConfig,
    pk_r: &[u8],
    info: &[u8],
    aad: &[u8],
    ptxt: &[u8],
) -> Result<HpkeCiphertext, CryptoError> {
    let suite = suite(config)?;
    let key = suite.public_key(pk_r);
    let key = key.map_err(|_| CryptoError::InvalidPublicKey)?;
    let sealed = suite.seal(&key, info, Mode::Base, aad, ptxt, &mut SysRng);
    let (enc, ct) = sealed.map_err(|_| CryptoError::HpkeEncryptionError)?;
    Ok(HpkeCiphertext {
        kem_output: enc.into(),
        ciphertext: ct.into(),
    })
}

pub(crate) fn open(
    config: HpkeConfig,
    input: &HpkeCiphertext,
    sk_r: &[u8],
    info: &[u8],
    aad: &[u8],
) -> Result<Vec<u8>, CryptoError> {
    let suite = suite(config)?;
    let (enc, ct) = (input.kem_output.as_slice(), input.ciphertext.as_slice());
    let opened = suite
        .private_key(sk_r)
        .and_then(|key| suite.open(enc, &key, info, Mode::Base, aad, ct));
    opened.map_err(|_| CryptoError::HpkeDecryptionError)
}

pub(crate) fn send_export(
    config: HpkeConfig,
    pk_r: &[u8],
    info: &[u8],
    exporter_context: &[u8],
    len: usize,
) -> Result<(KemOutput, ExporterSecret), CryptoError> {
    let suite = suite(config)?;
    let key = suite.public_key(pk_r);
    let key = key.map_err(|_| CryptoError::InvalidPublicKey)?;
    let (enc, context) = suite
        .setup_s(&key, info, Mode::Base, &mut SysRng)
        .map_err(|_| CryptoError::SenderSetupError)?;
    let secret = context.export(exporter_context, len);
    let secret = secret.map_err(|_| CryptoError::ExporterError)?;
    Ok((enc, secret.as_ref().to_vec().into()))
}

pub(crate) fn receive_export(
    config: HpkeConfig,
    enc: &[u8],
    sk_r: &[u8],
    info: &[u8],
    exporter_context: &[u8],
    len: usize,
) -> Result<ExporterSecret, CryptoError> {
    let suite = suite(config)?;
    let context = suite
        .private_key(sk_r)
        .and_then(|key| suite.setup_r(enc, &key, info, Mode::Base));
    let context = context.map_err(|_| CryptoError::ReceiverSetupError)?;
    let secret = context.export(exporter_context, len);
    let secret = secret.map_err(|_| CryptoError::ExporterError)?;
    Ok(secret.as_ref().to_vec().into())
}

pub(crate) fn derive_key_pair(config: HpkeConfig, ikm: &[u8]) -> Result<HpkeKeyPair, CryptoError> {
    let failed = |_| CryptoError::CryptoLibraryError;
    let (private, public) = suite(config)?.kem().derive_key_pair(ikm).map_err(failed)?;
    Ok(HpkeKeyPair {
        private: private.to_bytes().map_err(failed)?.as_ref().into(),
        public: public.as_ref().to_vec(),
    })
}
