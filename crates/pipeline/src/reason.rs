//! The reasons why a record fails.

use std::{error, fmt};

use pqseal_records::json::Missed;

/// The reason why a record did not open, or could not be sealed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// The blob did not open, or the field could not be sealed.
    Blob(pqseal_matched_data::Error),
    /// The record is not JSON.
    BadJson,
    /// The record is to be sealed, but is a JSON value without members, such as a string. It may be
    /// a value of a longer record, with its name before it.
    NotAnObject,
    /// The record has more or fewer cells than the table has columns, or is not a row of RFC 4180:
    /// a quote is never closed, text follows a closing quote, or it has a lone carriage return.
    /// When sealing, blanks before the quotes of a cell are refused too, since readers disagree
    /// about them.
    BadRow,
    /// The record is larger than [`Limits::record`](crate::Limits::record).
    TooLarge,
    /// The field is a JSON string whose content is not valid Unicode.
    BadString,
    /// The field is JSON other than a string.
    NotAString,
    /// The record lacks the field that blobs are bound to
    /// ([`Rules::aad_from`](pqseal_records::Rules::aad_from)).
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
    /// Two fields of the record overlap, such as an object and a member of it, so both cannot be
    /// changed.
    Overlap,
}

impl Reason {
    /// Returns the code by which programs distinguish reasons: that of
    /// [`pqseal_matched_data::Error::code`], or one of `bad_json`, `not_an_object`, `bad_row`,
    /// `too_large`, `bad_string`, `not_a_string`, `no_aad`, `already_there`, `repeated_name`,
    /// `in_list` and `overlap`. Codes are added, never changed.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Blob(error) => error.code(),
            Self::BadJson => "bad_json",
            Self::NotAnObject => "not_an_object",
            Self::BadRow => "bad_row",
            Self::TooLarge => "too_large",
            Self::BadString => "bad_string",
            Self::NotAString => "not_a_string",
            Self::NoAad => "no_aad",
            Self::AlreadyThere => "already_there",
            Self::RepeatedName => "repeated_name",
            Self::InList => "in_list",
            Self::Overlap => "overlap",
        }
    }

    /// Reports whether later records would fail too, because an external private key is
    /// unavailable.
    pub(crate) fn ends_run(&self) -> bool {
        self.code() == pqseal_keys::KEY_UNAVAILABLE
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Blob(error) => return error.fmt(f),
            Self::BadJson => "it is not JSON; correct it, or remove it",
            Self::NotAnObject => "it is a JSON value without members, perhaps a part of a longer record; correct it, or remove it",
            Self::BadRow => {
                "it has more or fewer cells than the header, or its quotes or line ends are not those of RFC 4180; correct it, or remove it"
            }
            Self::TooLarge => "it is larger than the limit for a record; raise that limit",
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
            Self::Overlap => {
                "two of the fields overlap, such as an object and a member of it; name only one of them"
            }
        })
    }
}

impl error::Error for Reason {
    fn source(&self) -> Option<&(dyn error::Error + 'static)> {
        match self {
            Self::Blob(error) => Some(error),
            _ => None,
        }
    }
}

impl From<Missed> for Reason {
    fn from(missed: Missed) -> Self {
        match missed {
            Missed::RepeatedName => Self::RepeatedName,
            Missed::InList => Self::InList,
        }
    }
}

impl From<pqseal_matched_data::Error> for Reason {
    fn from(error: pqseal_matched_data::Error) -> Self {
        Self::Blob(error)
    }
}
