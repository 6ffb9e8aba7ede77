//! The values of a document around the arrays of its events, for programs that show events as the
//! rows of a table.

use alloc::{string::String, vec, vec::Vec};
use core::{iter, ops::Range};

use super::{Event, Node, Scanner, decode_bytes};

/// The longest prefix of a name in bytes. Each event would repeat a longer one.
const MAX_PREFIX: usize = 500;
/// The maximum depth of items of arrays that are separate scopes.
const MAX_DEPTH: usize = 64;

/// A value around events: the document, or an item of an array in it.
pub struct Scope {
    /// Its range.
    pub range: Range<usize>,
    /// The names that lead to it, each with a dot, unless they are too long.
    pub prefix: Option<String>,
    /// The index of the scope around it.
    outer: Option<usize>,
}

/// The values around events.
///
/// ```
/// use pqseal_records::json::Around;
///
/// let document = br#"{"zones":[{"name":"a","events":[{"x":1}]}]}"#;
/// let around = Around::new(document, &[32..39]);
/// let scopes: Vec<_> = around.outwards(around.of_events[0]).collect();
/// let prefixes: Vec<_> = scopes.iter().map(|scope| around.scopes[*scope].prefix.as_deref()).collect();
/// assert_eq!(prefixes, [Some("zones."), Some("")]);
/// assert_eq!(&document[around.scopes[scopes[0]].range.clone()], br#"{"name":"a","events":[{"x":1}]}"#);
/// ```
pub struct Around {
    /// The arrays of events, in order.
    pub arrays: Vec<Range<usize>>,
    /// The scopes. The first one is the document.
    pub scopes: Vec<Scope>,
    /// The innermost scope of each event.
    pub of_events: Vec<usize>,
}

/// An object or array that has not ended.
struct Open {
    start: usize,
    /// The name of its current member.
    key: Range<usize>,
    /// Its scope, or that around it, once it has an event.
    scope: usize,
    has_events: bool,
}

impl Around {
    /// Finds the values around the events of a valid document, which are in order.
    pub fn new(document: &[u8], events: &[Range<usize>]) -> Self {
        let document_scope = Scope {
            range: Node::root(document).range,
            prefix: Some(String::new()),
            outer: None,
        };
        let mut around = Self {
            arrays: Vec::new(),
            scopes: vec![document_scope],
            of_events: Vec::new(),
        };
        let (mut open, mut resolved) = (Vec::<Open>::new(), 0);
        let mut starts = events.iter().map(|event| event.start).peekable();
        for event in Scanner::new(document).map_while(Result::ok) {
            match event {
                Event::Begin(start) => {
                    if starts.next_if_eq(&start).is_some() {
                        around.resolve(document, &mut open, &mut resolved);
                    }
                    open.push(Open {
                        start,
                        key: 0..0,
                        scope: 0,
                        has_events: false,
                    });
                }
                Event::Key(key) => {
                    if let Some(object) = open.last_mut() {
                        object.key = key;
                    }
                }
                Event::Scalar(_) => {}
                Event::End(value) => {
                    let ended = open.pop();
                    resolved = resolved.min(open.len());
                    around.end(document, ended, value);
                }
            }
        }
        around
    }

    /// Gives the open containers their scopes, and an event that of the innermost.
    fn resolve(&mut self, document: &[u8], open: &mut [Open], resolved: &mut usize) {
        for at in *resolved..open.len() {
            let outer = at.checked_sub(1).map(|outer| &open[outer]);
            let scope = match outer {
                Some(outer) if at <= MAX_DEPTH && document[outer.start] == b'[' => {
                    let prefix = self.prefix(document, &open[..at]);
                    self.scopes.push(Scope {
                        range: open[at].start..document.len(),
                        prefix,
                        outer: Some(outer.scope),
                    });
                    self.scopes.len() - 1
                }
                Some(outer) => outer.scope,
                None => 0,
            };
            open[at].scope = scope;
        }
        *resolved = open.len();
        let innermost = open.last_mut();
        self.of_events.push(innermost.map_or(0, |innermost| {
            innermost.has_events = true;
            innermost.scope
        }));
    }

