//! Why a record is not done.

use std::{error, fmt};

/// Why a record did not open, or could not be sealed.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Reason {
    /// Its blob did not open, or its field could not be sealed.
    Blob(envelope::Error),
    /// It is not JSON.
    BadJson,
    /// It is to be sealed, and is JSON that has no members, as a string: it may be a value of a longer
    /// record, of which the name is before it.
    NotAnObject,
    /// It has more or fewer cells than its table has columns, or is not a row of RFC 4180: a quote is never
    /// closed, text follows one that closes, or a carriage return is alone. To be sealed it may not have
    /// blanks before the quotes of a cell either, since readers disagree about them.
    BadRow,
    /// It is larger than [`Limits::record`](crate::Limits::record).
    TooLarge,
    /// The field is a JSON string that does not stand for Unicode text.
    BadString,
    /// The field is JSON other than a string.
    NotAString,
    /// It lacks the field that blobs are bound to ([`Rules::aad_from`](crate::Rules::aad_from)).
    NoAad,
    /// It already has a field with the result's name, which sealing would leave in the clear or
    /// lose.
    AlreadyThere,
    /// An object in it has two members of the name that leads to a field, or is one: sealing would
    /// leave one of them in the clear.
    RepeatedName,
    /// It has a list where a path names a member, and an object in the list has that member: sealing would
    /// leave it in the clear.
    InList,
    /// Two fields in it overlap, as an object and a member of it do: both cannot be changed.
    Overlap,
}

impl Reason {
    /// The code by which programs distinguish reasons: that of [`envelope::Error::code`], or one of
    /// `bad_json`, `not_an_object`, `bad_row`, `too_large`, `bad_string`, `not_a_string`, `no_aad`,
    /// `already_there`, `repeated_name`, `in_list` and `overlap`. Codes are added, never changed.
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

    /// Whether what follows would fail too: a private key that is held elsewhere did not answer.
    pub(crate) fn ends_run(&self) -> bool {
        self.code() == envelope::KEY_UNAVAILABLE
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

impl From<envelope::Error> for Reason {
    fn from(error: envelope::Error) -> Self {
        Self::Blob(error)
    }
}
