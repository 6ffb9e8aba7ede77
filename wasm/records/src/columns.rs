//! The members of events as cells of columns.

use std::{borrow::Cow, ops::Range};

use pqseal_records::{
    Found,
    json::{Around, MAX_MEMBERS, Members},
};

use crate::{
    js::Object,
    low,
    texts::{Numbers, Texts},
};

/// The numbers of a column and of a text.
type Cell = [u32; 2];

/// The columns of many records.
pub(crate) struct Columns {
    names: Numbers,
    /// The number that the next name probably has.
    next: usize,
    texts: Texts,
    cells: Vec<Cell>,
    /// The end of each event's numbers in the cells.
    ends: Vec<u32>,
}

impl Columns {
    /// Creates no columns, for texts of this length.
    pub(crate) fn new(longest: usize) -> Self {
        Self {
            names: Numbers::new(),
            next: 0,
            texts: Texts::new(longest),
            cells: Vec::new(),
            ends: Vec::new(),
        }
    }

    /// Adds an event without members.
    pub(crate) fn add_empty(&mut self) {
        let numbers = self.cells.as_flattened().len();
        self.ends.push(low(numbers as u64));
        self.next = 0;
    }

    /// Adds the only event of a record.
    pub(crate) fn add_record(&mut self, found: &Found<'_>, record: &[u8], sealed: &[String]) {
        let all = Members {
            left_out: sealed,
            apart: &[],
            is_around: false,
        };
        // White space around the value has no members.
        let start = record.len() - record.trim_ascii_start().len();
        let cells = self.members(found, start..record.trim_ascii_end().len(), &all);
        self.cells.extend(cells);
        self.add_empty();
    }

    /// Adds the events of a document: the members of each, and those around its array whose names
    /// no event has.
    pub(crate) fn add_events(
        &mut self,
        found: &Found<'_>,
        record: &[u8],
        events: &[Range<usize>],
        sealed: &[String],
    ) {
        let around = Around::new(record, events);
        // No event contains another one, so no array is apart.
        let inside = Members {
            left_out: sealed,
            apart: &[],
            is_around: false,
        };
        let outside = Members {
            apart: &around.arrays,
            is_around: true,
            ..inside
        };
        let own = events.iter();
        let own: Vec<_> = own
            .map(|event| self.members(found, event.clone(), &inside))
            .collect();
        let mut has_own = vec![false; self.names.len()];
        for [column, _] in own.iter().flatten() {
            has_own[*column as usize] = true;
        }
        let outer: Vec<_> = around
            .scopes
            .iter()
            .map(|scope| match &scope.prefix {
                Some(prefix) => self.around(found, scope.range.clone(), prefix, &outside),
                None => Vec::new(),
            })
            .collect();
        for (own, scope) in own.into_iter().zip(&around.of_events) {
            let left = MAX_MEMBERS.saturating_sub(own.len());
            self.cells.extend(own);
            let outer = around.outwards(*scope).flat_map(|scope| &outer[scope]);
            let outer = outer.filter(|[column, _]| has_own.get(*column as usize) != Some(&true));
            self.cells.extend(outer.take(left));
            self.add_empty();
        }
    }

    fn members(
        &mut self,
        found: &Found<'_>,
        value: Range<usize>,
        choice: &Members<'_>,
    ) -> Vec<Cell> {
        let mut cells = Vec::new();
        found.members(value, choice, &mut |name, text| {
            cells.push(self.cell(name, text));
            true
        });
        cells
    }

    /// Returns the members of a value around an array, with the names that lead to it.
    fn around(
        &mut self,
        found: &Found<'_>,
        value: Range<usize>,
        prefix: &str,
        choice: &Members<'_>,
    ) -> Vec<Cell> {
        let (mut cells, mut full) = (Vec::new(), prefix.as_bytes().to_vec());
        found.members(value, choice, &mut |name, text| {
            full.truncate(prefix.len());
            full.extend_from_slice(name);
            cells.push(self.cell(&full, text));
            true
        });
        cells
    }

    fn cell(&mut self, name: &[u8], text: Cow<'_, [u8]>) -> Cell {
        // Most events have the same names in the same order.
        let column = match self.names.get(self.next) == name && !name.is_empty() {
            true => low(self.next as u64),
            false => self.names.number(name).0,
        };
        self.next = column as usize + 1;
        [column, self.texts.number(text)]
    }

    /// Returns `FoundMembers` of the types.
    pub(crate) fn into_js(self) -> Object {
        let members = Object::new();
        let names = (0..self.names.len())
            .map(|number| String::from_utf8_lossy(self.names.get(number)).into_owned());
        members.set_texts("columns", names.collect());
        members.set_numbers("cells", self.cells.into_flattened());
        members.set_numbers("cellEnds", self.ends);
        self.texts.give(&members);
        members
    }
}
