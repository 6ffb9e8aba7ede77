//! The answers to fields, opened or sealed, and the problems of records.

use core::{error, fmt};

use crate::json::{Bad, Missed, Why};

/// The answer to a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer<'a> {
    /// The plaintext; when sealing, the text of the blob.
    Opened(&'a [u8]),
    /// The field is empty.
    Absent,
    /// The field has the word that is logged in place of a payload that was too large.
    Truncated,
    /// The field failed, with this code.
    Failed(&'a str),
}

/// A type that has an answer.
pub trait AsAnswer {
    /// Returns the answer.
    fn answer(&self) -> Answer<'_>;
}

impl AsAnswer for Answer<'_> {
    fn answer(&self) -> Answer<'_> {
        *self
    }
}

/// A problem of a record, or of a field in it, apart from its blob.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Problem {
    /// The record is not JSON.
    BadJson,
    /// The record is to be sealed, but is a JSON value without members, such as a string. It may be
    /// a part of a longer record: the value of a member whose name is before it.
    NotAnObject,
    /// The record has more or fewer cells than the table has columns, or is not a row of RFC 4180:
    /// a quote is never closed, text follows a closing quote, or it has a lone carriage return.
    /// When sealing, blanks before the quotes of a cell are refused too, since readers disagree
    /// about them.
    BadRow,
    /// The record is larger than the limit for a record.
    TooLarge,
    /// Its containers are nested more than 65,536 deep, or, when sealing, JSON with a field is
    /// inside more than [`MAX_STRINGS`](crate::json::MAX_STRINGS) strings.
    TooDeep,
    /// The record has more fields than [`Rules::max_fields`](crate::Rules::max_fields).
    TooManyFields,
    /// The field is a JSON string whose content is not valid Unicode.
    BadString,
    /// The field is JSON other than a string.
    NotAString,
    /// The record lacks the field that blobs are bound to
    /// ([`Rules::aad_from`](crate::Rules::aad_from)).
    NoAad,
    /// The record already has a field with the result's name. Sealing would leave it as plaintext
    /// or lose it.
    AlreadyThere,
    /// An object in the record has two members with a name of the path to a field. Sealing would
    /// leave one of them as plaintext.
    RepeatedName,
    /// The record has a list where a path names a member, and an object in the list has that
    /// member. Sealing would leave it as plaintext.
    InList,
    /// The record is to be sealed by rules for OTLP, and is not OTLP: a field that they name would
    /// stay in the clear.
    NotOtlp,
    /// Two fields of the record overlap, such as an object and a member of it, so both cannot be
    /// changed.
    Overlap,
}

impl Problem {
    /// Returns the code by which programs distinguish problems. Codes are added, never changed.
    pub const fn code(self) -> &'static str {
        match self {
            Self::BadJson => "bad_json",
            Self::NotAnObject => "not_an_object",
            Self::BadRow => "bad_row",
            Self::TooLarge => "too_large",
            Self::TooDeep => "too_deep",
            Self::TooManyFields => "too_many_fields",
            Self::BadString => "bad_string",
            Self::NotAString => "not_a_string",
            Self::NoAad => "no_aad",
            Self::AlreadyThere => "already_there",
            Self::RepeatedName => "repeated_name",
            Self::InList => "in_list",
            Self::NotOtlp => "not_otlp",
            Self::Overlap => "overlap",
        }
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::BadJson => "it is not JSON; correct it, or remove it",
            Self::NotAnObject => {
                "it is a JSON value without members, perhaps a part of a longer record; correct it, or remove it"
            }
            Self::BadRow => {
                "it has more or fewer cells than the header, or its quotes or line ends are not those of RFC 4180; correct it, or remove it"
            }
            Self::TooLarge => "it is larger than the limit for a record; raise that limit",
            Self::TooDeep => {
                "it is nested too deeply: the limit is 65,536 objects and arrays, and three strings with JSON in each other; remove it"
            }
            Self::TooManyFields => {
                "it has more fields than the limit for a record; raise that limit"
            }
            Self::BadString => {
                "the field is a string that is not Unicode text; correct it, or remove it"
            }
            Self::NotAString => "the field is not a string; name the field that has the blob",
            Self::NoAad => {
                "it lacks the field that blobs are bound to; name the field that was used for sealing"
            }
            Self::AlreadyThere => {
                "it already has a field with the result's name; choose another name for the result"
            }
            Self::RepeatedName => {
                "two members of one object have the field's name, or a name on the way to it; correct it, or remove it"
            }
            Self::InList => {
                "it has a list where the path names a member, and an object in it has that member; name its items instead, as in [].user"
            }
            Self::NotOtlp => {
                "it is not OTLP-JSON, or has a field where OTLP has none; correct it, or remove it"
            }
            Self::Overlap => {
                "two of the fields overlap, such as an object and a member of it; name only one of them"
            }
        })
    }
}

impl error::Error for Problem {}

impl From<Missed> for Problem {
    fn from(missed: Missed) -> Self {
        match missed {
            Missed::RepeatedName => Self::RepeatedName,
            Missed::InList => Self::InList,
            Missed::DamagedString => Self::BadJson,
            Missed::TooDeep => Self::TooDeep,
            Missed::NotOtlp => Self::NotOtlp,
        }
    }
}

impl From<Bad> for Problem {
    fn from(bad: Bad) -> Self {
        match bad.why {
            Why::Syntax => Self::BadJson,
            Why::TooDeep => Self::TooDeep,
            Why::TooManyFields => Self::TooManyFields,
        }
    }
}
