//! The answers of the page to what was found.

use pqseal_records::Answer;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::{
    js::Answered,
    part,
    search::{PageRow, RowState},
};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r"
/** The answers to what was found. */
export interface Answers {
    /** By event, 1 if it is wanted. */
    events: Uint8Array;
    /** The plaintexts of sealed values, one after the other, with the end of each. */
    plaintexts: Uint8Array;
    ends: Uint32Array;
    /** By sealed value, the code of its failure; empty if it opened. */
    codes: string[];
}
";

/// The answers to the sealed values of many records, in order.
pub(crate) struct Answers {
    events: Vec<u8>,
    plaintexts: Vec<u8>,
    ends: Vec<u32>,
    codes: Vec<String>,
    /// The numbers of events and sealed values that were taken.
    event: usize,
    value: usize,
}

impl Answers {
    pub(crate) fn new(answered: &Answered) -> Self {
        Self {
            events: answered.events(),
            plaintexts: answered.plaintexts(),
            ends: answered.ends(),
            codes: answered.codes(),
            event: 0,
            value: 0,
        }
    }

    /// Takes the next record's events, each 1 if it is wanted, and its sealed values: for each row
    /// with one the number of its field and that of its answer.
    pub(crate) fn take(
        &mut self,
        events: usize,
        rows: &[PageRow<'_>],
    ) -> (Vec<u8>, Vec<(usize, usize)>) {
        let wanted = self.events.iter().skip(self.event).take(events);
        let wanted = wanted.copied().collect();
        self.event += events;
        let sealed = rows
            .iter()
            .filter(|row| matches!(row.state, RowState::Sealed { .. }));
        let fields = sealed.filter_map(|row| Some(row.field?.0));
        let given: Vec<_> = fields.zip(self.value..).collect();
        self.value += given.len();
        (wanted, given)
    }

    /// Returns an answer by its number.
    pub(crate) fn get(&self, number: usize) -> Answer<'_> {
        match self.codes.get(number).map(String::as_str) {
            Some("") => Answer::Opened(part(&self.plaintexts, &self.ends, number)),
            Some("absent") | None => Answer::Absent,
            Some(code) => Answer::Failed(code),
        }
    }
}
