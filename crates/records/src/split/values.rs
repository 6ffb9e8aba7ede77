//! JSON values as data to be opened is read: where brackets, strings, commas and colons do not fit
//! together, the value is damaged, and the next one is looked for. Nothing else is checked here.
//!
//! The next value begins where its brace cannot belong to the damaged one, or else at the first
//! brace on a line that is indented like the damaged value's first line. If that one is not the
//! first on its line, the next value begins after a bracket and a comma.

use alloc::vec::Vec;

use super::{Meaning, is_blank};

/// The number of open containers whose kind is known, more than in any record that is read. Deeper
/// ones are only counted.
const MAX_KINDS: usize = 1 << 16;
/// The longest indentation by which a value is found again.
const MAX_INDENT: usize = 1000;

#[derive(Debug)]
pub(super) struct Values {
    /// Set if values are the items of an array.
    pub(super) in_array: bool,
    /// The closing brackets of the open containers, the innermost last, and the number of deeper
    /// ones.
    open: Vec<u8>,
    deeper: usize,
    /// The number of `]` in `open`.
    arrays: usize,
    in_string: bool,
    escaped: bool,
    /// The last mark of the value: a bracket, comma, colon, or the quote that ends a string.
    before: u8,
    /// The white space of the line so far, if there is nothing else.
    line: Option<Vec<u8>>,
    /// The indentation of the value, if it is the first on its line.
    indent: Option<Vec<u8>>,
    /// The search for the next value, after damage.
    search: Option<Search>,
}

/// The state of a search for the next value.
#[derive(Debug, Default)]
struct Search {
    /// The length of the indentation that was read on a line, if there was nothing else.
    indent: Option<usize>,
    /// Set if a closing bracket was read, and then a comma, with white space between and after them.
    is_closed: bool,
    has_comma: bool,
}

impl Default for Values {
    fn default() -> Self {
        Self {
            in_array: false,
            open: Vec::new(),
            deeper: 0,
            arrays: 0,
            in_string: false,
            escaped: false,
            before: 0,
            // An input begins with a line.
            line: Some(Vec::new()),
            indent: None,
            search: None,
        }
    }
}

impl Values {
    pub(super) fn meaning(&mut self, byte: u8, within: bool) -> Meaning {
        let meaning = match &mut self.search {
            Some(search) => match search.finds(byte, self.indent.as_deref()) {
                true => Meaning::BeginsNext,
                false => Meaning::Nothing,
            },
            None if self.in_string => self.string(byte),
            None => self.mark(byte, within),
        };
        if matches!(meaning, Meaning::Begins | Meaning::BeginsNext) {
            self.begin(byte);
        }
        self.note_line(byte);
        meaning
    }

    /// Reports whether the value that was begun has no end yet.
    pub(super) const fn is_open(&self) -> bool {
        self.search.is_none() && (self.in_string || !self.open.is_empty())
    }

    /// Looks for the next value from now on.
    pub(super) fn lose(&mut self) {
        self.search = Some(Search::default());
    }

    /// Reports whether only quotes, backslashes and line breaks have a meaning.
    pub(super) const fn is_in_text(&self) -> bool {
        self.search.is_none() && self.in_string && !self.escaped
    }

    fn begin(&mut self, byte: u8) {
        self.open.clear();
        (self.deeper, self.arrays) = (0, 0);
        self.search = None;
        self.indent = self.line.clone();
        self.in_string = byte == b'"';
        self.escaped = false;
        if matches!(byte, b'{' | b'[') {
            self.push(byte);
        }
    }

    fn note_line(&mut self, byte: u8) {
        match &mut self.line {
            _ if byte == b'\n' => self.line = Some(Vec::new()),
            Some(line) if matches!(byte, b' ' | b'\t') && line.len() < MAX_INDENT => {
                line.push(byte);
            }
            line => *line = None,
        }
    }

