//! Different texts by number, as the page stores them.

use std::borrow::Cow;

use crate::{js::Object, low, numbers::Numbers};

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
