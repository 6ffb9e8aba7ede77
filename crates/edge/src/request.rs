//! The data of a request that rules read, laid out once. Parts of a text are ranges of it, so that
//! a match in a part can be located in the whole.

use std::{
    net::{IpAddr, Ipv4Addr},
    ops::Range,
};

use bumpalo::{Bump, collections::Vec as Bytes};
use http::{HeaderMap, Request, Uri, Version, header::HOST};
use wirefilter::LhsValue;

use crate::{
    field::{Fields, Kind, Part},
    percent,
};

/// The body of a request, or the beginning of it.
#[derive(Clone, Copy, Default)]
pub struct Body<'r> {
    /// The bytes that rules may read.
    pub bytes: &'r [u8],
    /// Set if the body is longer than `bytes`.
    pub is_truncated: bool,
}

/// The connection that a request arrived on.
#[derive(Clone, Copy)]
pub struct Connection {
    /// The address of the client.
    pub address: IpAddr,
    /// Set if the connection uses TLS.
    pub is_tls: bool,
}

impl Default for Connection {
    /// Returns an unknown address without TLS.
    fn default() -> Self {
        Self {
            address: Ipv4Addr::UNSPECIFIED.into(),
            is_tls: false,
        }
    }
}

/// The value of a field.
#[derive(Clone)]
pub(crate) enum Value<'a> {
    Text(Text<'a>),
    Address(IpAddr),
    Number(i32),
    Bool(bool),
}

/// A text field.
#[derive(Clone)]
pub(crate) struct Text<'a> {
    pub(crate) part: Part,
    /// The text that contains this one.
    pub(crate) whole: &'a [u8],
    /// The range of this text in `whole`.
    pub(crate) range: Range<usize>,
    /// The text as rules see it.
    pub(crate) seen: &'a [u8],
    is_decoded: bool,
}

impl<'a> Value<'a> {
    pub(crate) fn for_engine(&self) -> LhsValue<'a> {
        match self {
            Self::Text(text) => text.seen.into(),
            Self::Address(address) => (*address).into(),
            Self::Number(number) => (*number).into(),
            Self::Bool(is) => (*is).into(),
        }
    }
}

impl<'a> Text<'a> {
    pub(crate) fn raw(&self) -> &'a [u8] {
        &self.whole[self.range.clone()]
    }

    /// Returns the range in the whole text of a match in the text that rules see.
    pub(crate) fn place(&self, found: Range<usize>) -> Range<usize> {
        let at = |seen| match self.is_decoded {
            true => percent::place(self.raw(), self.part == Part::Query, seen),
            false => seen,
        };
        self.range.start + at(found.start)..self.range.start + at(found.end)
    }
}

/// Returns the values of the fields that `is_used` selects, and `None` for the others.
pub(crate) fn values<'a, B>(
    fields: &Fields,
    is_used: &[bool],
    room: &'a Bump,
    request: &Request<B>,
    body: Body<'_>,
    from: Connection,
) -> Vec<Option<Value<'a>>> {
    let used = || {
        let used = fields.all.iter().zip(is_used);
        used.filter_map(|(field, is_used)| is_used.then_some(field.kind))
    };
    let reads = |is: fn(Part) -> bool| {
        used().any(|kind| matches!(kind, Kind::Text { part, .. } if is(part)))
    };
    let texts = Texts {
        method: room.alloc_str(request.method().as_str()).as_bytes(),
        version: version(request.version()),
        uri: match reads(is_of_uri) {
            true => UriText::new(request.uri(), request.headers(), from.is_tls, room),
            false => UriText::default(),
        },
        headers: match reads(is_of_headers) {
            true => Headers::new(request.headers(), fields, reads(is_all_headers), room),
            false => Headers::default(),
        },
        body: match reads(|part| part == Part::Body) {
            true => room.alloc_slice_copy(body.bytes),
            false => &[],
        },
    };
    let value = |kind| match kind {
        Kind::Text { part, is_decoded } => Value::Text(texts.text(part, is_decoded, room)),
        Kind::Address => Value::Address(from.address),
        Kind::IsTls => Value::Bool(from.is_tls),
        Kind::BodySize => Value::Number(i32::try_from(body.bytes.len()).unwrap_or(i32::MAX)),
        Kind::IsBodyTruncated => Value::Bool(body.is_truncated),
    };
    fields
        .all
        .iter()
        .zip(is_used)
        .map(|(field, is_used)| is_used.then(|| value(field.kind)))
        .collect()
}

const fn is_of_uri(part: Part) -> bool {
    matches!(
        part,
        Part::FullUri | Part::Host | Part::Uri | Part::Path | Part::Query
    )
}

const fn is_of_headers(part: Part) -> bool {
    matches!(part, Part::Headers | Part::Header(_))
}

