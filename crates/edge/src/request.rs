//! The data of a request that rules read, laid out once. Parts of a text are ranges of it, so that
//! a match in a part can be located in the whole.

use std::{
    borrow::Cow,
    net::{IpAddr, Ipv4Addr},
    ops::Range,
};

use http::{HeaderMap, Request, Uri, Version, header::HOST};

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
    pub(crate) seen: Cow<'a, [u8]>,
    is_decoded: bool,
}

impl<'a> Text<'a> {
    pub(crate) fn raw(&self) -> &'a [u8] {
        &self.whole[self.range.clone()]
    }

    /// Returns the range in the whole text of a match in the text that rules see.
    pub(crate) fn place(&self, found: Range<usize>) -> Range<usize> {
        self.position(found.start)..self.position(found.end)
    }

    /// Returns the position in the whole text of a position in the text that rules see.
    fn position(&self, seen: usize) -> usize {
        self.range.start
            + match self.is_decoded {
                true => percent::place(self.raw(), self.part == Part::Query, seen),
                false => seen,
            }
    }
}

/// The data of a request that rules read.
pub(crate) struct Parts<'r> {
    method: &'r [u8],
    version: &'static [u8],
    uri: UriText,
    headers: Headers,
    body: Body<'r>,
    from: Connection,
}

impl<'r> Parts<'r> {
    /// Lays out the parts that the fields which `is_used` selects need.
    pub(crate) fn new<B>(
        fields: &Fields,
        is_used: &[bool],
        request: &'r Request<B>,
        body: Body<'r>,
        from: Connection,
    ) -> Self {
        let reads_uri = reads(fields, is_used, |part| {
            matches!(
                part,
                Part::FullUri | Part::Host | Part::Uri | Part::Path | Part::Query
            )
        });
        let reads_all_headers = reads(fields, is_used, |part| part == Part::Headers);
        let reads_a_header = reads(fields, is_used, |part| matches!(part, Part::Header(_)));
        Self {
            method: request.method().as_str().as_bytes(),
            version: version(request.version()),
            uri: match reads_uri {
                true => UriText::new(request.uri(), request.headers(), from.is_tls),
                false => UriText::default(),
            },
            headers: match reads_all_headers || reads_a_header {
                true => Headers::new(request.headers(), fields, reads_all_headers),
                false => Headers::default(),
            },
            body,
            from,
        }
    }

    /// Returns the values of the fields that `is_used` selects, and `None` for the others.
    pub(crate) fn values(&self, fields: &Fields, is_used: &[bool]) -> Vec<Option<Value<'_>>> {
        let fields = fields.all.iter().zip(is_used);
        fields
            .map(|(field, is_used)| is_used.then(|| self.value(field.kind)))
            .collect()
    }

    fn value(&self, kind: Kind) -> Value<'_> {
        match kind {
            Kind::Text { part, is_decoded } => Value::Text(self.text(part, is_decoded)),
            Kind::Address => Value::Address(self.from.address),
            Kind::IsTls => Value::Bool(self.from.is_tls),
            Kind::BodySize => {
                Value::Number(i32::try_from(self.body.bytes.len()).unwrap_or(i32::MAX))
            }
            Kind::IsBodyTruncated => Value::Bool(self.body.is_truncated),
        }
    }

    fn text(&self, part: Part, is_decoded: bool) -> Text<'_> {
        let (whole, range) = self.range(part);
        let raw = &whole[range.clone()];
        Text {
            part,
            whole,
            range,
            seen: match is_decoded {
                true => percent::decode(raw, part == Part::Query),
                false => raw.into(),
            },
            is_decoded,
        }
    }

    fn range(&self, part: Part) -> (&[u8], Range<usize>) {
        let (uri, lines) = (&self.uri, &self.headers.lines[..]);
        let end = uri.whole.len();
        match part {
            Part::Method => (self.method, 0..self.method.len()),
            Part::Version => (self.version, 0..self.version.len()),
            Part::FullUri => (&uri.whole, 0..end),
            Part::Host => (&uri.whole, uri.host..uri.path),
            Part::Uri => (&uri.whole, uri.path..end),
            Part::Path => (&uri.whole, uri.path..uri.path_end),
            Part::Query => (&uri.whole, end.min(uri.path_end + 1)..end),
            Part::Headers => (lines, 0..lines.len()),
            Part::Header(number) => (lines, self.headers.of(number)),
            Part::Body => (self.body.bytes, 0..self.body.bytes.len()),
        }
    }
}

/// Reports whether a field that is used is a text of such a part.
fn reads(fields: &Fields, is_used: &[bool], is: impl Fn(Part) -> bool) -> bool {
    let mut fields = fields.all.iter().zip(is_used);
    fields.any(|(field, is_used)| {
        *is_used && matches!(field.kind, Kind::Text { part, .. } if is(part))
    })
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

/// The full URI, with the positions of its parts.
#[derive(Default)]
struct UriText {
    whole: Vec<u8>,
    host: usize,
    path: usize,
    /// The position of the question mark, or the end.
    path_end: usize,
}

impl UriText {
    fn new(uri: &Uri, headers: &HeaderMap, is_tls: bool) -> Self {
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
        Self {
            whole: [scheme, host, local, mark, query].concat(),
            host: scheme.len(),
            path,
            path_end: path + local.len(),
        }
    }
}

/// Lines of `name: value`. Several values of a name form one line, joined as in RFC 9110, section
/// 5.3.
#[derive(Default)]
struct Headers {
    lines: Vec<u8>,
    /// The range of the values of each header that has a field.
    ranges: Vec<Range<usize>>,
}

impl Headers {
    fn new(headers: &HeaderMap, fields: &Fields, with_others: bool) -> Self {
        let mut lines = Vec::new();
        let mut ranges = vec![0..0; fields.headers.len()];
        for name in headers.keys() {
            let number = fields.headers.iter().position(|wanted| wanted == name);
            if number.is_none() && !with_others {
                continue;
            }
            lines.extend_from_slice(name.as_str().as_bytes());
            lines.extend_from_slice(b": ");
            let start = lines.len();
            let separator: &[u8] = match *name == http::header::COOKIE {
                true => b"; ",
                false => b", ",
            };
            for (index, value) in headers.get_all(name).iter().enumerate() {
                if index > 0 {
                    lines.extend_from_slice(separator);
                }
                lines.extend_from_slice(value.as_bytes());
            }
            if let Some(number) = number {
                ranges[number] = start..lines.len();
            }
            lines.extend_from_slice(b"\n");
        }
        Self { lines, ranges }
    }

    /// Returns the range of a header, which is empty if the header is missing.
    fn of(&self, number: usize) -> Range<usize> {
        self.ranges.get(number).cloned().unwrap_or(0..0)
    }
}
