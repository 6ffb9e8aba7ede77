//! What a user should know of an input, although the run goes on.

use crate::looks;

/// Something that was noticed in an input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warning {
    /// What programs tell warnings apart by.
    pub code: &'static str,
    /// A sentence about the input, which does not name it. It may hold text of the input.
    pub message: String,
    /// The place of the rule that found nothing, if that is what was noticed: then something that
    /// was asked for was not done.
    pub rule: Option<usize>,
}

impl Warning {
    /// After a gzip, as tapes and some copiers pad them.
    pub(crate) fn trailing_zeros(count: u64) -> Self {
        Self::new(
            "trailing_zeros",
            format!("{count} zero bytes after the end of the gzip data were ignored"),
        )
    }

    /// None of its records is JSON; `first` is how the first one begins.
    pub(crate) fn not_json(first: &[u8]) -> Self {
        let message = match looks::like(first) {
            Some(looks) => format!("no record is JSON: it looks like {looks}"),
            None => {
                let start: String = String::from_utf8_lossy(first).chars().take(40).collect();
                format!("no record is JSON: the first one begins with `{start}`")
            }
        };
        Self::new("not_json", message)
    }

    /// A table has no column for the rule at this place, which asks for a field of this name.
    pub(crate) fn no_column(rule: usize, field: &str, columns: &[String]) -> Self {
        let (shown, more) = columns.split_at(columns.len().min(SHOWN));
        let more = match more.len() {
            0 => String::new(),
            count => format!(" and {count} more"),
        };
        let hint = columns_hint(columns).unwrap_or_default();
        let shown = shown.join(", ");
        let field = field.trim_start_matches('.');
        let message = format!("no column is called {field}; its columns are {shown}{more}{hint}");
        Self {
            rule: Some(rule),
            ..Self::new("no_column", message)
        }
    }

    /// A table whose only column seems to be several.
    pub(crate) fn separator(columns: &[String]) -> Option<Self> {
        let hint = columns_hint(columns)?;
        let message = format!("its header is one column{hint}");
        Some(Self::new("separator", message))
    }

    fn new(code: &'static str, message: String) -> Self {
        Self {
            code,
            message,
            rule: None,
        }
    }
}

/// How many columns of a table a warning lists.
const SHOWN: usize = 10;

fn columns_hint(columns: &[String]) -> Option<String> {
    match columns {
        [only] => looks::header(only.as_bytes()).map(|looks| format!("; it looks like {looks}")),
        _ => None,
    }
}
