//! Checks of the machine and this build: known answers, back ends, rounding, randomness, clock,
//! core dumps.

use std::{
    hint::black_box,
    iter,
    time::{SystemTime, UNIX_EPOCH},
};

use getrandom::SysRng;
use pqseal_hpke::rand_core::TryRng;
use pqseal_keys::{BackendUse, backends, on_each_backend, self_test};

use super::Report;

use crate::{date, error::Error, process};

const ABOUT: &str = "this machine";

/// The earliest plausible time, 2026-01-01.
const EARLIEST: u64 = 1_767_225_600;

/// Runs every check of the machine.
pub(super) fn examine(report: &mut Report) -> Result<(), Error> {
    report.ok(ABOUT, "version", env!("CARGO_PKG_VERSION"))?;
    report.ok(ABOUT, "libraries", &libraries())?;
    report.ok(ABOUT, "processor", &processor())?;
    report.ok(ABOUT, "back ends", &back_ends())?;
    known_answers(report)?;
    rounding(report)?;
    randomness(report)?;
    clock(report)?;
    core_dumps(report)
}

fn libraries() -> String {
    process::libraries()
        .map(|(what, library)| format!("{what}: {library}"))
        .collect::<Vec<_>>()
        .join("; ")
}

/// Lists the processor, and its instructions that a back end may use.
fn processor() -> String {
    let found = instructions().into_iter().filter(|(_, has)| *has);
    let names: Vec<_> = iter::once(std::env::consts::ARCH)
        .chain(found.map(|(name, _)| name))
        .collect();
    names.join(" ")
}

#[cfg(target_arch = "x86_64")]
fn instructions() -> [(&'static str, bool); 9] {
    [
        ("avx2", is_x86_feature_detected!("avx2")),
        ("fma", is_x86_feature_detected!("fma")),
        ("bmi2", is_x86_feature_detected!("bmi2")),
        ("pclmulqdq", is_x86_feature_detected!("pclmulqdq")),
        ("vpclmulqdq", is_x86_feature_detected!("vpclmulqdq")),
        ("avx512f", is_x86_feature_detected!("avx512f")),
        ("avx512ifma", is_x86_feature_detected!("avx512ifma")),
        ("sha", is_x86_feature_detected!("sha")),
        ("aes", is_x86_feature_detected!("aes")),
    ]
}

#[cfg(target_arch = "aarch64")]
fn instructions() -> [(&'static str, bool); 5] {
    use std::arch::is_aarch64_feature_detected;
    [
        ("neon", is_aarch64_feature_detected!("neon")),
        ("aes", is_aarch64_feature_detected!("aes")),
        ("pmull", is_aarch64_feature_detected!("pmull")),
        ("sha2", is_aarch64_feature_detected!("sha2")),
        ("sha3", is_aarch64_feature_detected!("sha3")),
    ]
}

#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
fn instructions() -> [(&'static str, bool); 0] {
    []
}

fn back_ends() -> String {
    let all = backends();
    let chosen = all.iter().filter(|backend| !backend.chosen_for.is_empty());
    let text =
        |backend: &BackendUse| format!("{} ({})", backend.name, backend.chosen_for.join(", "));
    let chosen: Vec<_> = chosen.map(text).collect();
    let has = all.iter().filter(|backend| backend.is_available);
    let has: Vec<_> = has.map(|backend| backend.name).collect();
    format!("{}; this machine has {}", chosen.join(", "), has.join(", "))
}

fn known_answers(report: &mut Report) -> Result<(), Error> {
    let mut passed = Vec::new();
    for (backend, answers) in on_each_backend(self_test) {
        let wrong: Vec<_> = answers.iter().filter(|answer| !answer.passed).collect();
        let wrong: Vec<_> = wrong.iter().map(|answer| answer.name.as_str()).collect();
        if wrong.is_empty() {
            passed.push(format!("{backend} {}", answers.len()));
        } else {
            let text = format!(
                "on the back end {backend} these are wrong: {}; set PQSEAL_BACKEND=portable, and report this",
                wrong.join(", ")
            );
            report.problem(ABOUT, "known answers", "wrong_answer", &text)?;
        }
    }
    match passed.is_empty() {
        true => Ok(()),
        false => report.ok(
            ABOUT,
            "known answers",
            &format!("all are right: {}", passed.join(", ")),
        ),
    }
}

/// Checks the rounding mode. Only to nearest, a quarter of the last bit disappears, and three
/// quarters become one.
fn rounding(report: &mut Report) -> Result<(), Error> {
    let (one, bit) = (black_box(1.0_f64), black_box(f64::EPSILON));
    let nearest =
        one + bit / 4.0 == one && -one - bit / 4.0 == -one && one + bit * 3.0 / 4.0 == one + bit;
    if nearest {
        report.ok(ABOUT, "rounding", "to nearest")
    } else {
        report.note(
            ABOUT,
            "rounding",
            "rounding",
            "not to nearest: X25519 uses integers, which are slower",
        )
    }
}

fn randomness(report: &mut Report) -> Result<(), Error> {
    let mut drawn = [[0; 32]; 2];
    let drew = drawn
        .iter_mut()
        .try_for_each(|bytes| SysRng.try_fill_bytes(bytes));
    match drew {
        Ok(()) if drawn[0] != drawn[1] => {
            report.ok(ABOUT, "randomness", "the operating system provides it")
        }
        Ok(()) => report.problem(
            ABOUT,
            "randomness",
            "rng",
            "the operating system gave the same bytes twice; make no keys on this machine",
        ),
        Err(error) => report.problem(
            ABOUT,
            "randomness",
            "rng",
            &format!("the operating system provides none: {error}"),
        ),
    }
}

fn clock(report: &mut Report) -> Result<(), Error> {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = now.map_or(0, |now| now.as_secs());
    if now >= EARLIEST {
        report.ok(ABOUT, "clock", &format!("set, {}", date::now()))
    } else {
        report.problem(
            ABOUT,
            "clock",
            "clock",
            "it is before 2026; set it, since --min-age and certificates depend on it",
        )
    }
}

fn core_dumps(report: &mut Report) -> Result<(), Error> {
    if process::are_core_dumps_off() {
        report.ok(ABOUT, "core dumps", "off, so no core dump can hold a key")
    } else {
        report.note(
            ABOUT,
            "core dumps",
            "core_dumps",
            "may be on; a core dump would hold keys and plaintext",
        )
    }
}
