//! Runs every scenario twice, with different secrets, one instruction at a time, and compares the
//! addresses of all instructions: the path must be the same for every secret. It supports
//! AVX-512, which Valgrind does not; it does not see addresses of data. `run` starts it, and may
//! name back ends and algorithms.
//!
//! The processor's trap flag sends the process a signal after each instruction, and the process
//! counts them itself. A second process that follows it (ptrace) takes twice as long.

use std::{
    arch::asm,
    collections::BTreeSet,
    fs::File,
    io::{Read, Write},
    mem,
    os::fd::FromRawFd,
    process::ExitCode,
    ptr,
    sync::atomic::{AtomicU64, Ordering::Relaxed},
    time::Instant,
};

use constant_time::{Group, Scenario, Watcher, groups, self_tests};
use pqseal_kem_pq::bike::params;

fn main() -> ExitCode {
    let groups = groups(&[&params::L1]);
    let chosen = match Chosen::new(&groups, std::env::args().skip(1)) {
        Ok(chosen) => chosen,
        Err(why) => {
            eprintln!("{why}");
            return ExitCode::FAILURE;
        }
    };
    let mut count = Count::default();
    let [blind, by_branch, by_address] = self_tests();
    count.tell(&blind, true);
    count.tell(&by_branch, false);
    // The trace sees no addresses of data. memcheck sees them, and `dev/ct/assembly` finds
    // gathers.
    count.tell(&by_address, true);
    for group in groups.iter().filter(|group| chosen.has(group)) {
        if group.available {
            for scenario in &group.scenarios {
                count.tell(scenario, true);
            }
        } else {
            count.lacks(group, chosen.names_backend(group));
        }
    }
    count.end()
}

/// The chosen groups: those of the back ends and of the algorithms that were named.
struct Chosen {
    backends: Vec<String>,
    algorithms: Vec<String>,
}

impl Chosen {
    fn new(groups: &[Group], names: impl Iterator<Item = String>) -> Result<Self, String> {
        let (backends, algorithms): (Vec<_>, Vec<_>) =
            names.partition(|name| groups.iter().any(|group| group.backend == *name));
        let chosen = Self {
            backends,
            algorithms,
        };
        let unknown = chosen.algorithms.iter().find(|name| {
            let mut groups = groups.iter();
            !groups.any(|group| group.algorithm.eq_ignore_ascii_case(name))
        });
        match unknown {
            None => Ok(chosen),
            Some(unknown) => {
                let backends: BTreeSet<_> = groups.iter().map(|group| group.backend).collect();
                let algorithms: BTreeSet<_> = groups.iter().map(|group| group.algorithm).collect();
                Err(format!(
                    "no such back end or algorithm: {unknown}; there are {backends:?} and {algorithms:?}"
                ))
            }
        }
    }

    fn names_backend(&self, group: &Group) -> bool {
        self.backends.iter().any(|name| name == group.backend)
    }

    fn has(&self, group: &Group) -> bool {
        let mut algorithms = self.algorithms.iter();
        let algorithm = algorithms.any(|name| group.algorithm.eq_ignore_ascii_case(name));
        let backend = match self.backends.is_empty() {
            // The portable back ends take ten times the steps, and memcheck sees them.
            true => group.backend != "portable",
            false => self.names_backend(group),
        };
        backend && (algorithm || self.algorithms.is_empty())
    }
}

#[derive(Default)]
struct Count {
    passed: usize,
    failed: usize,
    /// Back ends that the machine lacks.
    lacking: Vec<String>,
}

impl Count {
    fn tell(&mut self, scenario: &Scenario, expected_same: bool) {
        let start = Instant::now();
        let (a, b) = (path(scenario, 7), path(scenario, 99));
        let same = a == b && a.steps > 0;
        let right = same == expected_same;
        let word = if right { "ok  " } else { "FAIL" };
        let (steps, seconds) = (a.steps, start.elapsed().as_secs());
        println!(
            "{word} {}: {steps} and {} steps, {}, {seconds} s",
            scenario.name,
            b.steps,
            if same { "one path" } else { "two paths" }
        );
        *if right {
            &mut self.passed
        } else {
            &mut self.failed
        } += 1;
    }

    /// Counts a back end that this machine lacks, as a failure if it was asked for.
    fn lacks(&mut self, group: &Group, is_asked_for: bool) {
        let what = format!("{} on {}", group.algorithm, group.backend);
        println!(
            "{} {what}: not run, this machine lacks the instructions",
            if is_asked_for { "FAIL" } else { "----" }
        );
        self.failed += usize::from(is_asked_for);
        self.lacking.push(what);
    }