fn is_all_headers(part: Part) -> bool {
    part == Part::Headers
}

const fn version(version: Version) -> &'static [u8] {
    match version {
        Version::HTTP_09 => b"HTTP/0.9",
        Version::HTTP_10 => b"HTTP/1.0",
        Version::HTTP_2 => b"HTTP/2",
        Version::HTTP_3 => b"HTTP/3",
        _ => b"HTTP/1.1",
    }
}

struct Texts<'a> {
    method: &'a [u8],
    version: &'a [u8],
    uri: UriText<'a>,
    headers: Headers<'a>,
    body: &'a [u8],
}

impl<'a> Texts<'a> {
    fn text(&self, part: Part, is_decoded: bool, room: &'a Bump) -> Text<'a> {
        let (whole, range) = self.range(part);
        let raw = &whole[range.clone()];
        Text {
            part,
            whole,
            range,
            seen: match is_decoded {
                true => percent::decode(raw, part == Part::Query, room),
                false => raw,
            },
            is_decoded,
        }
    }

    fn range(&self, part: Part) -> (&'a [u8], Range<usize>) {
        let uri = &self.uri;
        let end = uri.whole.len();
        match part {
            Part::Method => (self.method, 0..self.method.len()),
            Part::Version => (self.version, 0..self.version.len()),
            Part::FullUri => (uri.whole, 0..end),
            Part::Host => (uri.whole, uri.host..uri.path),
            Part::Uri => (uri.whole, uri.path..end),
            Part::Path => (uri.whole, uri.path..uri.path_end),
            Part::Query => (uri.whole, end.min(uri.path_end + 1)..end),
            Part::Headers => (self.headers.lines, 0..self.headers.lines.len()),
            Part::Header(number) => (self.headers.lines, self.headers.of(number)),
            Part::Body => (self.body, 0..self.body.len()),
        }
    }
}

/// The full URI, with the positions of its parts.
#[derive(Default)]
struct UriText<'a> {
    whole: &'a [u8],
    host: usize,
    path: usize,
    /// The position of the question mark, or the end.
    path_end: usize,
}

impl<'a> UriText<'a> {
    fn new(uri: &Uri, headers: &HeaderMap, is_tls: bool, room: &'a Bump) -> Self {
        let scheme: &[u8] = if is_tls { b"https://" } else { b"http://" };
        let host = match (uri.authority(), headers.get(HOST)) {
            (Some(authority), _) => authority.as_str().as_bytes(),
            (None, Some(host)) => host.as_bytes(),
            (None, None) => &[],
        };
        // The text of the URI is not used, since it may lack the path that is sent:
        // `http://host?query`.
        let local = uri.path().as_bytes();
        let (mark, query) = match uri.query() {
            Some(query) => (&b"?"[..], query.as_bytes()),
            None => (&b""[..], &b""[..]),
        };
        let path = scheme.len() + host.len();
        let size = path + local.len() + mark.len() + query.len();
        let mut whole = Bytes::with_capacity_in(size, room);
        for part in [scheme, host, local, mark, query] {
            whole.extend_from_slice_copy(part);
        }
        Self {
            whole: whole.into_bump_slice(),
            host: scheme.len(),
            path,
            path_end: path + local.len(),
        }
    }
}

/// Lines of `name: value`. Several values of a name form one line, joined as in RFC 9110, section
/// 5.3.
#[derive(Default)]
struct Headers<'a> {
    lines: &'a [u8],
    /// The range of the values of each header that has a field.
    ranges: Vec<Range<usize>>,
}

impl<'a> Headers<'a> {
    fn new(headers: &HeaderMap, fields: &Fields, with_others: bool, room: &'a Bump) -> Self {
        let mut lines = Bytes::new_in(room);
        let mut ranges = vec![0..0; fields.headers.len()];
        for name in headers.keys() {
            let number = fields.headers.iter().position(|wanted| wanted == name);
            if number.is_none() && !with_others {
                continue;
            }
            lines.extend_from_slice_copy(name.as_str().as_bytes());
            lines.extend_from_slice_copy(b": ");
            let start = lines.len();
            let separator: &[u8] = match *name == http::header::COOKIE {
                true => b"; ",
                false => b", ",
            };
            for (index, value) in headers.get_all(name).iter().enumerate() {
                if index > 0 {
                    lines.extend_from_slice_copy(separator);
                }
                lines.extend_from_slice_copy(value.as_bytes());
            }
            if let Some(number) = number {
                ranges[number] = start..lines.len();
            }
            lines.extend_from_slice_copy(b"\n");
        }
        Self {
            lines: lines.into_bump_slice(),
            ranges,
        }
    }

    /// Returns the range of a header, which is empty if the header is missing.
    fn of(&self, number: usize) -> Range<usize> {
        self.ranges.get(number).cloned().unwrap_or(0..0)
    }
}
