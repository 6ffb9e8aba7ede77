//! Comparisons of a field with constants, which report the position of a match. They are read from
//! the JSON of `wirefilter-engine`, and compare as it does.

use std::{
    cmp::Ordering,
    net::{IpAddr, Ipv4Addr, Ipv6Addr},
    ops::Range,
};

use memchr::memmem::Finder;
use regex::bytes::{Regex, RegexBuilder};
use serde_json::Value as Json;
use wirefilter::Type;

use crate::request::Value;

/// A comparison with a constant of the rule.
#[derive(Debug)]
pub(crate) enum Test {
    IsTrue,
    /// `is` says for less, equal and greater whether the comparison is true.
    Ordering {
        is: [bool; 3],
        than: Constant,
    },
    BitwiseAnd(i32),
    Contains(Box<Finder<'static>>),
    Matches(Regex),
    /// The value is in one of these ranges, whose bounds are inclusive.
    OneOf(Vec<[Constant; 2]>),
}

/// A constant in a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Constant {
    Text(Vec<u8>),
    Address(IpAddr),
    Number(i32),
}

/// The result of a comparison, and the position of the match in a text.
pub(crate) struct Found {
    pub(crate) is_true: bool,
    pub(crate) at: Option<Range<usize>>,
}

impl Test {
    /// Reads the parser's JSON for a comparison of a field of this type. Returns `None` for an
    /// unknown comparison.
    pub(crate) fn read(json: &Json, of: Type) -> Option<Self> {
        let right = json.get("rhs");
        Some(match json.get("op")?.as_str()? {
            "IsTrue" => Self::IsTrue,
            "BitwiseAnd" => Self::BitwiseAnd(number(right?)?),
            "Contains" => Self::Contains(Box::new(Finder::new(&text(right?)?).into_owned())),
            "Matches" => Self::Matches(regex(right?.as_str()?)?),
            "OneOf" => {
                let ranges = right?.as_array()?.iter().map(|json| range(json, of));
                Self::OneOf(ranges.collect::<Option<_>>()?)
            }
            op => Self::Ordering {
                is: ordering(op)?,
                than: Constant::read(right?, of)?,
            },
        })
    }

    /// Compares a value.
    pub(crate) fn of(&self, value: &Value<'_>) -> Found {
        let at = match (self, value) {
            (Self::Contains(finder), Value::Text(text)) => {
                let start = finder.find(&text.seen);
                start.map(|start| start..start + finder.needle().len())
            }
            (Self::Matches(regex), Value::Text(text)) => {
                regex.find(&text.seen).map(|found| found.range())
            }
            (test, value) => {
                let is_true = test.is_true(value);
                let at = match value {
                    Value::Text(text) if is_true && test.finds_all() => Some(0..text.seen.len()),
                    _ => None,
                };
                return Found { is_true, at };
            }
        };
        let is_true = at.is_some();
        Found { is_true, at }
    }

    /// Reports whether the comparison is about the whole text, as `eq` and `in` are, and `ne` and
    /// `gt` are not.
    fn finds_all(&self) -> bool {
        matches!(self, Self::OneOf(_) | Self::Ordering { is: EQUAL, .. })
    }

    fn is_true(&self, value: &Value<'_>) -> bool {
        match (self, value) {
            (Self::IsTrue, Value::Bool(is)) => *is,
            (Self::BitwiseAnd(bits), Value::Number(number)) => number & bits != 0,
            (Self::Ordering { is, than }, value) => match than.compare(value) {
                Some(Ordering::Less) => is[0],
                Some(Ordering::Equal) => is[1],
                Some(Ordering::Greater) => is[2],
                // An address of the other family is unequal, but neither less nor greater.
                None => *is == NOT_EQUAL,
            },
            (Self::OneOf(ranges), value) => ranges.iter().any(|[first, last]| {
                first.compare(value).is_some_and(Ordering::is_ge)
                    && last.compare(value).is_some_and(Ordering::is_le)
            }),
            _ => false,
        }
    }
}

