//! What was found in many records, in few arrays.

use pqseal_records::Problem;
use wasm_bindgen::prelude::wasm_bindgen;

use crate::{
    columns::Columns,
    js::Object,
    low,
    search::{RowState, Searched},
};

#[wasm_bindgen(typescript_custom_section)]
const TYPES: &str = r"
/** What was found in records. Each has one event or more, and each event one row or more. */
export interface Found {
    /** By record, the number of its events. */
    events: Uint32Array<ArrayBuffer>;
    /** By event, the number of its rows. */
    rows: Uint32Array<ArrayBuffer>;
    /**
     * By row, the index of the field's name. The number of names stands for a sealed text without a
     * record, and a larger one for no field.
     */
    fields: Uint32Array<ArrayBuffer>;
    /**
     * By row: 0 for a sealed text, 1 for a sealed JSON object, 2 for no sealed value, and from 3 on
     * a problem.
     */
    states: Uint32Array<ArrayBuffer>;
    problems: { code: string; message: string }[];
    /** Sealed values as UTF-8, one after the other, and the end of each. */
    values: Uint8Array<ArrayBuffer>;
    valueEnds: Uint32Array<ArrayBuffer>;
    /** The members of events, unless they were not asked for. */
    members?: FoundMembers;
}

/** The members of events: by cell, the numbers of its column and of its text. */
export interface FoundMembers {
    columns: string[];
    cells: Uint32Array<ArrayBuffer>;
    /** By event, the end of its numbers in the cells. */
    cellEnds: Uint32Array<ArrayBuffer>;
    /** Texts in Latin-1, one after the other, and the end of each; the others by their numbers. */
    letters: Uint8Array<ArrayBuffer>;
    letterEnds: Uint32Array<ArrayBuffer>;
    otherNumbers: Uint32Array<ArrayBuffer>;
    others: string[];
}
";

/// The first number of a problem among the states.
const FIRST_PROBLEM: u32 = 3;

/// The arrays for many records.
#[derive(Default)]
pub(crate) struct Arrays {
    events: Vec<u32>,
    rows: Vec<u32>,
    fields: Vec<u32>,
    states: Vec<u32>,
    problems: Vec<Problem>,
    values: Vec<u8>,
    value_ends: Vec<u32>,
    columns: Option<Columns>,
}

impl Arrays {
    /// Creates empty arrays, with members if there is a length for their texts.
    pub(crate) fn new(longest: Option<usize>) -> Self {
        Self {
            columns: longest.map(Columns::new),
            ..Self::default()
        }
    }

    /// Adds a record.
    pub(crate) fn add(&mut self, searched: &Searched<'_>, names: &[String]) {
        let first = self.rows.len();
        self.events.push(low(searched.count() as u64));
        self.rows.resize(first + searched.count(), 0);
        for row in searched.rows(names.len()) {
            self.rows[first + row.event] += 1;
            let field = row.field.map_or(u32::MAX, |(_, name)| low(name as u64));
            self.fields.push(field);
            let state = self.state(row.state);
            self.states.push(state);
        }
        let Some(columns) = &mut self.columns else {
            return;
        };
        match searched {
            Searched::Document {
                record,
                found,
                events,
            } if events.is_empty() => columns.add_record(found, record, names),
            Searched::Document {
                record,
                found,
                events,
            } => columns.add_events(found, record, events, names),
            Searched::Damaged(_) | Searched::Alone(_) => columns.add_empty(),
        }
    }

    fn state(&mut self, state: RowState<'_>) -> u32 {
        match state {
            RowState::Sealed { text, is_object } => {
                self.values.extend_from_slice(&text);
                self.value_ends.push(low(self.values.len() as u64));
                u32::from(is_object)
            }
            RowState::Absent => 2,
            RowState::Bad(problem) => {
                let known = self.problems.iter().position(|known| *known == problem);
                let number = known.unwrap_or_else(|| {
                    self.problems.push(problem);
                    self.problems.len() - 1
                });
                FIRST_PROBLEM + low(number as u64)
            }
        }
    }

    /// Returns `Found` of the types.
    pub(crate) fn into_js(self) -> Object {
        let problems = self.problems.iter().map(|problem| {
            let object = Object::new();
            object.set_text("code", problem.code());
            object.set_text("message", &problem.to_string());
            object
        });
        let found = Object::new();
        found.set_numbers("events", self.events);
        found.set_numbers("rows", self.rows);
        found.set_numbers("fields", self.fields);
        found.set_numbers("states", self.states);
        found.set_objects("problems", problems.collect());
        found.set_bytes("values", self.values);
        found.set_numbers("valueEnds", self.value_ends);
        if let Some(columns) = self.columns {
            found.set_object("members", columns.into_js());
        }
        found
    }
}
