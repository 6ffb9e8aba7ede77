//! Runs every scenario under Valgrind's memcheck with its secrets marked as undefined. memcheck
//! then reports each branch and each address that depends on one. `run` starts it, and chooses the
//! portable back ends (`words`) or the others (`vectors`).

use std::{arch::asm, hint::black_box, process::ExitCode};

use constant_time::{Scenario, Watcher, groups, key_generation, self_tests};
use pqseal_kem_pq::{Backend, bike::params};

/// Requests of valgrind.h and memcheck.h.
const RUNNING_ON_VALGRIND: u64 = 0x1001;
const COUNT_ERRORS: u64 = 0x1201;
const MEMCHECK: u64 = (b'M' as u64) << 24 | (b'C' as u64) << 16;
const MAKE_MEM_UNDEFINED: u64 = MEMCHECK + 1;
const MAKE_MEM_DEFINED: u64 = MEMCHECK + 2;
const GET_VBITS: u64 = MEMCHECK + 8;

fn main() -> ExitCode {
    if request(RUNNING_ON_VALGRIND, [0; 3]) == 0 {
        eprintln!("this has to run under valgrind: dev/ct/run memcheck");
        return ExitCode::FAILURE;
    }
    let portable = match std::env::args().nth(1).as_deref() {
        Some("words") => {
            // This is for ML-KEM, whose keys are expanded for the back end of the process.
            Backend::Portable.choose().expect("it is everywhere");
            true
        }
        Some("vectors") => false,
        _ => {
            eprintln!("say which: words or vectors");
            return ExitCode::FAILURE;
        }
    };
    let mut count = Count::default();
    let [blind, leaking @ ..] = self_tests();
    let none = reports(&blind);
    count.tell(&blind, none, none == 0);
    for leaking in &leaking {
        let some = reports(leaking);
        count.tell(leaking, some, some > 0);
    }
    for group in groups(&params::ALL)
        .iter()
        .chain(&key_generation())
        .filter(|group| (group.backend == "portable") == portable)
    {
        // Valgrind hides instructions that it cannot run, such as AVX-512.
        if !group.available {
            println!("not here: {}, {}", group.algorithm, group.backend);
            continue;
        }
        for scenario in &group.scenarios {
            let reports = reports(scenario);
            count.tell(scenario, reports, reports == 0);
        }
    }
    println!("{} passed, {} failed", count.passed, count.failed);
    if count.failed == 0 {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

#[derive(Default)]
struct Count {
    passed: usize,
    failed: usize,
}

impl Count {
    fn tell(&mut self, scenario: &Scenario, reports: u64, right: bool) {
        println!(
            "{} {}: {reports} reports",
            if right { "ok  " } else { "FAIL" },
            scenario.name
        );
        *if right {
            &mut self.passed
        } else {
            &mut self.failed
        } += 1;
    }
}

/// Returns the number of memcheck's reports for a scenario.
fn reports(scenario: &Scenario) -> u64 {
    let before = request(COUNT_ERRORS, [0; 3]);
    (scenario.run)(&Memcheck, 7);
    request(COUNT_ERRORS, [0; 3]) - before
}

struct Memcheck;

impl Watcher for Memcheck {
    fn secret(&self, bytes: &mut [u8]) {
        request(
            MAKE_MEM_UNDEFINED,
            [bytes.as_mut_ptr() as u64, bytes.len() as u64, 0],
        );
        black_box(bytes);
    }

    fn public(&self, bytes: &mut [u8]) {
        request(
            MAKE_MEM_DEFINED,
            [bytes.as_mut_ptr() as u64, bytes.len() as u64, 0],
        );
        black_box(bytes);
    }

    /// Runs the operation. All reports count, also those of earlier code. If the result does not
    /// depend on the secret, nothing was watched.
    fn watch(&self, operation: &mut dyn FnMut() -> Vec<u8>) {
        let mut result = operation();
        let mut undefined = vec![0u8; result.len()];
        let arguments = [
            result.as_ptr() as u64,
            undefined.as_mut_ptr() as u64,
            result.len() as u64,
        ];
        assert_eq!(
            request(GET_VBITS, arguments),
            1,
            "valgrind tells of these bytes"
        );
        black_box(&mut undefined);
        assert!(
            undefined.iter().any(|bits| *bits != 0),
            "the result does not depend on the secret"
        );
        self.public(&mut result);
    }
}

/// Sends a client request: a sequence that does nothing, which Valgrind recognises (valgrind.h).
#[inline(never)]
fn request(code: u64, [a, b, c]: [u64; 3]) -> u64 {
    let arguments = [code, a, b, c, 0, 0];
    let mut result = 0u64;
    // SAFETY: the rotations cancel out, and the exchange is of a register with itself. Under
    // Valgrind the request reads the six words at rax, reads or writes memory that the arguments
    // name, which is the callers', and answers in rdx.
    unsafe {
        asm!(
            "rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51", "xchg rbx, rbx",
            inout("rdx") result, in("rax") arguments.as_ptr(), out("rdi") _,
        );
    }
    black_box(&mut result);
    result
}
