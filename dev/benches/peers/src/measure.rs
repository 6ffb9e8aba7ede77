//! Takes short samples of each candidate in turn, since noise comes in waves. Prints the medians
//! of the times, and of their ratios to the row's first candidate in the same turn.

use std::time::{Duration, Instant};

use rustix::time::{ClockId, clock_gettime};

use crate::peer::Case;

/// The number of samples of a case.
const SAMPLES: usize = 41;
/// The shortest time of a sample.
const SAMPLE: Duration = Duration::from_millis(2);
/// The longest time of all samples of a case, unless that makes fewer than nine.
const CASE: Duration = Duration::from_secs(1);

pub(crate) fn print(cases: &mut [Case]) {
    let mut rows: Vec<String> = Vec::new();
    for case in &*cases {
        if !rows.contains(&case.row) {
            rows.push(case.row.clone());
        }
    }
    for row in rows {
        let mut of_row: Vec<&mut Case> = cases.iter_mut().filter(|case| case.row == row).collect();
        let samples = measure(&mut of_row);
        for (of_case, case) in samples.iter().zip(&of_row) {
            let us = median(of_case.iter().map(|us| us / case.records as f64));
            let ratio = median(
                of_case
                    .iter()
                    .zip(&samples[0])
                    .map(|(us, first)| us / first),
            );
            println!("{row}\t{}\t{us:.3}\t{ratio:.3}", case.candidate);
        }
    }
}

/// Returns the microseconds of each case's runs, with the cases in turn.
fn measure(cases: &mut [&mut Case]) -> Vec<Vec<f64>> {
    let mut samples = vec![Vec::new(); cases.len()];
    let start = Instant::now();
    for round in 0..SAMPLES {
        if round >= 9 && start.elapsed() > CASE * cases.len() as u32 {
            break;
        }
        for (case, samples) in cases.iter_mut().zip(&mut samples) {
            samples.push(sample(case));
        }
    }
    samples
}

fn sample(case: &mut Case) -> f64 {
    let (start, cpu, mut count) = (Instant::now(), cpu_seconds(), 0_u32);
    while start.elapsed() < SAMPLE {
        (case.run)();
        count += 1;
    }
    (cpu_seconds() - cpu) * 1e6 / f64::from(count)
}

/// Returns the processor time of this thread, since wall time says little on a shared machine.
fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

fn median(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
