//! Runs every scenario twice, with other secrets, one instruction at a time, and compares the addresses of all instructions: whatever
//! the secret is, the path must be the same. Sees AVX-512 too, which Valgrind does not; sees no addresses of data. Started by `run`.

use std::{arch::asm, mem, process::ExitCode, time::Instant};

use constant_time::{Scenario, Watcher, bike, self_tests, x25519};
use kem_pq::{Backend, bike::params};

fn main() -> ExitCode {
    let (mut passed, mut failed) = (0, 0);
    let mut tell = |scenario: &Scenario, expected_same: bool| {
        let start = Instant::now();
        let (a, b) = (path(scenario, 7), path(scenario, 99));
        let same = a == b && a.steps > 0;
        let word = if same == expected_same { "ok  " } else { "FAIL" };
        let (steps, seconds) = (a.steps, start.elapsed().as_secs());
        println!(
            "{word} {}: {steps} and {} steps, {}, {seconds} s",
            scenario.name,
            b.steps,
            if same { "one path" } else { "two paths" }
        );
        *if same == expected_same { &mut passed } else { &mut failed } += 1;
    };
    let [blind, leaking] = self_tests();
    tell(&blind, true);
    tell(&leaking, false);
    x25519().iter().for_each(|scenario| tell(scenario, true));
    // The portable back end takes ten times the steps, and memcheck sees it.
    for backend in Backend::ALL.iter().filter(|backend| **backend != Backend::Portable) {
        match backend.is_available() {
            true => bike(&params::L1, *backend).iter().for_each(|scenario| tell(scenario, true)),
            false => println!("not here: {}", backend.name()),
        }
    }
    println!("{passed} passed, {failed} failed");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// How many instructions ran, and a hash of where they lie.
#[derive(PartialEq, Eq)]
struct Path {
    steps: u64,
    hash: u64,
}

struct Traced;

impl Watcher for Traced {
    fn secret(&self, _: &mut [u8]) {}
    fn public(&self, _: &mut [u8]) {}

    fn watch(&self, operation: &mut dyn FnMut() -> Vec<u8>) {
        // What is looked up once is looked up now.
        let warm = operation();
        breakpoint();
        let result = operation();
        breakpoint();
        assert_eq!(warm, result);
    }
}

/// Tells the tracer that what follows is watched, or no more.
fn breakpoint() {
    // SAFETY: stops the process, which is traced, and does nothing else.
    unsafe { asm!("int3") };
}

/// The path of a scenario in a process of its own, which has the same addresses as any other that this one forks.
fn path(scenario: &Scenario, number: u8) -> Path {
    // SAFETY: this process has one thread; the child runs the scenario and ends.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        // SAFETY: asks to be traced by the parent, which is this program.
        unsafe { libc::ptrace(libc::PTRACE_TRACEME, 0, 0, 0) };
        (scenario.run)(&Traced, number);
        // SAFETY: ends without the parent's exit handlers.
        unsafe { libc::_exit(0) };
    }
    assert!(pid > 0, "no process can be started");
    follow(pid)
}

fn follow(pid: libc::pid_t) -> Path {
    let (mut path, mut watching) = (Path { steps: 0, hash: 0xcbf2_9ce4_8422_2325 }, false);
    while let Some(stop) = wait(pid) {
        match stop {
            Stop::Breakpoint => watching = !watching,
            Stop::Step(address) => {
                path.steps += 1;
                path.hash = (path.hash ^ address).wrapping_mul(0x100_0000_01b3);
            }
        }
        let how = if watching { libc::PTRACE_SINGLESTEP } else { libc::PTRACE_CONT };
        // SAFETY: the child is stopped, and goes on.
        unsafe { libc::ptrace(how, pid, 0, 0) };
    }
    path
}

enum Stop {
    Breakpoint,
    Step(u64),
}

/// The next stop of the child; none when it has ended.
fn wait(pid: libc::pid_t) -> Option<Stop> {
    let mut status = 0;
    // SAFETY: the child is ours; the status is written.
    unsafe { libc::waitpid(pid, &mut status, 0) };
    if libc::WIFEXITED(status) {
        assert_eq!(libc::WEXITSTATUS(status), 0);
        return None;
    }
    assert!(
        libc::WIFSTOPPED(status) && libc::WSTOPSIG(status) == libc::SIGTRAP,
        "the scenario ended early: {status:#x}"
    );
    // SAFETY: plain structures for which zeros are a value, and which the calls fill.
    let (mut registers, mut signal): (libc::user_regs_struct, libc::siginfo_t) = unsafe { mem::zeroed() };
    // SAFETY: the child is stopped.
    unsafe {
        libc::ptrace(libc::PTRACE_GETREGS, pid, 0, &mut registers);
        libc::ptrace(libc::PTRACE_GETSIGINFO, pid, 0, &mut signal);
    }
    // The kernel sends it for int3.
    Some(if signal.si_code == libc::SI_KERNEL { Stop::Breakpoint } else { Stop::Step(registers.rip) })
}
