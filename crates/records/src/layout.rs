//! The columns that rules read from a table, and the columns of results. A single document is a
//! table with one column. A field that a rule names is called sealed here, even when it is still to
//! be sealed.

use alloc::{borrow::ToOwned, format, string::String, vec, vec::Vec};

use crate::{
    ALL,
    path::{FieldPath, Segment},
    rules::{JsonValues, OnField, ResultFormat, Rule, Rules, STATUS, Selector},
};

mod error;

pub use error::{ColumnKind, TableError};

/// The columns of a table that are read and written, and how.
#[derive(Debug)]
pub struct Layout {
    /// The columns that are searched.
    pub targets: Vec<Target>,
    /// The number of columns of the table.
    pub columns: usize,
    /// The names of the columns that are appended.
    pub added: Vec<String>,
    /// The value that blobs are bound to. The inner `None` means that the table has no such column.
    pub aad: Option<Option<CellPath>>,
    /// The values that name the origin of a record.
    pub origin: Vec<CellPath>,
    /// The treatment of sealed fields.
    pub mode: OnField,
    /// The format of results.
    pub form: ResultFormat,
    /// The delimiter of the cells, in a table of text.
    pub separator: Option<u8>,
    /// The indexes of the rules that name a field for which there is no column.
    pub missing: Vec<usize>,
    /// The value of [`Rules::whole`].
    pub whole: Option<&'static str>,
    /// The treatment of fields that are JSON other than a string.
    pub json: JsonValues,
    /// The value of [`Rules::apart`].
    pub apart: Option<FieldPath>,
    /// The value of [`Rules::again`].
    pub again: bool,
    /// Set if fields are sealed, so that no plaintext may pass.
    pub seals: bool,
}

/// A column that is searched.
#[derive(Debug)]
pub enum Target {
    /// A column of documents.
    Document(Document),
    /// A column of sealed fields.
    Cell(Cell),
}

/// A column whose cells are JSON documents, which also take the results.
#[derive(Debug)]
pub struct Document {
    /// The column.
    pub column: usize,
    /// The rules for the document.
    pub rules: Rules,
    /// The index of each rule among all rules.
    pub places: Vec<usize>,
    /// Set if a cell that is not JSON is a failure.
    pub must_parse: bool,
}

/// A column whose cells are sealed, with results in other columns.
#[derive(Debug)]
pub struct Cell {
    /// The column.
    pub column: usize,
    /// The index of the rule that names it.
    pub rule: usize,
    /// The column of the result, or `column` if the result replaces the cell.
    pub result: usize,
    /// The column of the status.
    pub status: Option<usize>,
}

/// The location of a value: a cell, or a path within the document in the cell.
#[derive(Debug)]
pub struct CellPath {
    /// The column.
    pub column: usize,
    /// The path in its document; empty for the cell itself.
    pub path: FieldPath,
}

impl Target {
    /// Returns the column that is searched.
    pub const fn column(&self) -> usize {
        match self {
            Self::Document(document) => document.column,
            Self::Cell(cell) => cell.column,
        }
    }

    /// Returns all columns that the target reads or writes.
    pub fn columns(&self) -> impl Iterator<Item = usize> + use<> {
        let others = match self {
            Self::Document(_) => [None; 2],
            Self::Cell(cell) => [Some(cell.result), cell.status],
        };
        core::iter::once(self.column()).chain(others.into_iter().flatten())
    }
}

impl Layout {
    /// Returns the layout of records that are documents.
    pub fn document(rules: &Rules, seals: bool) -> Self {
        Self {
            targets: vec![Target::Document(Document {
                column: 0,
                rules: rules.clone(),
                places: (0..rules.rules.len()).collect(),
                must_parse: true,
            })],
            columns: 1,
            added: Vec::new(),
            aad: rules.aad_from.as_ref().map(|path| Some(in_document(path))),
            origin: rules.origin.iter().map(in_document).collect(),
            mode: rules.mode,
            form: rules.form,
            separator: None,
            missing: Vec::new(),
            whole: rules.whole,
            json: rules.json,
            apart: rules.apart.clone().filter(|_| !seals),
            again: rules.again,
            seals,
        }
    }

