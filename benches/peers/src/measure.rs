//! Short samples of each candidate in turn, as noise comes in waves; medians, and the first candidate's speed over each other's.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use crate::Case;

/// How many samples of a case.
const SAMPLES: usize = 61;
/// How long a sample is.
const SAMPLE: Duration = Duration::from_millis(2);

pub(crate) fn print(cases: &mut [Case]) {
    let (rows, candidates) =
        (distinct(cases, |case| case.row.clone()), distinct(cases, |case| case.candidate.to_owned()));
    let others = candidates.iter().skip(1).map(|other| format!("{other} / {}", candidates[0]));
    let heads: Vec<String> = candidates.iter().map(|candidate| format!("{candidate}, us")).chain(others).collect();
    println!("| | {} |\n|---|{}", heads.join(" | "), "---:|".repeat(heads.len()));
    for row in rows {
        let mut of_row: Vec<&mut Case> = cases.iter_mut().filter(|case| case.row == row).collect();
        let medians = measure(&mut of_row);
        let value = |name: &String| of_row.iter().position(|case| case.candidate == name).map(|at| medians[at]);
        let values: Vec<Option<f64>> = candidates.iter().map(value).collect();
        let ratios = values.iter().skip(1).map(|other| Some((*other)? / values[0]?));
        let cells = values.iter().map(|value| cell(*value, 1)).chain(ratios.map(|ratio| cell(ratio, 2)));
        println!("| {row} | {} |", cells.collect::<Vec<_>>().join(" | "));
    }
}

/// Microseconds of each case, the cases by turns.
fn measure(cases: &mut [&mut Case]) -> Vec<f64> {
    let mut samples = vec![Vec::new(); cases.len()];
    for _ in 0..SAMPLES {
        for (case, samples) in cases.iter_mut().zip(&mut samples) {
            samples.push(sample(case));
        }
    }
    samples.iter_mut().map(|samples| median(samples)).collect()
}

fn sample(case: &mut Case) -> f64 {
    let (start, cpu, mut count) = (Instant::now(), cpu_seconds(), 0_u32);
    while start.elapsed() < SAMPLE {
        (case.run)();
        count += 1;
    }
    (cpu_seconds() - cpu) * 1e6 / f64::from(count)
}

/// The processor time of this thread.
fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn median(samples: &mut [f64]) -> f64 {
    samples.sort_by(f64::total_cmp);
    samples[samples.len() / 2]
}

fn distinct(cases: &[Case], name: impl Fn(&Case) -> String) -> Vec<String> {
    let mut names = Vec::new();
    for name in cases.iter().map(name) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

fn cell(value: Option<f64>, digits: usize) -> String {
    value.map_or_else(|| "-".to_owned(), |value| format!("{value:.digits$}"))
}
