//! HKDF (RFC 5869) as a two-stage KDF.

use alloc::vec::Vec;
use core::{fmt, marker::PhantomData};

use hkdf::{GenericHkdf, HmacImpl};
use hmac::{EagerHash, Hmac};
use sha2::{
    Sha256, Sha384, Sha512,
    digest::{
        Output,
        common::hazmat::{SerializableState, SerializedState},
    },
};
use zeroize::Zeroize;

use super::{Kdf, ScheduleInputs, ScheduleParts, ScheduleSecrets, TwoStage};
use crate::{Error, KdfInfo, Labels, Secret, Status, sealed::Sealed, secret::Short};

/// HKDF over the hash `H`; [`HkdfSha256`](type@HkdfSha256) and its siblings are the parameter sets.
pub struct Hkdf<H> {
    info: KdfInfo,
    /// Precomputed HMAC state for an empty salt, which saves two of four compressions. `None` where
    /// the saving is negligible: the curve operation costs a thousand times as much.
    empty_salt: Option<&'static EmptySalt>,
    hash: PhantomData<fn() -> H>,
}

/// HKDF-SHA256, id 0x0001, Nh 32.
pub type HkdfSha256 = Hkdf<Sha256>;
/// HKDF-SHA384, id 0x0002, Nh 48.
pub type HkdfSha384 = Hkdf<Sha384>;
/// HKDF-SHA512, id 0x0003, Nh 64.
pub type HkdfSha512 = Hkdf<Sha512>;

/// HKDF-SHA256 as a value.
#[allow(
    non_upper_case_globals,
    reason = "a row reads like a unit struct: one name for its type and its value"
)]
pub const HkdfSha256: HkdfSha256 = Hkdf::row(0x0001, "HKDF-SHA256", 32, Some(&SHA256_EMPTY_SALT));
/// HKDF-SHA384 as a value.
#[allow(non_upper_case_globals, reason = "as HkdfSha256")]
pub const HkdfSha384: HkdfSha384 = Hkdf::row(0x0002, "HKDF-SHA384", 48, None);
/// HKDF-SHA512 as a value.
#[allow(non_upper_case_globals, reason = "as HkdfSha256")]
pub const HkdfSha512: HkdfSha512 = Hkdf::row(0x0003, "HKDF-SHA512", 64, None);

impl<H> Hkdf<H> {
    const fn row(
        id: u16,
        name: &'static str,
        n_h: usize,
        empty_salt: Option<&'static EmptySalt>,
    ) -> Self {
        let info = KdfInfo {
            id,
            name,
            n_h,
            one_stage: false,
            status: Status::Standard,
        };
        Self {
            info,
            empty_salt,
            hash: PhantomData,
        }
    }

    /// Returns the same parameter set on another library's hash, which must serialize its state as
    /// `sha2` does.
    pub const fn on<B>(&self) -> Hkdf<B> {
        Hkdf {
            info: self.info,
            empty_salt: self.empty_salt,
            hash: PhantomData,
        }
    }
}

impl<H> Clone for Hkdf<H> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<H> Copy for Hkdf<H> {}

impl<H: EagerHash + SerializableState> TwoStage for Hkdf<H>
where
    Hmac<H>: HmacImpl,
{
    type Prk = GenericHkdf<Hmac<H>>;

    fn extract(&self, salt: &[u8], ikm: &[&[u8]]) -> Secret<Short> {
        // The first condition is known at compile time, so other hashes get no code for it.
        let of_its_size = size_of::<Output<H>>() == size_of_val(&SHA256_EMPTY_SALT[0]);
        if let (true, Some(states), true) = (of_its_size, self.empty_salt, salt.is_empty()) {
            return extract_empty_salt::<H>(states, ikm);
        }
        let mut mac = Hmac::<H>::new_from_slice(salt);
        ikm.iter().for_each(|part| mac.update(part));
        let mut bytes = mac.finalize();
        let secret = Secret::from_slice(&bytes);
        bytes.as_mut_slice().zeroize();
        secret
    }

    fn prk(&self, bytes: &[u8]) -> Result<Self::Prk, Error> {
        GenericHkdf::from_prk(bytes).map_err(|_| Error::KeyLength)
    }

    fn expand(&self, prk: &Self::Prk, info: &[&[u8]], out: &mut [u8]) -> Result<(), Error> {
        prk.expand_multi_info(info, out)
            .map_err(|_| Error::ExportTooLong)
    }
}

impl<H: EagerHash + SerializableState> Hkdf<H>
where
    Hmac<H>: HmacImpl,
{
    /// Derives a secret of a context from the key schedule's `secret`. Empty for `len` 0.
    fn derived(
        &self,
        labels: &Labels<'_>,
        secret: &GenericHkdf<Hmac<H>>,
        label: &str,
        context: &[u8],
        len: usize,
    ) -> Result<Secret<Short>, Error> {
        let mut out = Secret::zeros(len);
        if !out.as_ref().is_empty() {
            self.labeled_expand(labels, secret, label, [context, b"", b""], out.as_mut())?;
        }
        Ok(out)
    }
}

