//! The fields that a rule can read, under the names of Cloudflare's rules language.
//!
//! The parser has no maps, so `http.request.headers["x-name"]` is the field
//! `http.request.headers.x_name` here. `http.request.headers` is one text with all headers.

use http::HeaderName;
use wirefilter::{Scheme, Type};

/// A part of a request that is a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Method,
    Version,
    /// Scheme, host, path and query.
    FullUri,
    Host,
    /// Path and query.
    Uri,
    Path,
    Query,
    /// A line for each name, with its values.
    Headers,
    /// The values of one name: its number in [`Fields::headers`].
    Header(usize),
    Body,
}

/// The kind of a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A text. If `is_decoded`, the rule sees it percent-decoded. It is always logged as it
    /// was received.
    Text {
        part: Part,
        is_decoded: bool,
    },
    Address,
    IsTls,
    BodySize,
    IsBodyTruncated,
}

/// A field.
#[derive(Debug)]
pub(crate) struct Field {
    pub(crate) name: String,
    pub(crate) kind: Kind,
}

/// All fields that the rules of one list may name.
#[derive(Debug)]
pub(crate) struct Fields {
    pub(crate) all: Vec<Field>,
    /// The headers that have a field.
    pub(crate) headers: Vec<HeaderName>,
}

/// The fields that always exist, except those for headers.
const FIXED: [(&str, Kind); 18] = [
    ("http.request.method", plain(Part::Method)),
    ("http.request.version", plain(Part::Version)),
    ("http.request.full_uri", decoded(Part::FullUri)),
    ("http.request.uri", decoded(Part::Uri)),
    ("http.request.uri.path", decoded(Part::Path)),
    ("http.request.uri.query", decoded(Part::Query)),
    ("raw.http.request.full_uri", plain(Part::FullUri)),
    ("raw.http.request.uri", plain(Part::Uri)),
    ("raw.http.request.uri.path", plain(Part::Path)),
    ("raw.http.request.uri.query", plain(Part::Query)),
    ("http.host", plain(Part::Host)),
    ("http.request.headers", plain(Part::Headers)),
    ("http.request.body.raw", plain(Part::Body)),
    ("http.request.body.size", Kind::BodySize),
    ("http.request.body.truncated", Kind::IsBodyTruncated),
    ("ip.src", Kind::Address),
    ("ssl", Kind::IsTls),
    // An older name of `ip.src`.
    ("ip.addr", Kind::Address),
];

/// The headers that have a field name without `request`.
const NAMED: [(&str, HeaderName); 4] = [
    ("http.cookie", http::header::COOKIE),
    ("http.referer", http::header::REFERER),
    ("http.user_agent", http::header::USER_AGENT),
    (
        "http.x_forwarded_for",
        HeaderName::from_static("x-forwarded-for"),
    ),
];

/// The prefix of the field name of a header.
const HEADER: &str = "http.request.headers.";

const fn plain(part: Part) -> Kind {
    Kind::Text {
        part,
        is_decoded: false,
    }
}

const fn decoded(part: Part) -> Kind {
    Kind::Text {
        part,
        is_decoded: true,
    }
}

impl Part {
    /// Reports whether `other` is a proper part of this one.
    pub(crate) const fn contains(self, other: Self) -> bool {
        matches!(
            (self, other),
            (
                Self::FullUri,
                Self::Host | Self::Uri | Self::Path | Self::Query
            ) | (Self::Uri, Self::Path | Self::Query)
                | (Self::Headers, Self::Header(_))
        )
    }
}

impl Kind {
    pub(crate) const fn value_type(self) -> Type {
        match self {
            Self::Text { .. } => Type::Bytes,
            Self::Address => Type::Ip,
            Self::IsTls | Self::IsBodyTruncated => Type::Bool,
            Self::BodySize => Type::Int,
        }
    }
}

impl Fields {
    /// Creates the fields for these expressions, with one more for each header that they
    /// name.
    pub(crate) fn of<'e>(expressions: impl Iterator<Item = &'e str>) -> Self {
        let fixed = FIXED.map(|(name, kind)| Field {
            name: name.to_owned(),
            kind,
        });
        let mut fields = Self {
            all: fixed.into(),
            headers: Vec::new(),
        };
        for (name, header) in NAMED {
            fields.add(name, header);
        }
        for name in expressions.flat_map(names) {
            let header = name[HEADER.len()..].replace('_', "-");
            if let Ok(header) = HeaderName::try_from(header) {
                fields.add(name, header);
            }
        }
        fields
    }

    fn add(&mut self, name: &str, header: HeaderName) {
        if self.all.iter().any(|field| field.name == name) {
            return;
        }
        let known = self.headers.iter().position(|known| *known == header);
        let number = known.unwrap_or_else(|| {
            self.headers.push(header);
            self.headers.len() - 1
        });
        self.all.push(Field {
            name: name.to_owned(),
            kind: plain(Part::Header(number)),
        });
    }

    /// Returns the fields as the parser wants them.
    pub(crate) fn scheme(&self) -> Scheme {
        let mut scheme = Scheme::with_capacity(self.all.len());
        for field in &self.all {
            let added = scheme.add_field(field.name.clone(), field.kind.value_type());
            added.expect("no name is there twice");
        }
        scheme
    }

    pub(crate) fn number(&self, name: &str) -> Option<usize> {
        self.all.iter().position(|field| field.name == name)
    }
}

/// Returns the header fields that an expression names, including any that occur only inside
/// strings.
fn names(expression: &str) -> impl Iterator<Item = &str> {
    expression
        .split(|letter: char| !(letter.is_ascii_alphanumeric() || matches!(letter, '_' | '.')))
        .filter(|word| word.len() > HEADER.len() && word.starts_with(HEADER))
}