    fn end(self) -> ExitCode {
        if !self.lacking.is_empty() {
            println!("not run on this machine: {}", self.lacking.join(", "));
        }
        println!("{} passed, {} failed", self.passed, self.failed);
        ExitCode::from(u8::from(self.failed > 0))
    }
}

/// The number of executed instructions, and a hash of their addresses.
#[derive(PartialEq, Eq)]
struct Path {
    steps: u64,
    hash: u64,
}

static STEPS: AtomicU64 = AtomicU64::new(0);
static HASH: AtomicU64 = AtomicU64::new(0xcbf2_9ce4_8422_2325);

struct Traced;

impl Watcher for Traced {
    fn secret(&self, _: &mut [u8]) {}
    fn public(&self, _: &mut [u8]) {}

    fn watch(&self, operation: &mut dyn FnMut() -> Vec<u8>) {
        // The first run performs lazy initialization.
        let warm = operation();
        breakpoint();
        let result = operation();
        breakpoint();
        assert_eq!(warm, result);
    }
}

/// Starts or ends watching.
fn breakpoint() {
    // SAFETY: it raises a signal, for which `trapped` has been installed.
    unsafe { asm!("int3") };
}

/// Handles the signal of a breakpoint, or of a watched instruction.
extern "C" fn trapped(_: libc::c_int, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    const TRAP_FLAG: i64 = 1 << 8;
    // SAFETY: the kernel passes valid pointers to a handler that was installed with SA_SIGINFO.
    let (info, context) = unsafe { (&*info, &mut *context.cast::<libc::ucontext_t>()) };
    let registers = &mut context.uc_mcontext.gregs;
    // The kernel sends it for int3.
    if info.si_code == libc::SI_KERNEL {
        registers[libc::REG_EFL as usize] ^= TRAP_FLAG;
    } else {
        let address = registers[libc::REG_RIP as usize].cast_unsigned();
        STEPS.store(STEPS.load(Relaxed) + 1, Relaxed);
        HASH.store(
            (HASH.load(Relaxed) ^ address).wrapping_mul(0x100_0000_01b3),
            Relaxed,
        );
    }
}

/// Returns the path of a scenario in a separate process. All processes that this one forks have
/// the same addresses.
fn path(scenario: &Scenario, number: u8) -> Path {
    let mut ends = [0; 2];
    // SAFETY: two descriptors are written.
    assert_eq!(
        unsafe { libc::pipe(ends.as_mut_ptr()) },
        0,
        "no pipe can be made"
    );
    // SAFETY: both are open, and owned from here on.
    let [mut reader, mut writer] = ends.map(|end| unsafe { File::from_raw_fd(end) });
    // SAFETY: this process has one thread; the child runs the scenario and ends.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        watch_traps();
        (scenario.run)(&Traced, number);
        let written = [&STEPS, &HASH]
            .iter()
            .all(|word| writer.write_all(&word.load(Relaxed).to_le_bytes()).is_ok());
        // SAFETY: ends without the parent's exit handlers.
        unsafe { libc::_exit(i32::from(!written)) };
    }
    assert!(pid > 0, "no process can be started");
    drop(writer);
    let mut words = [[0; 8]; 2];
    let read = reader.read_exact(words.as_flattened_mut());
    let mut status = 0;
    // SAFETY: the child is ours; the status is written.
    unsafe { libc::waitpid(pid, &mut status, 0) };
    assert!(
        read.is_ok() && status == 0,
        "the scenario ended early: {status:#x}"
    );
    let [steps, hash] = words.map(u64::from_le_bytes);
    Path { steps, hash }
}

fn watch_traps() {
    // SAFETY: zeros are a valid value of this plain structure; the handler touches only atomics
    // and its own context.
    unsafe {
        let mut action: libc::sigaction = mem::zeroed();
        let handler: extern "C" fn(libc::c_int, *mut libc::siginfo_t, *mut libc::c_void) = trapped;
        action.sa_sigaction = handler as libc::sighandler_t;
        action.sa_flags = libc::SA_SIGINFO;
        assert_eq!(
            libc::sigaction(libc::SIGTRAP, &action, ptr::null_mut()),
            0,
            "no handler can be set"
        );
    }
}
