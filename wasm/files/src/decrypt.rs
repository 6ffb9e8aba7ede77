//! Opening of files: all at once, or piece by piece.

use std::io::Write;

use js_sys::Uint8Array;
use pqseal_age::{
    DecryptWriter, PassphraseIdentity,
    keys::{self, AnyIdentity},
};
use pqseal_wasm_shared::{Error, memory::wiping_stack, value::bytes};
use wasm_bindgen::prelude::*;

use crate::{
    array, failed, finished, io,
    keys::{Given, given, max_work},
    of_keys,
};

/// Opens a file piece by piece, armored or not. Use it instead of `DecryptStream` in programs
/// without streams. The piece with the end of the header takes a second or more if the file has a
/// passphrase.
#[wasm_bindgen]
pub struct Decryptor(Option<DecryptWriter<Vec<u8>>>);

#[wasm_bindgen]
impl Decryptor {
    /// Takes one or more identities or passphrases. The first that matches opens the file.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_param_type = "Identity | readonly Identity[]")]
        identities: &JsValue,
    ) -> Result<Decryptor, Error> {
        wiping_stack(|| {
            let identities = self::identities(identities)?;
            Ok(Self(Some(DecryptWriter::new(identities, Vec::new()))))
        })
    }

    /// Takes the next piece of the file, and returns the plaintext authenticated so far, which may
    /// be empty.
    #[wasm_bindgen(unchecked_return_type = "Uint8Array<ArrayBuffer>")]
    pub fn push(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Bytes")] piece: &JsValue,
    ) -> Result<Uint8Array, Error> {
        wiping_stack(|| {
            let piece = bytes(piece, "piece")?;
            let decryptor = self.0.as_mut().ok_or_else(finished)?;
            decryptor.write_all(&piece).map_err(io)?;
            Ok(array(
                &decryptor.get_mut().map(std::mem::take).unwrap_or_default(),
            ))
        })
    }

    /// Returns the end of the plaintext. Only its success shows that the file was not truncated.
    #[wasm_bindgen(unchecked_return_type = "Uint8Array<ArrayBuffer>")]
    pub fn finish(&mut self) -> Result<Uint8Array, Error> {
        wiping_stack(|| {
            let decryptor = self.0.take().ok_or_else(finished)?;
            Ok(array(&decryptor.finish().map_err(failed)?))
        })
    }
}

/// Opens a file that is in memory, armored or not.
#[wasm_bindgen(unchecked_return_type = "Uint8Array<ArrayBuffer>")]
pub fn decrypt(
    #[wasm_bindgen(unchecked_param_type = "Bytes")] file: &JsValue,
    #[wasm_bindgen(unchecked_param_type = "Identity | readonly Identity[]")] identities: &JsValue,
) -> Result<Uint8Array, Error> {
    wiping_stack(|| {
        let identities = self::identities(identities)?;
        let mut decryptor = DecryptWriter::new(identities, Vec::new());
        decryptor.write_all(&bytes(file, "file")?).map_err(io)?;
        Ok(array(&decryptor.finish().map_err(failed)?))
    })
}

fn identities(value: &JsValue) -> Result<Vec<AnyIdentity>, Error> {
    let mut identities: Vec<AnyIdentity> = Vec::new();
    for one in given(value, "identities", "maxScryptWorkFactor")? {
        match one {
            Given::Keys(text) => {
                let several = text.trim().contains('\n');
                let read = keys::read_identities(&text);
                identities.extend(read.map_err(|error| of_keys(error, several))?);
            }
            Given::Passphrase(passphrase, factor) => {
                let identity = PassphraseIdentity::new(passphrase);
                identities.push(Box::new(identity.with_max_work(max_work(factor)?)));
            }
        }
    }
    match identities.is_empty() {
        true => Err(Error::argument(
            "identities",
            "at least one identity or passphrase",
        )),
        false => Ok(identities),
    }
}