impl<H> Sealed for Hkdf<H> {}

impl<H: EagerHash + SerializableState> Kdf for Hkdf<H>
where
    Hmac<H>: HmacImpl,
{
    fn info(&self) -> &KdfInfo {
        &self.info
    }

    fn key_schedule_context(
        &self,
        labels: &Labels<'_>,
        mode: u8,
        psk_id: &[u8],
        info: &[u8],
    ) -> Result<Vec<u8>, Error> {
        let psk_id_hash = self.labeled_extract(labels, b"", "psk_id_hash", [psk_id, b""]);
        let info_hash = self.labeled_extract(labels, b"", "info_hash", [info, b""]);
        Ok([&[mode], psk_id_hash.as_ref(), info_hash.as_ref()].concat())
    }

    fn combine_secrets(
        &self,
        labels: &Labels<'_>,
        inputs: &ScheduleInputs<'_>,
        parts: ScheduleParts,
    ) -> Result<ScheduleSecrets, Error> {
        let secret = self.labeled_prk(labels, inputs.shared_secret, "secret", [inputs.psk, b""])?;
        let (aead, context) = (inputs.aead, inputs.key_schedule_context);
        let [n_k, n_n, n_h] = match parts {
            ScheduleParts::All => [aead.n_k, aead.n_n, self.info.n_h],
            ScheduleParts::Message => [aead.n_k, aead.n_n, 0],
            ScheduleParts::Exporter => [0, 0, self.info.n_h],
        };
        Ok(ScheduleSecrets {
            key: self.derived(labels, &secret, "key", context, n_k)?,
            base_nonce: self.derived(labels, &secret, "base_nonce", context, n_n)?,
            exporter_secret: self.derived(labels, &secret, "exp", context, n_h)?,
        })
    }

    fn export(
        &self,
        labels: &Labels<'_>,
        exporter_secret: &Secret<Short>,
        exporter_context: &[u8],
        out: &mut [u8],
    ) -> Result<(), Error> {
        self.labeled_expand(
            labels,
            &self.prk(exporter_secret.as_ref())?,
            "sec",
            [exporter_context, b"", b""],
            out,
        )
    }

    /// Computes `prk = Extract(salt, secret)`, `key = Expand(prk, "key", Nk)`, `nonce = Expand(prk,
    /// "nonce", Nn)`.
    fn response_key(
        &self,
        salt: [&[u8]; 2],
        secret: &[u8],
        key: &mut [u8],
        nonce: &mut [u8],
    ) -> Result<(), Error> {
        let prk = self.prk(self.extract(&salt.concat(), &[secret]).as_ref())?;
        self.expand(&prk, &[b"key"], key)?;
        self.expand(&prk, &[b"nonce"], nonce)
    }
}

impl<H> fmt::Debug for Hkdf<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.info.name)
    }
}

/// The state of a hash with 32-bit words after HMAC's first inner block and after its first outer
/// block (RFC 2104), with a key of zeros.
type EmptySalt = [[u32; 8]; 2];

/// The states of SHA-256.
const SHA256_EMPTY_SALT: EmptySalt = [
    [
        0xf454_dead,
        0x9725_214f,
        0x90da_f2a0,
        0xdf12_28ea,
        0x64e5_750f,
        0xa392_4181,
        0x824a_932b,
        0xf8e0_4e32,
    ],
    [
        0xd385_480f,
        0x7abb_6477,
        0x37c9_c538,
        0x5dd8_2467,
        0x8e04_3a72,
        0x7534_34b0,
        0xdeb8_2818,
        0x361d_45a6,
    ],
];

/// Computes `Extract("", ikm)` with `ikm` in parts, which every DHKEM calls for each message. The
/// first two blocks of HMAC with a key of zeros are always the same.
fn extract_empty_salt<H: EagerHash + SerializableState>(
    [inner, outer]: &EmptySalt,
    ikm: &[&[u8]],
) -> Secret<Short> {
    let (mut inner, mut outer): (H, H) = (after_one_block(inner), after_one_block(outer));
    ikm.iter().for_each(|part| inner.update(part));
    let mut hash = inner.finalize();
    outer.update(&hash);
    hash.as_mut_slice().zeroize();
    let mut prk = outer.finalize();
    let secret = Secret::from_slice(&prk);
    prk.as_mut_slice().zeroize();
    secret
}

/// Restores a hash from this state. The serialized form has the words, the number of blocks so far
/// in eight bytes, both little-endian, and an empty buffer, which is zeros. That form is fixed for
/// all releases of `sha2` that Cargo may choose.
fn after_one_block<H: SerializableState>(words: &[u32; 8]) -> H {
    let mut state = SerializedState::<H>::default();
    let (words_out, rest) = state.split_at_mut(size_of_val(words));
    words_out
        .chunks_exact_mut(4)
        .zip(words)
        .for_each(|(out, word)| out.copy_from_slice(&word.to_le_bytes()));
    rest[0] = 1;
    H::deserialize(&state).unwrap_or_else(|_| unreachable!("an empty buffer is a valid one"))
}