    /// Returns the layout of a table with columns of these names, which may repeat. A path begins
    /// with the name of a column. If it ends there, the cell is the sealed field. `with_status` is
    /// set when opening. When sealing, each rule must have a column, since no status is written
    /// that could report a missing one.
    ///
    /// # Errors
    /// An error if a rule has no column, two results would have the same name, or results replace
    /// records.
    pub fn table(rules: &Rules, names: &[String], with_status: bool) -> Result<Self, TableError> {
        if rules.apart.is_some() && with_status {
            return Err(TableError::Apart);
        }
        if rules.is_otlp() {
            return Err(TableError::Otlp);
        }
        let mut all = rules.rules.iter();
        if let Some(rule) = all.find(|rule| !with_status && !has_column(names, rule)) {
            let into = rule.into.clone();
            return Err(TableError::NoColumn { into });
        }
        let all = rules.rules.iter().enumerate();
        let sealed: Vec<_> = all
            .flat_map(|(place, rule)| sealed(names, place, rule))
            .collect();
        let mut layout = Self::without_targets(rules, names, !with_status);
        let mut results = Results::default();
        for (sealed, called) in sealed.iter().zip(called(rules, &sealed)) {
            let cell = layout.cell(names, sealed, &called, with_status, &mut results)?;
            layout.targets.push(Target::Cell(cell));
        }
        let documents =
            (0..names.len()).filter(|column| sealed.iter().all(|sealed| sealed.column != *column));
        layout.targets.extend(
            documents
                .filter_map(|column| document(column, &names[column], rules))
                .map(Target::Document),
        );
        Ok(layout)
    }

    fn without_targets(rules: &Rules, names: &[String], seals: bool) -> Self {
        Self {
            targets: Vec::new(),
            columns: names.len(),
            added: Vec::new(),
            aad: rules.aad_from.as_ref().map(|path| cell_path(names, path)),
            origin: rules
                .origin
                .iter()
                .filter_map(|path| cell_path(names, path))
                .collect(),
            mode: rules.mode,
            form: rules.form,
            separator: None,
            missing: missing(rules, names),
            whole: None,
            json: rules.json,
            apart: None,
            again: rules.again,
            seals,
        }
    }

    /// Finds or adds the columns for the results of a sealed column.
    fn cell(
        &mut self,
        names: &[String],
        sealed: &Sealed,
        called: &Called,
        with_status: bool,
        results: &mut Results,
    ) -> Result<Cell, TableError> {
        let (column, rule) = (sealed.column, sealed.rule);
        let result = match self.mode {
            OnField::Replace => column,
            _ => {
                let nth = results.nth(&called.result, (rule, false))?;
                self.place(names, &called.result, nth)
            }
        };
        let status = match with_status {
            true => {
                let nth = results.nth(&called.status, (rule, true))?;
                Some(self.place(names, &called.status, nth))
            }
            false => None,
        };
        Ok(Cell {
            column,
            rule,
            result,
            status,
        })
    }

    /// Reports whether fields are sealed.
    pub(crate) const fn is_sealing(&self) -> bool {
        ALL && self.seals
    }

    /// Returns the delimiter of a table of text.
    pub(crate) const fn delimiter(&self) -> Option<u8> {
        if ALL { self.separator } else { None }
    }

    /// Returns the number of columns, including the added ones.
    pub fn width(&self) -> usize {
        self.columns + self.added.len()
    }

