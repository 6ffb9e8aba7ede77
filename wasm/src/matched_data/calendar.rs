//! Calendars: a key pair for each period. Time is an argument.

use std::sync::Arc;

use js_sys::Array;
use pqseal_hpke::AnyPublicKey;
use pqseal_keys::{
    base64,
    calendar::{self, KeyState},
};
use pqseal_matched_data::KeyRing;
use wasm_bindgen::prelude::*;

use crate::{
    Error, SysRng,
    key_files::file,
    memory::wiping_stack,
    value::{Options, bytes, object},
};

use super::{
    BoundValues,
    blob::{SEAL_OPTIONS, sealer},
};

/// A calendar: an independent key pair for each hour, day or week. A public one seals; a private or
/// lent one is added to a `KeyRing`. Only `full` has calendars. Times are a `Date` or milliseconds
/// since 1970.
#[wasm_bindgen]
pub struct Calendar(Arc<calendar::Calendar>);

#[wasm_bindgen]
impl Calendar {
    /// Reads a public, private or lent calendar: text, or a file's bytes. Keys are decoded when
    /// they are used.
    pub fn parse(
        #[wasm_bindgen(unchecked_param_type = "string | Bytes")] calendar: &JsValue,
    ) -> Result<Calendar, Error> {
        wiping_stack(|| {
            let text = file(calendar, "calendar")?;
            Ok(Self(calendar::Calendar::parse(text.into())?.into()))
        })
    }

    /// Returns the id, 16 bytes in hexadecimal, which all files of a calendar have.
    #[wasm_bindgen(getter)]
    pub fn id(&self) -> String {
        self.0.id().to_string()
    }

    /// Returns the name.
    #[wasm_bindgen(getter)]
    pub fn name(&self) -> String {
        self.0.name().to_owned()
    }

    /// Returns the name of the KEM of all keys, such as `x25519`.
    #[wasm_bindgen(getter)]
    pub fn kem(&self) -> String {
        self.0.kem_info().short_name.to_owned()
    }

    /// Returns whether it is a private calendar, also a lent one or one without a key.
    #[wasm_bindgen(getter, js_name = isPrivate)]
    pub fn is_private(&self) -> bool {
        self.0.is_private()
    }

    /// Returns all periods, also those without a key, in order.
    #[wasm_bindgen(unchecked_return_type = "CalendarPeriod[]")]
    pub fn periods(&self) -> Array {
        (0..self.0.count())
            .map(|index| self.described(index))
            .collect()
    }

    /// Returns the period that contains this time. Throws `no_period` outside the calendar.
    #[wasm_bindgen(js_name = periodAt, unchecked_return_type = "CalendarPeriod")]
    pub fn period_at(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Date | number")] time: &JsValue,
    ) -> Result<JsValue, Error> {
        Ok(self.described(self.at(time)?))
    }

    /// Seals to the period that contains this time, of a public calendar, as base64 in version 4.
    #[wasm_bindgen(unchecked_return_type = "string")]
    pub fn seal(
        &self,
        #[wasm_bindgen(unchecked_param_type = "Date | number")] time: &JsValue,
        #[wasm_bindgen(unchecked_param_type = "Bytes")] plaintext: &JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "SealOptions")] options: &JsValue,
    ) -> Result<String, Error> {
        let options = Options::of(options, &SEAL_OPTIONS)?;
        let bound = BoundValues::of(&options)?;
        let version = options.value("version")?;
        if version.is_some_and(|version| version.as_f64() != Some(4.0)) {
            return Err(Error::argument("version", "4, which names its key"));
        }
        wiping_stack(|| {
            let plaintext = bytes(plaintext, "plaintext")?;
            let sealer = sealer(&options, &self.key(time)?, &bound, Some(4))?;
            Ok(base64::encode(&sealer.seal(
                &bound.aad,
                &plaintext,
                &mut SysRng,
            )?))
        })
    }
}

impl Calendar {
    pub(super) fn add_to(&self, ring: &mut KeyRing) -> Result<(), Error> {
        ring.add_calendar(Arc::clone(&self.0))?;
        Ok(())
    }

    fn key(&self, time: &JsValue) -> Result<AnyPublicKey, Error> {
        Ok(self.0.public_key(self.at(time)?)?)
    }

    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a number before 1970 is refused, and one after all calendars is outside as u64::MAX too"
    )]
    fn at(&self, time: &JsValue) -> Result<usize, Error> {
        let number = match time.as_f64() {
            Some(number) => Some(number),
            // A Date, of any frame of a page.
            None if time.is_object() => f64::try_from(time).ok(),
            None => None,
        };
        let number = number.filter(|number| number.is_finite());
        let time = number.ok_or_else(|| Error::argument("time", "a Date or a number"))?;
        let at = (time >= 0.0).then(|| self.0.at((time / 1000.0) as u64));
        Ok(at.flatten().ok_or(calendar::Error::NoPeriod)?)
    }

    fn described(&self, index: usize) -> JsValue {
        // Milliseconds before the year 10000 are exact.
        #[expect(clippy::cast_precision_loss, reason = "see above")]
        let time = |index| self.0.start_of(index) as f64 * 1000.0;
        let fingerprint = self.0.key_fingerprint(index);
        let key_id = fingerprint.map(|fingerprint| fingerprint.key_id().to_string());
        object([
            ("name", self.0.period_name(index).into()),
            ("start", time(index).into()),
            ("end", time(index + 1).into()),
            ("keyId", key_id.into()),
            ("state", self.0.state(index).map(KeyState::name).into()),
        ])
    }
}
