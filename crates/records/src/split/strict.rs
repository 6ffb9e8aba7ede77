//! JSON values as data to be sealed is read. After a stray bracket or comma, a part of a value could
//! be mistaken for a whole value in which no field is found. So all bytes from the stray one on are
//! one record.

use super::{Meaning, SEPARATOR, is_blank};

#[derive(Debug, Default)]
pub(super) struct Strict {
    /// Set if a bracket or comma was not where JSON allows it. All bytes from it on may be a part
    /// of a value.
    pub(super) is_lost: bool,
    /// Set if values are the items of an array.
    pub(super) in_array: bool,
    depth: usize,
    in_string: bool,
    escaped: bool,
}

impl Strict {
    pub(super) fn meaning(&mut self, byte: u8, within: bool) -> Meaning {
        if self.in_string {
            return self.string(byte);
        }
        self.is_lost |= self.loses(byte);
        if self.is_lost {
            let begins = !within && !is_blank(byte);
            return if begins {
                Meaning::Begins
            } else {
                Meaning::Nothing
            };
        }
        match byte {
            b'[' if !within && !self.in_array => {
                self.in_array = true;
                Meaning::Nothing
            }
            b']' if self.depth == 0 => {
                self.in_array = false;
                if within {
                    Meaning::EndsBefore
                } else {
                    Meaning::Nothing
                }
            }
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                if within && self.depth == 0 {
                    Meaning::EndsWith
                } else {
                    Meaning::Nothing
                }
            }
            b' ' | b'\t' | b'\r' | b'\n' | b',' | 0 | SEPARATOR => {
                if within && self.depth == 0 {
                    Meaning::EndsBefore
                } else {
                    Meaning::Nothing
                }
            }
            _ => {
                self.in_string = byte == b'"';
                self.depth += usize::from(matches!(byte, b'{' | b'['));
                if within {
                    Meaning::Nothing
                } else {
                    Meaning::Begins
                }
            }
        }
    }

    /// Reports whether this byte is a bracket or comma outside of all values, where JSON does not
    /// allow it.
    const fn loses(&self, byte: u8) -> bool {
        match byte {
            b'}' => self.depth == 0,
            b']' | b',' => self.depth == 0 && !self.in_array,
            _ => false,
        }
    }

    /// Reports whether this byte is in a string that no escape interrupts, where only quotes and
    /// backslashes have a meaning.
    pub(super) const fn is_in_text(&self) -> bool {
        self.in_string && !self.escaped
    }

    fn string(&mut self, byte: u8) -> Meaning {
        let ends = byte == b'"' && !self.escaped;
        self.escaped = byte == b'\\' && !self.escaped;
        self.in_string = !ends;
        Meaning::Nothing
    }
}