    /// Returns the `nth` column of this name, counted from 0. It is added if it does not exist.
    fn place(&mut self, names: &[String], name: &str, nth: usize) -> usize {
        let columns = names.iter().enumerate();
        let mut there = columns.filter(|(_, column)| *column == name);
        if let Some((column, _)) = there.nth(nth) {
            return column;
        }
        self.added.push(name.to_owned());
        self.columns + self.added.len() - 1
    }
}

/// The names of results, each with its rule, and `true` if it is the name of a status.
#[derive(Default)]
struct Results(Vec<(String, (usize, bool))>);

impl Results {
    /// Returns the number of results that already have this name, since columns of one name give
    /// results of one name.
    ///
    /// # Errors
    /// An error if another rule or kind of result uses the name.
    fn nth(&mut self, name: &str, of: (usize, bool)) -> Result<usize, TableError> {
        let same = self.0.iter().filter(|(other, _)| other == name);
        if same.clone().any(|(_, other)| *other != of) {
            let name = name.to_owned();
            return Err(TableError::OneName { name });
        }
        let nth = same.count();
        self.0.push((name.to_owned(), of));
        Ok(nth)
    }
}

/// A column of sealed cells.
struct Sealed {
    column: usize,
    rule: usize,
    into: String,
    /// The text before the field's name in the column's name, as in
    /// `Metadata.encrypted_matched_data`. It is also put before the names of results that would
    /// otherwise be equal.
    prefix: String,
}

/// The names of the result columns of a sealed column.
struct Called {
    result: String,
    status: String,
}

/// Returns the names of results. If several would have the same name, each gets the prefix of its
/// column.
fn called(rules: &Rules, sealed: &[Sealed]) -> Vec<Called> {
    let first = rules.rules.first().map(|rule| &rule.into);
    let several = sealed.len() > 1 || rules.rules.iter().any(|rule| Some(&rule.into) != first);
    let called = sealed.iter().map(|Sealed { into, prefix, .. }| {
        let is_only = sealed.iter().filter(|other| other.into == *into).count() == 1;
        let result = match is_only {
            true => into.clone(),
            false => format!("{prefix}{into}"),
        };
        let status = match several {
            true => format!("{result}_status"),
            false => STATUS.to_owned(),
        };
        Called { result, status }
    });
    called.collect()
}

/// Returns the columns whose cells are the fields that the rule names.
fn sealed(names: &[String], place: usize, rule: &Rule) -> Vec<Sealed> {
    let field = match &rule.find {
        Selector::Field(FieldPath(path)) => path.last().and_then(Segment::name),
        Selector::Pair(..) | Selector::Otlp(_) => None,
        Selector::Anywhere(field) => Some(&**field),
    };
    let Some(field) = field else {
        return Vec::new();
    };
    let sealed = names.iter().enumerate().filter_map(|(column, name)| {
        let prefix = before_field(name, field)?;
        let is_sought = match &rule.find {
            Selector::Field(FieldPath(path)) => is_called(name, path),
            _ => is_prefix(prefix),
        };
        is_sought.then(|| Sealed {
            column,
            rule: place,
            into: rule.into.clone(),
            prefix: prefix.to_owned(),
        })
    });
    sealed.collect()
}

/// Returns the indexes of the rules that name a field for which there is no column.
fn missing(rules: &Rules, names: &[String]) -> Vec<usize> {
    let rules = rules.rules.iter().enumerate();
    rules
        .filter(|(_, rule)| matches!(rule.find, Selector::Field(_)) && !has_column(names, rule))
        .map(|(place, _)| place)
        .collect()
}

fn has_column(names: &[String], rule: &Rule) -> bool {
    let alone = Rules {
        rules: vec![rule.clone()],
        ..Rules::default()
    };
    !sealed(names, 0, rule).is_empty()
        || names.iter().any(|name| document(0, name, &alone).is_some())
}

/// The separators of the names of a path in tables that have a column for each field.
const SEPARATORS: [&str; 3] = [".", "_", "/"];

