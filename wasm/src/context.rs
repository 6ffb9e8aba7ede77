//! Contexts (RFC 9180, section 5.2): many messages under one encapsulated key, in sequence.
//!
//! They are boxed, since `free()` moves the content of a handle over the stack, which would leave
//! keys there.

use pqseal_hpke::{AnyAead, DynKdf, twice::opened};
use wasm_bindgen::prelude::*;

use crate::{
    Error,
    memory::wiping_stack,
    value::{self, bytes},
};

/// Seals messages and exports secrets. Created by `Suite.createSenderContext`.
#[wasm_bindgen]
pub struct SenderContext(Box<pqseal_hpke::SenderContext<DynKdf, AnyAead>>);

/// Opens messages and exports secrets. Created by `Suite.createRecipientContext`.
#[wasm_bindgen]
pub struct RecipientContext(Box<pqseal_hpke::RecipientContext<DynKdf, AnyAead>>);

#[wasm_bindgen]
impl SenderContext {
    pub(crate) fn new(context: pqseal_hpke::SenderContext<DynKdf, AnyAead>) -> Self {
        Self(Box::new(context))
    }

    fn next(&mut self, plaintext: &JsValue, aad: &JsValue) -> Result<(u64, Vec<u8>), Error> {
        let (plaintext, aad) = (bytes(plaintext, "plaintext")?, optional(aad)?);
        wiping_stack(|| Ok(self.0.seal_with_sequence(&aad, &plaintext)?))
    }

    /// Seals the next message.
    pub fn seal(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Bytes")] plaintext: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "Bytes")] aad: &JsValue,
    ) -> Result<Vec<u8>, Error> {
        Ok(self.next(plaintext, aad)?.1)
    }

    /// Seals the next message, and returns its number too.
    #[wasm_bindgen(js_name = sealWithSequence, unchecked_return_type = "SealedWithSequence")]
    pub fn seal_with_sequence(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Bytes")] plaintext: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "Bytes")] aad: &JsValue,
    ) -> Result<JsValue, Error> {
        let (sequence, ct) = self.next(plaintext, aad)?;
        Ok(value::object([
            ("sequence", sequence.into()),
            ("ct", js_sys::Uint8Array::from(&*ct).into()),
        ]))
    }

    /// Returns secret bytes, which the recipient's context exports too. Each `exporterContext`
    /// gives different ones.
    pub fn export(
        &self,
        #[wasm_bindgen(js_name = exporterContext, unchecked_param_type = "Bytes")]
        exporter_context: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "number")] length: &JsValue,
    ) -> Result<Vec<u8>, Error> {
        let context = bytes(exporter_context, "exporterContext")?;
        let length = value::length(length, "length")? as usize;
        wiping_stack(|| Ok(self.0.export(&context, length)?.as_ref().to_vec()))
    }

    /// Returns the number of the next message, from 0.
    #[wasm_bindgen(getter)]
    pub fn sequence(&self) -> u64 {
        self.0.sequence()
    }
}

#[wasm_bindgen]
impl RecipientContext {
    pub(crate) fn new(context: pqseal_hpke::RecipientContext<DynKdf, AnyAead>) -> Self {
        Self(Box::new(context))
    }

    /// Opens the next message. After a failure the same message is still the next.
    pub fn open(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "Bytes")] ct: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "Bytes")] aad: &JsValue,
    ) -> Result<Vec<u8>, Error> {
        let (ct, aad) = (bytes(ct, "ct")?, optional(aad)?);
        wiping_stack(|| {
            Ok(opened(
                &mut || self.0.open(&aad, &ct),
                pqseal_hpke::Error::is_of_decryption,
            )?)
        })
    }

    /// Opens the message with this number, in any order; `sequence` stays. The caller must detect
    /// replays.
    #[wasm_bindgen(js_name = openAt)]
    pub fn open_at(
        &self,
        #[wasm_bindgen(unchecked_param_type = "bigint")] sequence: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "Bytes")] ct: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "Bytes")] aad: &JsValue,
    ) -> Result<Vec<u8>, Error> {
        let sequence = value::sequence(sequence, "sequence")?;
        let (ct, aad) = (bytes(ct, "ct")?, optional(aad)?);
        wiping_stack(|| {
            Ok(opened(
                &mut || self.0.open_at(sequence, &aad, &ct),
                pqseal_hpke::Error::is_of_decryption,
            )?)
        })
    }

    /// Returns secret bytes, the same as `SenderContext.export`.
    pub fn export(
        &self,
        #[wasm_bindgen(js_name = exporterContext, unchecked_param_type = "Bytes")]
        exporter_context: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "number")] length: &JsValue,
    ) -> Result<Vec<u8>, Error> {
        let context = bytes(exporter_context, "exporterContext")?;
        let length = value::length(length, "length")? as usize;
        wiping_stack(|| Ok(self.0.export(&context, length)?.as_ref().to_vec()))
    }

    /// Returns the number of the next message, from 0.
    #[wasm_bindgen(getter)]
    pub fn sequence(&self) -> u64 {
        self.0.sequence()
    }
}

fn optional(aad: &JsValue) -> Result<Vec<u8>, Error> {
    if aad.is_undefined() {
        Ok(Vec::new())
    } else {
        bytes(aad, "aad")
    }
}