impl Constant {
    fn read(json: &Json, of: Type) -> Option<Self> {
        Some(match of {
            Type::Bytes => Self::Text(text(json)?),
            Type::Ip => Self::Address(json.as_str()?.parse().ok()?),
            Type::Int => Self::Number(number(json)?),
            Type::Bool => return None,
        })
    }

    /// Compares a value with this constant. Returns `None` if their types or address families
    /// differ.
    fn compare(&self, value: &Value<'_>) -> Option<Ordering> {
        match (value, self) {
            (Value::Text(text), Self::Text(than)) => Some(text.seen.as_ref().cmp(than)),
            (Value::Number(number), Self::Number(than)) => Some(number.cmp(than)),
            (Value::Address(IpAddr::V4(address)), Self::Address(IpAddr::V4(than))) => {
                Some(address.cmp(than))
            }
            (Value::Address(IpAddr::V6(address)), Self::Address(IpAddr::V6(than))) => {
                Some(address.cmp(than))
            }
            _ => None,
        }
    }
}

/// `eq`.
const EQUAL: [bool; 3] = [false, true, false];
/// `ne`: true for less and greater.
const NOT_EQUAL: [bool; 3] = [true, false, true];

/// Returns the results for less, equal and greater that the parser's name for an ordering stands
/// for.
fn ordering(name: &str) -> Option<[bool; 3]> {
    Some(match name {
        "Equal" => EQUAL,
        "NotEqual" => NOT_EQUAL,
        "GreaterThanEqual" => [false, true, true],
        "LessThanEqual" => [true, true, false],
        "GreaterThan" => [false, false, true],
        "LessThan" => [true, false, false],
        _ => return None,
    })
}

fn number(json: &Json) -> Option<i32> {
    json.as_i64()?.try_into().ok()
}

/// Reads a string or an array of byte values.
fn text(json: &Json) -> Option<Vec<u8>> {
    match json {
        Json::String(text) => Some(text.clone().into_bytes()),
        Json::Array(bytes) => bytes
            .iter()
            .map(|byte| u8::try_from(byte.as_u64()?).ok())
            .collect(),
        _ => None,
    }
}

/// Compiles a regular expression as the engine does: on bytes, without Unicode.
fn regex(text: &str) -> Option<Regex> {
    RegexBuilder::new(text).unicode(false).build().ok()
}

/// Reads `{"start": .., "end": ..}`, a single text, or a network.
fn range(json: &Json, of: Type) -> Option<[Constant; 2]> {
    match (json.get("start"), json.get("end"), of) {
        (Some(first), Some(last), _) => {
            Some([Constant::read(first, of)?, Constant::read(last, of)?])
        }
        (_, _, Type::Ip) => network(json.as_str()?),
        _ => {
            let only = Constant::read(json, of)?;
            Some([only.clone(), only])
        }
    }
}

/// Returns the first and the last address of `ADDRESS/BITS`, or of a single address.
fn network(text: &str) -> Option<[Constant; 2]> {
    let (address, bits) = text
        .split_once('/')
        .map_or((text, None), |(address, bits)| (address, Some(bits)));
    let bits = bits.map(str::parse::<u32>).transpose().ok()?;
    let [first, last] = match address.parse().ok()? {
        IpAddr::V4(address) => {
            // A shift by the full width is undefined; the mask is zero then.
            let rest = u32::MAX.checked_shr(bits.unwrap_or(32)).unwrap_or(0);
            let last = Ipv4Addr::from_bits(address.to_bits() | rest);
            [IpAddr::V4(address), IpAddr::V4(last)]
        }
        IpAddr::V6(address) => {
            let rest = u128::MAX.checked_shr(bits.unwrap_or(128)).unwrap_or(0);
            let last = Ipv6Addr::from_bits(address.to_bits() | rest);
            [IpAddr::V6(address), IpAddr::V6(last)]
        }
    };
    Some([Constant::Address(first), Constant::Address(last)])
}
