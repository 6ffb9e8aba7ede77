//! New identities, the recipients of identities, and private keys under a passphrase in PEM.
//! Recipients and identities from JavaScript: texts, passphrases, or an array of both.

use js_sys::{Array, ArrayBuffer, Uint8Array};
use pqseal_age::{
    DEFAULT_MAX_WORK, DEFAULT_WORK, HpkeIdentity, MLKEM768X25519, X25519Identity, keys,
};
use pqseal_keys::pbes2;
use pqseal_wasm_shared::{
    Error,
    memory::wiping_stack,
    value::{Options, bytes, length},
};
use wasm_bindgen::prelude::*;
use zeroize::Zeroizing;

use crate::{array, failed, of_keys};

/// Generates a post-quantum identity (ML-KEM-768 with X25519), `AGE-SECRET-KEY-PQ-1...`. It is a
/// string, which cannot be overwritten.
#[wasm_bindgen(js_name = generateHybridIdentity)]
pub fn generate_hybrid_identity() -> Result<String, Error> {
    wiping_stack(|| {
        let identity = HpkeIdentity::generate(&MLKEM768X25519).map_err(failed)?;
        let text = identity.to_text();
        Ok(text.map(|text| text.to_string()).unwrap_or_default())
    })
}

/// Generates an X25519 identity, `AGE-SECRET-KEY-1...`, for programs that do not support
/// post-quantum recipients yet.
#[wasm_bindgen(js_name = generateX25519Identity)]
pub fn generate_x25519_identity() -> Result<String, Error> {
    wiping_stack(|| {
        let identity = X25519Identity::generate().map_err(failed)?;
        Ok(identity.to_text().to_string())
    })
}

/// Returns the recipient of an identity, `age1...`, to which others encrypt. For an identity file,
/// it is the recipient of the first identity.
#[wasm_bindgen(js_name = identityToRecipient)]
pub fn identity_to_recipient(
    #[wasm_bindgen(unchecked_param_type = "string | Bytes")] identity: &JsValue,
) -> Result<String, Error> {
    wiping_stack(|| {
        let text = self::text(identity, "identity")?;
        let several = text.trim().contains('\n');
        let read = keys::read_identities(&text).map_err(|error| of_keys(error, several))?;
        let recipient = read.first().and_then(|identity| identity.recipient_text());
        recipient.ok_or_else(|| Error::argument("identity", "one that has a recipient"))
    })
}

/// Decrypts private keys under a passphrase in PEM (PKCS#8, `ENCRYPTED PRIVATE KEY`), as
/// `openssl pkcs8 -topk8` writes them: gives the same text with a block `PRIVATE KEY` in place of
/// each. Overwrite it with `fill(0)` after use. PBKDF2 and scrypt are supported, with AES in CBC or
/// GCM mode; up to 10,000,000 steps of PBKDF2, which take seconds, or scrypt with N r p up to 2^23,
/// which takes 1 GiB of memory if p is 1. That is the limit of all blocks together.
#[wasm_bindgen(js_name = decryptPem, unchecked_return_type = "Uint8Array<ArrayBuffer>")]
pub fn decrypt_pem(
    #[wasm_bindgen(unchecked_param_type = "string | Bytes")] pem: &JsValue,
    #[wasm_bindgen(unchecked_param_type = "DecryptPemOptions")] options: &JsValue,
) -> Result<Uint8Array, Error> {
    wiping_stack(|| {
        let options = Options::of(options, &["passphrase"])?;
        let passphrase = options.value("passphrase")?.unwrap_or_default();
        let passphrase = text(&passphrase, "passphrase")?;
        let decrypted = pbes2::decrypt(&text(pem, "pem")?, || Ok::<_, pbes2::Error>(passphrase));
        decrypted
            .map(|text| array(&text))
            .map_err(|error| Error::new(error.code(), &error))
    })
}

/// One recipient or identity.
pub(crate) enum Given {
    /// A text with one key or several, as in a file.
    Keys(Zeroizing<String>),
    /// A passphrase, and the work factor given with it.
    Passphrase(Zeroizing<String>, Option<u32>),
}

/// Reads one value or an array of them. `work` is the name of the work factor of a passphrase.
pub(crate) fn given(value: &JsValue, name: &str, work: &str) -> Result<Vec<Given>, Error> {
    match value.dyn_ref::<Array>() {
        Some(all) => all.iter().map(|one| of(&one, name, work)).collect(),
        None => Ok(vec![of(value, name, work)?]),
    }
}

fn of(value: &JsValue, name: &str, work: &str) -> Result<Given, Error> {
    let is_bytes = value.is_instance_of::<ArrayBuffer>() || ArrayBuffer::is_view(value);
    if !value.is_object() || is_bytes {
        return Ok(Given::Keys(text(value, name)?));
    }
    let options = Options::of(value, &["passphrase", work])?;
    let passphrase = options.value("passphrase")?.unwrap_or_default();
    let work = options
        .value(work)?
        .map(|value| length(&value, work))
        .transpose()?;
    let passphrase = text(&passphrase, "passphrase")?;
    match passphrase.is_empty() {
        true => Err(Error::argument("passphrase", "one that is not empty")),
        false => Ok(Given::Passphrase(passphrase, work)),
    }
}

/// Reads a text, from a string or bytes of UTF-8.
pub(crate) fn text(value: &JsValue, name: &str) -> Result<Zeroizing<String>, Error> {
    if let Some(text) = value.as_string() {
        return Ok(text.into());
    }
    let expected = || Error::argument(name, "a string or bytes of UTF-8 text");
    let bytes = bytes(value, name).map_err(|_| expected())?;
    let text = String::from_utf8(bytes).map_err(|_| expected())?;
    Ok(text.into())
}

/// Returns the binary logarithm of scrypt's work, for encryption.
pub(crate) fn work(given: Option<u32>) -> Result<u8, Error> {
    number(given, DEFAULT_WORK, "scryptWorkFactor")
}

/// Returns the largest work factor of a file that is accepted, as a binary logarithm.
pub(crate) fn max_work(given: Option<u32>) -> Result<u8, Error> {
    number(given, DEFAULT_MAX_WORK, "maxScryptWorkFactor")
}

/// Checks that a work factor is from 1 to 20. Above, scrypt needs 2 GiB of memory, more than one
/// block of WebAssembly can have.
fn number(given: Option<u32>, default: u8, name: &str) -> Result<u8, Error> {
    let number = u8::try_from(given.unwrap_or(default.into())).ok();
    number
        .filter(|number| (1..=20).contains(number))
        .ok_or_else(|| Error::argument(name, "a whole number from 1 to 20"))
}
