//! The comparisons of the engine, with where they found something. The engine decides whether a rule
//! matches; it does not say where, and does not show its comparisons except as JSON.

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

/// A comparison with what the rule says.
#[derive(Debug)]
pub(crate) enum Test {
    IsTrue,
    /// Which of less, equal and greater are true.
    Ordering {
        is: [bool; 3],
        than: Constant,
    },
    BitwiseAnd(i32),
    Contains(Box<Finder<'static>>),
    Matches(Regex),
    /// In one of these ranges, whose ends are in them.
    OneOf(Vec<[Constant; 2]>),
}

/// A value in a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Constant {
    Text(Vec<u8>),
    Address(IpAddr),
    Number(i32),
}

/// Whether a comparison is true, and where in a text.
pub(crate) struct Found {
    pub(crate) is_true: bool,
    pub(crate) at: Option<Range<usize>>,
}

impl Test {
    /// The comparison of a field of this type that the engine writes as this object; `None` if it is
    /// not known.
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

    /// Compares.
    pub(crate) fn of(&self, value: &Value<'_>) -> Found {
        let at = match (self, value) {
            (Self::Contains(finder), Value::Text(text)) => {
                let start = finder.find(text.seen);
                start.map(|start| start..start + finder.needle().len())
            }
            (Self::Matches(regex), Value::Text(text)) => {
                regex.find(text.seen).map(|found| found.range())
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

    /// Whether it looks for the whole text, as `eq` and `in` do, and `ne` and `gt` do not.
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
                // An address of another family is unequal, and neither less nor greater.
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

    /// How a value is ordered against this; `None` if they are of different types or families.
    fn compare(&self, value: &Value<'_>) -> Option<Ordering> {
        match (value, self) {
            (Value::Text(text), Self::Text(than)) => Some(text.seen.cmp(than)),
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

/// What the engine calls an ordering, as less, equal, greater.
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

/// A string, or the numbers of bytes.
fn text(json: &Json) -> Option<Vec<u8>> {
    match json {
        Json::String(text) => Some(text.clone().into_bytes()),
        Json::Array(bytes) => {
            let byte = |json: &Json| u8::try_from(json.as_u64()?).ok();
            bytes.iter().map(byte).collect()
        }
        _ => None,
    }
}

/// As the engine compiles it: of bytes, not of characters.
fn regex(text: &str) -> Option<Regex> {
    RegexBuilder::new(text).unicode(false).build().ok()
}

/// `{"start": .., "end": ..}`, one text, or a network.
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

/// The first and the last address of `ADDRESS/BITS`, or of one address.
fn network(text: &str) -> Option<[Constant; 2]> {
    let (address, bits) = text
        .split_once('/')
        .map_or((text, None), |(address, bits)| (address, Some(bits)));
    let bits = bits.map(str::parse::<u32>).transpose().ok()?;
    let [first, last] = match address.parse().ok()? {
        IpAddr::V4(address) => {
            // A shift by all of its bits leaves nothing to vary, and is not defined.
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
