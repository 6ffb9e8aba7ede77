//! Different texts by number, also as the page stores them.

use std::borrow::Cow;

use crate::{
    js::{Object, random},
    low, part,
};

/// Texts as bytes, one directly after another, by number. A map of the standard library takes more
/// code and time.
pub(crate) struct Numbers {
    bytes: Vec<u8>,
    ends: Vec<u32>,
    /// At a text's hash, or soon after it, its number plus 1. At most half of it is used.
    table: Vec<u32>,
    /// Clients choose texts, and must not know which ones collide.
    seed: u32,
}

impl Numbers {
    /// Creates no texts.
    pub(crate) fn new() -> Self {
        Self {
            bytes: Vec::new(),
            ends: Vec::new(),
            table: vec![0; 256],
            seed: low(random().to_bits() & u64::from(u32::MAX)),
        }
    }

    /// Returns the number of different texts.
    pub(crate) const fn len(&self) -> usize {
        self.ends.len()
    }

    /// Returns a text.
    pub(crate) fn get(&self, number: usize) -> &[u8] {
        part(&self.bytes, &self.ends, number)
    }

    /// Returns the number of a text, and whether it is new.
    pub(crate) fn number(&mut self, text: &[u8]) -> (u32, bool) {
        let place = self.place(text);
        if self.table[place] > 0 {
            return (self.table[place] - 1, false);
        }
        self.bytes.extend_from_slice(text);
        self.ends.push(low(self.bytes.len() as u64));
        let number = low(self.len() as u64);
        self.table[place] = number;
        if 2 * self.len() > self.table.len() {
            self.grow();
        }
        (number - 1, true)
    }

    /// Returns the place of a text in the table, or the empty place where it would be.
    fn place(&self, text: &[u8]) -> usize {
        let last = self.table.len() - 1;
        let mut at = self.hash(text) & last;
        while self.table[at] > 0 && self.get(self.table[at] as usize - 1) != text {
            at = (at + 1) & last;
        }
        at
    }

    fn hash(&self, text: &[u8]) -> usize {
        text.iter().fold(self.seed, |hash, byte| {
            let product = (hash ^ u32::from(*byte)).wrapping_mul(0x9e37_79b1);
            product ^ (product >> 16)
        }) as usize
    }

    fn grow(&mut self) {
        self.table = vec![0; 2 * self.table.len()];
        for number in 0..self.len() {
            let place = self.place(self.get(number));
            self.table[place] = low(number as u64) + 1;
        }
    }
}

/// Texts by number. Those of which each character fits into a byte (Latin-1) are bytes.
pub(crate) struct Texts {
    /// The maximum length in units of UTF-16. Longer texts are cut.
    longest: usize,
    numbers: Numbers,
    letters: Vec<u8>,
    ends: Vec<u32>,
    others: Vec<(u32, String)>,
}

impl Texts {
    pub(crate) fn new(longest: usize) -> Self {
        Self {
            longest,
            numbers: Numbers::new(),
            letters: Vec::new(),
            ends: Vec::new(),
            others: Vec::new(),
        }
    }

    /// Returns the number of a text. Bytes that are not UTF-8 are replaced.
    pub(crate) fn number(&mut self, text: Cow<'_, [u8]>) -> u32 {
        let text = self.cut(text);
        let (number, is_new) = self.numbers.number(&text);
        if is_new {
            self.add(number, &text);
            self.ends.push(low(self.letters.len() as u64));
        }
        number
    }

    /// Cuts a text that is too long.
    fn cut<'t>(&self, text: Cow<'t, [u8]>) -> Cow<'t, [u8]> {
        // No character has more units than bytes.
        if text.len() <= self.longest {
            return text;
        }
        let shortened = shortened(&String::from_utf8_lossy(&text), self.longest);
        shortened.map_or(text, |shortened| shortened.into_bytes().into())
    }

    fn add(&mut self, number: u32, text: &[u8]) {
        if text.is_ascii() {
            return self.letters.extend_from_slice(text);
        }
        let start = self.letters.len();
        let text = String::from_utf8_lossy(text);
        for character in text.chars() {
            let Ok(letter) = u8::try_from(u32::from(character)) else {
                self.letters.truncate(start);
                self.others.push((number, text.into_owned()));
                return;
            };
            self.letters.push(letter);
        }
    }

    /// Sets the members of `FoundMembers` for texts.
    pub(crate) fn give(self, members: &Object) {
        let (numbers, others) = self.others.into_iter().unzip();
        members.set_bytes("letters", self.letters);
        members.set_numbers("letterEnds", self.ends);
        members.set_numbers("otherNumbers", numbers);
        members.set_texts("others", others);
    }
}

/// Returns the beginning of a text that has more units of UTF-16 than this.
fn shortened(text: &str, longest: usize) -> Option<String> {
    let mut units = 0;
    let mut ends = text.char_indices().filter_map(|(at, character)| {
        units += character.len_utf16();
        (units > longest).then_some(at)
    });
    let beginning = text.get(..ends.next()?)?;
    let mut shortened = beginning.to_owned();
    shortened.push('…');
    Some(shortened)
}
