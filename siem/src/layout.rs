//! The columns of a table that hold what the rules ask for, and those of results. A single document is
//! a table of one column.

use crate::{
    path::{FieldPath, Segment},
    rules::{OnField, ResultFormat, Rule, Rules, STATUS, Selector},
};

mod error;

pub use error::{ColumnKind, TableError};

/// The work on the rows of a table.
#[derive(Debug)]
pub(crate) struct Layout {
    pub(crate) targets: Vec<Target>,
    /// The number of columns of the table.
    pub(crate) columns: usize,
    /// The names of those that come after them.
    pub(crate) added: Vec<String>,
    /// The value that blobs are bound to; within, `None` if the table has no such column.
    pub(crate) aad: Option<Option<CellPath>>,
    pub(crate) origin: Vec<CellPath>,
    pub(crate) mode: OnField,
    pub(crate) form: ResultFormat,
    /// The byte between the cells, in a table of text.
    pub(crate) separator: Option<u8>,
    /// The rules that name a field for which there is no column, by their places.
    pub(crate) missing: Vec<usize>,
    /// As [`Rules::whole`].
    pub(crate) whole: Option<&'static str>,
    /// True if fields are sealed: then nothing may pass in the clear.
    pub(crate) seals: bool,
}

/// A column that something is looked for in.
#[derive(Debug)]
pub(crate) enum Target {
    Document(Document),
    Cell(Cell),
}

/// Cells are documents of JSON, and results go into them.
#[derive(Debug)]
pub(crate) struct Document {
    pub(crate) column: usize,
    pub(crate) rules: Rules,
    /// The place of each among all rules.
    pub(crate) places: Vec<usize>,
    /// True if a cell that is not JSON is a failure.
    pub(crate) must_parse: bool,
}

/// Cells are what was sealed, and results go into other columns.
#[derive(Debug)]
pub(crate) struct Cell {
    pub(crate) column: usize,
    /// The place of the rule that asks for it.
    pub(crate) rule: usize,
    /// The column of the result, which is `column` if it takes its place.
    pub(crate) result: usize,
    pub(crate) status: Option<usize>,
}

/// A value: a cell, or what is at a path within the document that it is.
#[derive(Debug)]
pub(crate) struct CellPath {
    pub(crate) column: usize,
    pub(crate) path: FieldPath,
}

impl Layout {
    /// Of records that are documents.
    pub(crate) fn document(rules: &Rules, seals: bool) -> Self {
        let spot = |path: &FieldPath| CellPath {
            column: 0,
            path: path.clone(),
        };
        Self {
            targets: vec![Target::Document(Document {
                column: 0,
                rules: rules.clone(),
                places: (0..rules.rules.len()).collect(),
                must_parse: true,
            })],
            columns: 1,
            added: Vec::new(),
            aad: rules.aad_from.as_ref().map(|path| Some(spot(path))),
            origin: rules.origin.iter().map(spot).collect(),
            mode: rules.mode,
            form: rules.form,
            separator: None,
            missing: Vec::new(),
            whole: rules.whole,
            seals,
        }
    }

    /// Of a table with columns of these names, of which several may have one name. A path begins with a
    /// column; if it ends there, the cell is what was sealed. Where there is no status, as in sealing,
    /// what has no column would pass in silence: then each rule must have one.
    ///
    /// # Errors
    /// If a rule has none, or two results would have one name.
    pub(crate) fn table(
        rules: &Rules,
        names: &[String],
        with_status: bool,
    ) -> Result<Self, TableError> {
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
        let is_cell = |column: usize| sealed.iter().any(|sealed| sealed.column == column);
        let documents = (0..names.len()).filter(|column| !is_cell(*column));
        layout.targets.extend(
            documents
                .filter_map(|column| document(column, &names[column], rules))
                .map(Target::Document),
        );
        Ok(layout)
    }

    fn without_targets(rules: &Rules, names: &[String], seals: bool) -> Self {
        let spot = |path: &FieldPath| spot(names, path);
        Self {
            targets: Vec::new(),
            columns: names.len(),
            added: Vec::new(),
            aad: rules.aad_from.as_ref().map(spot),
            origin: rules.origin.iter().filter_map(spot).collect(),
            mode: rules.mode,
            form: rules.form,
            separator: None,
            missing: missing(rules, names),
            whole: None,
            seals,
        }
    }

    /// Finds or adds the columns for what comes of a sealed one.
    fn cell(
        &mut self,
        names: &[String],
        sealed: &Sealed,
        called: &Called,
        with_status: bool,
        results: &mut Results,
    ) -> Result<Cell, TableError> {
        let mode = self.mode;
        let mut place = |name: &str, is_status| {
            let nth = results.nth(name, (sealed.rule, is_status))?;
            Ok(self.place(names, name, nth))
        };
        let result = match mode {
            OnField::Replace => sealed.column,
            _ => place(&called.result, false)?,
        };
        let status = with_status.then(|| place(&called.status, true));
        Ok(Cell {
            column: sealed.column,
            rule: sealed.rule,
            result,
            status: status.transpose()?,
        })
    }