    /// Returns the names that lead to an item of the innermost of these containers.
    fn prefix(&self, document: &[u8], open: &[Open]) -> Option<String> {
        let scope = open.last()?.scope;
        let mut prefix = self.scopes[scope].prefix.clone()?;
        let first = self.scopes[scope].range.start;
        let inside = open.iter().skip_while(|open| open.start < first);
        for object in inside.filter(|open| document[open.start] == b'{') {
            let name = decode_bytes(document.get(object.key.clone())?)?;
            prefix.push_str(&String::from_utf8_lossy(&name));
            prefix.push('.');
            if prefix.len() > MAX_PREFIX {
                return None;
            }
        }
        Some(prefix)
    }

    fn end(&mut self, document: &[u8], ended: Option<Open>, value: Range<usize>) {
        let Some(ended) = ended else { return };
        if ended.has_events && document[ended.start] == b'[' {
            self.arrays.push(value.clone());
        }
        if let Some(scope) = self.scopes.get_mut(ended.scope)
            && scope.range.start == ended.start
        {
            scope.range.end = value.end;
        }
    }

    /// Returns the scope and those around it.
    pub fn outwards(&self, scope: usize) -> impl Iterator<Item = usize> {
        iter::successors(Some(scope), |scope| self.scopes[*scope].outer)
    }
}

#[cfg(test)]
mod tests {
    use alloc::{format, string::ToString};

    use super::*;

    /// Returns the prefixes and values around each event, which is `{"x":1}`.
    fn around(document: &str) -> Vec<Vec<(Option<String>, String)>> {
        let starts = document.match_indices("{\"x\":1}");
        let events: Vec<_> = starts.map(|(at, event)| at..at + event.len()).collect();
        let around = Around::new(document.as_bytes(), &events);
        assert_eq!(around.of_events.len(), events.len());
        let value = |scope: usize| {
            let Scope { range, prefix, .. } = &around.scopes[scope];
            (prefix.clone(), document[range.clone()].to_string())
        };
        let of_event = |scope: &usize| around.outwards(*scope).map(value).collect();
        around.of_events.iter().map(of_event).collect()
    }

    #[test]
    fn items_around_an_array_are_scopes() {
        let root = |document: &str| (Some(String::new()), document.trim().to_string());
        let document = r#" {"a":{"list":[{"x":1},{"x":1}]}} "#;
        assert_eq!(around(document), vec![vec![root(document)]; 2]);
        let document = r#"{"z":[{"y":{"e":[{"x":1}]}},{"e":[[2,{"x":1}]]}]}"#;
        let item = |prefix: &str, text: &str| (Some(prefix.to_string()), text.to_string());
        let expected = [
            vec![item("z.", r#"{"y":{"e":[{"x":1}]}}"#), root(document)],
            vec![
                item("z.e.", r#"[2,{"x":1}]"#),
                item("z.", r#"{"e":[[2,{"x":1}]]}"#),
                root(document),
            ],
        ];
        assert_eq!(around(document), expected);
    }

    #[test]
    fn long_names_and_deep_arrays_have_no_scopes() {
        let document = format!(r#"{{"{}":[{{"e":[{{"x":1}}]}}]}}"#, "n".repeat(501));
        let prefixes: Vec<_> = around(&document)[0]
            .iter()
            .map(|(prefix, _)| prefix.clone())
            .collect();
        assert_eq!(prefixes, [None, Some(String::new())]);
        let deep = 1_000;
        let event = [r#"{"x":1}"#; 10].join(",");
        let document = format!("{}{event}{}", "[".repeat(deep), "]".repeat(deep));
        let all = around(&document);
        assert!(all.len() == 10 && all[0].len() == MAX_DEPTH + 1);
    }
}