/// Returns the text before a field's name in a column's name.
fn before_field<'n>(name: &'n str, field: &str) -> Option<&'n str> {
    let names = [bare(name), name].into_iter();
    names.filter_map(|name| name.strip_suffix(field)).next()
}

/// Reports whether the cells of a column of this name are the field, wherever it is sought.
pub(crate) fn is_column_of(name: &str, field: &str) -> bool {
    before_field(name, field).is_some_and(is_prefix)
}

fn is_prefix(prefix: &str) -> bool {
    prefix.is_empty()
        || SEPARATORS
            .iter()
            .any(|separator| prefix.ends_with(separator))
}

/// Reports whether a column with this name contains the field at the path. Blanks around the name
/// are ignored.
pub fn is_called(name: &str, path: &[Segment]) -> bool {
    let flat = SEPARATORS
        .iter()
        .filter_map(|separator| flat(path, separator));
    flat.into_iter()
        .any(|flat| flat == name || flat == bare(name))
}

/// Returns a name without blanks around it. Some have no width, such as the byte order marks of
/// concatenated files.
fn bare(name: &str) -> &str {
    name.trim_matches(|c: char| c.is_whitespace() || matches!(c, '\u{200b}' | '\u{feff}'))
}

/// Returns the path as the name of a column.
fn flat(path: &[Segment], separator: &str) -> Option<String> {
    let names: Option<Vec<_>> = path.iter().map(Segment::name).collect();
    Some(names?.join(separator))
}

/// Returns the document with the rules that search within the cells of a column of this name.
fn document(column: usize, name: &str, rules: &Rules) -> Option<Document> {
    let (places, within): (Vec<_>, Vec<_>) = rules
        .rules
        .iter()
        .enumerate()
        .filter_map(|(place, rule)| {
            let find = match &rule.find {
                Selector::Field(path) => {
                    Selector::Field(below(path, name).filter(|rest| !rest.0.is_empty())?)
                }
                Selector::Pair(path, key) => Selector::Pair(below(path, name)?, key),
                Selector::Anywhere(name) => Selector::Anywhere(name.clone()),
                Selector::Otlp(_) => return None,
            };
            let into = rule.into.clone();
            Some((place, Rule { find, into }))
        })
        .unzip();
    let must_parse = within
        .iter()
        .any(|rule| !matches!(rule.find, Selector::Anywhere(_)));
    let rules = Rules {
        rules: within,
        aad_from: None,
        origin: Vec::new(),
        // A cell is Unicode text, so it cannot hold all bytes that the exact format keeps.
        form: match rules.form {
            ResultFormat::Exact => ResultFormat::Json,
            form => form,
        },
        ..rules.clone()
    };
    (!rules.rules.is_empty()).then_some(Document {
        column,
        rules,
        places,
        must_parse,
    })
}

/// Returns the part of a path that is below a column of this name.
fn below(path: &FieldPath, name: &str) -> Option<FieldPath> {
    let mut splits = (1..=path.0.len()).map(|length| path.0.split_at(length));
    let (_, rest) = splits.find(|(before, _)| is_called(name, before))?;
    Some(FieldPath(rest.to_vec()))
}

/// Returns the location at a path in the only column.
fn in_document(path: &FieldPath) -> CellPath {
    CellPath {
        column: 0,
        path: path.clone(),
    }
}

/// Returns the first column that is a prefix of the path, with the rest of the path within its
/// cells.
fn cell_path(names: &[String], path: &FieldPath) -> Option<CellPath> {
    (1..=path.0.len()).find_map(|length| {
        let (before, rest) = path.0.split_at(length);
        let column = names.iter().position(|name| is_called(name, before))?;
        Some(CellPath {
            column,
            path: FieldPath(rest.to_vec()),
        })
    })
}

/// Returns the status of a cell that was opened.
pub const fn opened(lossy: bool) -> &'static str {
    if lossy { "lossy" } else { "opened" }
}