    /// The number of columns, with those that are added.
    pub(crate) fn width(&self) -> usize {
        self.columns + self.added.len()
    }

    /// The column of this name, counted from 0 among those that have it; it is added if it is missing.
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

/// The names of results, each with its rule and whether it is a status.
#[derive(Default)]
struct Results(Vec<(String, (usize, bool))>);

impl Results {
    /// The number of those that have this name already: columns of one name give results of one name.
    ///
    /// # Errors
    /// If something else has the name.
    fn nth(&mut self, name: &str, of: (usize, bool)) -> Result<usize, TableError> {
        let same = || self.0.iter().filter(|(other, _)| other == name);
        if same().any(|(_, other)| *other != of) {
            let name = name.to_owned();
            return Err(TableError::OneName { name });
        }
        let nth = same().count();
        self.0.push((name.to_owned(), of));
        Ok(nth)
    }
}

/// A column of sealed cells.
struct Sealed {
    column: usize,
    rule: usize,
    into: String,
    /// The text before the field's own name in the column's, as in
    /// `Metadata.encrypted_matched_data`. The names of results begin so too if they would not
    /// differ otherwise.
    prefix: String,
}

/// The names of the columns that come of a sealed one.
struct Called {
    result: String,
    status: String,
}

/// The names of results. If several would have one name, each begins with what is before the field's name in its
/// own column's.
fn called(rules: &Rules, sealed: &[Sealed]) -> Vec<Called> {
    let first = |rule: &Rule| rule.into == rules.rules[0].into;
    let several = sealed.len() > 1 || !rules.rules.iter().all(first);
    let called = |Sealed { into, prefix, .. }: &Sealed| {
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
    };
    sealed.iter().map(called).collect()
}

/// The columns whose cells are what the rule asks for.
fn sealed(names: &[String], place: usize, rule: &Rule) -> Vec<Sealed> {
    let field = match &rule.find {
        Selector::Field(FieldPath(path)) => path.last().and_then(Segment::name),
        Selector::Pair(..) => None,
        Selector::Anywhere(field) => Some(*field),
    };
    let Some(field) = field else {
        return Vec::new();
    };
    let is_sought = |name: &str, prefix: &str| match &rule.find {
        Selector::Field(FieldPath(path)) => is_called(name, path),
        _ => is_prefix(prefix),
    };
    let sealed = |(column, name): (usize, &String)| {
        let prefix = [bare(name), name].into_iter();
        let prefix = prefix.filter_map(|name| name.strip_suffix(field)).next()?;
        is_sought(name, prefix).then(|| Sealed {
            column,
            rule: place,
            into: rule.into.clone(),
            prefix: prefix.to_owned(),
        })
    };
    names.iter().enumerate().filter_map(sealed).collect()
}

/// The rules that name a field for which there is no column, by their places.
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

/// The separators of the names of a path where tables have a column for each field.
const SEPARATORS: [&str; 3] = [".", "_", "/"];

fn is_prefix(prefix: &str) -> bool {
    prefix.is_empty()
        || SEPARATORS
            .iter()
            .any(|separator| prefix.ends_with(separator))
}

/// Returns whether a column has this name for what is at the path; blanks around it do not count.
pub(crate) fn is_called(name: &str, path: &[Segment]) -> bool {
    let flat = SEPARATORS
        .iter()
        .filter_map(|separator| flat(path, separator));
    flat.into_iter()
        .any(|flat| flat == name || flat == bare(name))
}

/// A name without blanks around it. Some have no width, such as the byte order marks of files that were
/// put together.
fn bare(name: &str) -> &str {
    name.trim_matches(|c: char| c.is_whitespace() || matches!(c, '\u{200b}' | '\u{feff}'))
}

/// The path as the name of a column.
fn flat(path: &[Segment], separator: &str) -> Option<String> {
    let names: Option<Vec<_>> = path.iter().map(Segment::name).collect();
    Some(names?.join(separator))
}

/// The rules that look for something within the cells of a column of this name.
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
                Selector::Anywhere(name) => Selector::Anywhere(name),
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
        // A cell is Unicode text.
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

/// The part of a path that is below a column of this name.
fn below(path: &FieldPath, name: &str) -> Option<FieldPath> {
    let mut splits = (1..=path.0.len()).map(|length| path.0.split_at(length));
    let (_, rest) = splits.find(|(before, _)| is_called(name, before))?;
    Some(FieldPath(rest.to_vec()))
}

/// The first column that a path begins with, and what of it leads on into the cells.
fn spot(names: &[String], path: &FieldPath) -> Option<CellPath> {
    (1..=path.0.len()).find_map(|length| {
        let (before, rest) = path.0.split_at(length);
        let column = names.iter().position(|name| is_called(name, before))?;
        Some(CellPath {
            column,
            path: FieldPath(rest.to_vec()),
        })
    })
}

/// The status of a cell that opened.
pub(crate) const fn opened(lossy: bool) -> &'static str {
    if lossy { "lossy" } else { "opened" }
}
