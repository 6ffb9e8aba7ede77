//! Encryption of files: all at once, or piece by piece.

use std::io::Write;

use js_sys::Uint8Array;
use pqseal_age::{
    Encryptor as FileEncryptor, Output, PassphraseRecipient, Recipient,
    keys::{AnyRecipient, Reader},
};
use pqseal_wasm_shared::{
    Error,
    memory::wiping_stack,
    value::{Options, bytes},
};
use wasm_bindgen::prelude::*;

use crate::{
    array, failed, finished, io,
    keys::{Given, given, work},
    of_keys,
};

/// Encrypts a file piece by piece. Use it instead of `EncryptStream` in programs without streams.
/// With a passphrase, creating one takes a second or more.
#[wasm_bindgen]
pub struct Encryptor(Option<FileEncryptor<Output<Vec<u8>>>>);

#[wasm_bindgen]
impl Encryptor {
    /// Takes one or more recipients, or a passphrase.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_param_type = "Recipient | readonly Recipient[]")]
        recipients: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "EncryptOptions")] options: &JsValue,
    ) -> Result<Encryptor, Error> {
        let options = Options::of(options, &["armor", "policy"])?;
        let reader = Reader::default().with_policy(options.policy()?);
        let armor = armor(&options)?;
        wiping_stack(|| {
            let recipients = self::recipients(recipients, &reader)?;
            let recipients: Vec<&dyn Recipient> = recipients.iter().map(AsRef::as_ref).collect();
            let output = Output::new(Vec::new(), armor).map_err(io)?;
            let encryptor = FileEncryptor::new(&recipients, output).map_err(failed)?;
            Ok(Self(Some(encryptor)))
        })
    }

    /// Takes the next piece of the plaintext, and returns the part of the encrypted file that is
    /// ready, which may be empty.
    #[wasm_bindgen(unchecked_return_type = "Uint8Array<ArrayBuffer>")]
    pub fn push(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Bytes")] piece: &JsValue,
    ) -> Result<Uint8Array, Error> {
        wiping_stack(|| {
            let piece = bytes(piece, "piece")?;
            let encryptor = self.0.as_mut().ok_or_else(finished)?;
            encryptor.write_all(&piece).map_err(io)?;
            Ok(array(&std::mem::take(encryptor.get_mut().get_mut())))
        })
    }

    /// Returns the end of the encrypted file. Without it the file does not open.
    #[wasm_bindgen(unchecked_return_type = "Uint8Array<ArrayBuffer>")]
    pub fn finish(&mut self) -> Result<Uint8Array, Error> {
        wiping_stack(|| {
            let encryptor = self.0.take().ok_or_else(finished)?;
            let output = encryptor.finish().map_err(io)?;
            Ok(array(&output.finish().map_err(io)?))
        })
    }
}

/// Encrypts a file that is in memory.
#[wasm_bindgen(unchecked_return_type = "Uint8Array<ArrayBuffer>")]
pub fn encrypt(
    #[wasm_bindgen(unchecked_param_type = "Recipient | readonly Recipient[]")] recipients: &JsValue,
    #[wasm_bindgen(unchecked_param_type = "Bytes")] plaintext: &JsValue,
    #[wasm_bindgen(unchecked_optional_param_type = "EncryptOptions")] options: &JsValue,
) -> Result<Uint8Array, Error> {
    let mut encryptor = Encryptor::new(recipients, options)?;
    wiping_stack(|| {
        let plaintext = bytes(plaintext, "plaintext")?;
        let mut encryptor = encryptor.0.take().ok_or_else(finished)?;
        encryptor.write_all(&plaintext).map_err(io)?;
        let output = encryptor.finish().map_err(io)?;
        Ok(array(&output.finish().map_err(io)?))
    })
}

fn recipients(value: &JsValue, reader: &Reader) -> Result<Vec<AnyRecipient>, Error> {
    let mut recipients: Vec<AnyRecipient> = Vec::new();
    for one in given(value, "recipients", "scryptWorkFactor")? {
        match one {
            Given::Keys(text) => {
                let several = text.trim().contains('\n');
                let read = reader.recipients(&text);
                recipients.extend(read.map_err(|error| of_keys(error, several))?);
            }
            Given::Passphrase(passphrase, factor) => {
                let recipient = PassphraseRecipient::new(passphrase);
                recipients.push(Box::new(recipient.with_work(work(factor)?)));
            }
        }
    }
    Ok(recipients)
}

fn armor(options: &Options<'_>) -> Result<bool, Error> {
    match options.value("armor")? {
        None => Ok(false),
        Some(armor) => armor
            .as_bool()
            .ok_or_else(|| Error::argument("armor", "true or false")),
    }
}
