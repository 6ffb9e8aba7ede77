//! Measurement of candidates in turn. Prints their medians and ratios as a table.
//!
//! Noise comes in waves, so nothing is measured in one go. A process takes a short sample of each
//! candidate, many times over. Each back end needs a separate process, and these take turns too.

pub(crate) mod ours;

use std::{
    collections::BTreeMap,
    env,
    hint::black_box,
    process::Command,
    time::{Duration, Instant},
};

use pqseal_kem_pq::Backend;

/// One operation of one implementation.
pub(crate) struct Case {
    pub(crate) kem: &'static str,
    pub(crate) operation: &'static str,
    pub(crate) candidate: &'static str,
    pub(crate) run: Box<dyn FnMut()>,
}

/// Takes a result, so that the compiler must compute it.
pub(crate) fn keep<T>(result: T) {
    let _ = black_box(result);
}

/// The number of processes that measure each back end.
const PROCESSES: usize = 7;
/// The number of samples per case and process.
const SAMPLES: usize = 21;
/// The duration of a sample.
const SAMPLE: Duration = Duration::from_millis(1);

/// The variable that marks a measuring process, and names its back end.
const CHILD: &str = "PQSEAL_BENCH_CHILD";

/// The nanoseconds of one operation in one column, keyed in the order of the cases.
type Results = BTreeMap<(usize, String), Vec<f64>>;

/// Starts the processes and prints the table, or runs as one of them. Keys are made on the back end
/// that is measured, so the cases are only made then.
pub(crate) fn main(cases: impl FnOnce() -> Vec<Case>) {
    if let Ok(name) = env::var(CHILD) {
        let backend = Backend::from_name(&name).expect("the name of a back end");
        backend.choose().expect("one that this machine has");
        return measure(&mut cases())
            .iter()
            .for_each(|nanoseconds| println!("{nanoseconds}"));
    }
    let cases = cases();
    let backends: Vec<&Backend> = Backend::ALL
        .iter()
        .filter(|backend| backend.is_available())
        .rev()
        .collect();
    let mut results = Results::new();
    for _ in 0..PROCESSES {
        for backend in &backends {
            add(&mut results, &cases, backend.name(), &child(backend));
        }
    }
    print_table(&rows(&cases), &columns(&cases, &backends), &mut results);
}

/// Returns the output of a process on this back end.
fn child(backend: &Backend) -> String {
    let mut command = Command::new(env::current_exe().expect("the path of this program"));
    let output = command
        .args(env::args().skip(1))
        .env(CHILD, backend.name())
        .output();
    let output = output.expect("this program starts a second time");
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    String::from_utf8(output.stdout).expect("numbers")
}

/// Returns the median of each case.
fn measure(cases: &mut [Case]) -> Vec<f64> {
    let repeats: Vec<u32> = cases.iter_mut().map(repeats_of).collect();
    let mut samples = vec![Vec::new(); cases.len()];
    for _ in 0..SAMPLES {
        for ((case, repeats), samples) in cases.iter_mut().zip(&repeats).zip(&mut samples) {
            samples.push(time(case, *repeats).as_secs_f64() * 1e9 / f64::from(*repeats));
        }
    }
    samples.iter_mut().map(|samples| median(samples)).collect()
}

/// Returns the number of calls that fill a sample.
fn repeats_of(case: &mut Case) -> u32 {
    time(case, 8);
    let one = time(case, 8) / 8;
    (1..100_000)
        .find(|repeats| one * *repeats >= SAMPLE)
        .unwrap_or(1)
}

fn time(case: &mut Case, repeats: u32) -> Duration {
    let start = Instant::now();
    (0..repeats).for_each(|_| (case.run)());
    start.elapsed()
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn add(results: &mut Results, cases: &[Case], backend: &str, printed: &str) {
    let rows = rows(cases);
    assert_eq!(printed.lines().count(), cases.len(), "a line a case");
    for (case, line) in cases.iter().zip(printed.lines()) {
        let row = rows
            .iter()
            .position(|row| *row == (case.kem, case.operation))
            .expect("rows are made of the cases");
        results
            .entry((row, column(case, backend)))
            .or_default()
            .push(line.parse().expect("a number"));
    }
}

/// Returns the column of a case. Ours are named after the back end, others after the candidate.
fn column(case: &Case, backend: &str) -> String {
    if case.candidate == ours::NAME {
        backend.to_owned()
    } else {
        case.candidate.to_owned()
    }
}

fn rows(cases: &[Case]) -> Vec<(&'static str, &'static str)> {
    let mut rows = Vec::new();
    for case in cases {
        if !rows.contains(&(case.kem, case.operation)) {
            rows.push((case.kem, case.operation));
        }
    }
    rows
}

/// Returns our back ends, the best first, and then the others.
fn columns(cases: &[Case], backends: &[&Backend]) -> Vec<String> {
    let mut columns: Vec<String> = backends
        .iter()
        .map(|backend| backend.name().to_owned())
        .collect();
    for case in cases.iter().filter(|case| case.candidate != ours::NAME) {
        if !columns.iter().any(|column| column == case.candidate) {
            columns.push(case.candidate.to_owned());
        }
    }
    columns
}

/// Prints the microseconds of each column, and the first column's divided by each other's: below 1
/// the first is faster.
fn print_table(rows: &[(&str, &str)], columns: &[String], results: &mut Results) {
    let ratios = columns[1..]
        .iter()
        .map(|column| format!("{} / {column}", columns[0]));
    let heads: Vec<String> = columns
        .iter()
        .map(|column| format!("{column}, us"))
        .chain(ratios)
        .collect();
    println!("| KEM | operation | {} |", heads.join(" | "));
    println!("|---|---|{}", "---:|".repeat(heads.len()));
    for (row, (kem, operation)) in rows.iter().enumerate() {
        let mut value = |column: &String| {
            results
                .get_mut(&(row, column.clone()))
                .map(|values| median(values) / 1e3)
        };
        let values: Vec<Option<f64>> = columns.iter().map(&mut value).collect();
        let ratios = values[1..].iter().map(|other| Some(values[0]? / (*other)?));
        let cells = values
            .iter()
            .map(|value| cell(*value, 1))
            .chain(ratios.map(|ratio| cell(ratio, 2)));
        println!(
            "| {kem} | {operation} | {} |",
            cells.collect::<Vec<_>>().join(" | ")
        );
    }
}

fn cell(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
}