    fn string(&mut self, byte: u8) -> Meaning {
        match byte {
            b'\n' => return Meaning::Damages,
            b'"' if !self.escaped => (self.in_string, self.before) = (false, byte),
            _ => {}
        }
        self.escaped = byte == b'\\' && !self.escaped;
        Meaning::Nothing
    }

    fn mark(&mut self, byte: u8, within: bool) -> Meaning {
        let is_inner = !self.open.is_empty();
        match byte {
            b'[' if !within && !self.in_array => {
                self.in_array = true;
                Meaning::Nothing
            }
            b'{' | b'[' if within && !is_inner => Meaning::BeginsNext,
            b'{' if within && !self.fits(byte) => Meaning::BeginsNext,
            b'[' | b'"' if is_inner && !self.fits(byte) => Meaning::Damages,
            b'{' | b'[' if within => {
                self.push(byte);
                Meaning::Nothing
            }
            b'}' | b']' => self.close(byte, within),
            b'"' if within => {
                self.in_string = true;
                Meaning::Nothing
            }
            b',' | b':' if is_inner => {
                self.before = byte;
                Meaning::Nothing
            }
            _ if is_inner => Meaning::Nothing,
            _ if is_blank(byte) || byte == b',' => match within {
                true => Meaning::EndsBefore,
                false => Meaning::Nothing,
            },
            _ if within => Meaning::Nothing,
            _ => Meaning::Begins,
        }
    }

    fn push(&mut self, byte: u8) {
        self.before = byte;
        if self.open.len() == MAX_KINDS {
            self.deeper += 1;
            return;
        }
        // The closing brackets are two above the others in ASCII.
        self.open.push(byte + 2);
        self.arrays += usize::from(byte == b'[');
    }

    /// Reads a closing bracket. It also closes the containers within its own. One that closes none
    /// remains in the value, which is then not JSON.
    fn close(&mut self, byte: u8, within: bool) -> Meaning {
        self.before = byte;
        if self.deeper > 0 {
            self.deeper -= 1;
            return Meaning::Nothing;
        }
        let closes = match byte {
            b']' => self.arrays > 0,
            _ => self.arrays < self.open.len(),
        };
        match byte {
            _ if closes => {
                while let Some(closed) = self.open.pop() {
                    self.arrays -= usize::from(closed == b']');
                    if closed == byte {
                        break;
                    }
                }
                match self.open.is_empty() {
                    true => Meaning::EndsWith,
                    false => Meaning::Nothing,
                }
            }
            // A value that was not closed ends with its array.
            b']' => {
                self.in_array = false;
                self.open.clear();
                match within {
                    true => Meaning::EndsBefore,
                    false => Meaning::Nothing,
                }
            }
            _ if within && self.open.is_empty() => Meaning::EndsWith,
            _ => Meaning::Nothing,
        }
    }

    /// Reports whether a string, an object or an array may follow the mark before it.
    fn fits(&self, byte: u8) -> bool {
        match self.open.last() {
            _ if self.deeper > 0 => true,
            Some(b']') => matches!(self.before, b'[' | b','),
            _ => self.before == b':' || byte == b'"' && matches!(self.before, b'{' | b','),
        }
    }
}

impl Search {
    /// Reads a byte. Reports whether the next value begins with it.
    fn finds(&mut self, byte: u8, wanted: Option<&[u8]>) -> bool {
        let is_found = match wanted {
            Some(wanted) => byte == b'{' && self.indent == Some(wanted.len()),
            None => byte == b'{' && self.has_comma,
        };
        self.indent = match (self.indent, wanted) {
            _ if byte == b'\n' => Some(0),
            (Some(read), Some(wanted)) if wanted.get(read) == Some(&byte) => Some(read + 1),
            _ => None,
        };
        if !byte.is_ascii_whitespace() {
            self.has_comma = byte == b',' && self.is_closed;
            self.is_closed = matches!(byte, b'}' | b']');
        }
        is_found
    }
}
