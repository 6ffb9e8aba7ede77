//! Private keys under a passphrase in PEM.

use js_sys::Uint8Array;
use pqseal_keys::pbes2;
use pqseal_wasm_shared::{Error, memory::wiping_stack, value::Options};
use wasm_bindgen::prelude::*;

use crate::{encrypt::array, text::text};

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
