//! Searches the memory of a process for secrets after each operation on them. Anything that holds
//! a secret must wipe it, also where it moves.
//!
//! `cargo test -p zeroization --test zeroization`. The last line is `N passed, N failed`.
//!
//! A process makes a [`World`](world::World) and prints it with its secrets masked. For each
//! operation another process reads it, performs the operation and scans all its writable memory.
//! It prints the names of the secrets that it finds, not their bytes.

mod draws;
mod masked;
mod memory;
mod operations;
mod world;

use std::{
    env,
    io::{self, Read, Write},
    iter,
    num::NonZero,
    process::{Command, ExitCode, Stdio},
    sync::atomic::{AtomicUsize, Ordering},
    thread,
};

use backend_from_env as _;

use masked::Found;
use operations::OPERATIONS;
use world::{Choice, World};

fn main() -> ExitCode {
    let arguments: Vec<_> = env::args().skip(1).collect();
    match arguments.first().map(String::as_str) {
        Some("make") => print!(
            "{}",
            World::make(Choice::all()[number(&arguments[1])]).write()
        ),
        Some("scan") => print(&scan(
            Choice::all()[number(&arguments[1])],
            OPERATIONS[number(&arguments[2])].run,
        )),
        Some("plant") => print(&scan(Choice::all()[0], plant)),
        _ => return run_all(),
    }
    ExitCode::SUCCESS
}

fn number(argument: &str) -> usize {
    argument.parse().expect("a number of ours")
}

fn run_all() -> ExitCode {
    let next = AtomicUsize::new(0);
    let threads = thread::available_parallelism().map_or(1, NonZero::get);
    let outcomes: Vec<Outcome> = thread::scope(|scope| {
        let running: Vec<_> = (0..threads)
            .map(|_| scope.spawn(|| some_choices(&next)))
            .collect();
        let ended = running.into_iter().map(|thread| thread.join());
        ended.flat_map(|ended| ended.expect("no panic")).collect()
    });
    for Outcome { name, problem } in &outcomes {
        if let Some(problem) = problem {
            println!("FAILED {name}: {problem}");
        }
    }
    let failed = outcomes.iter().filter(|one| one.problem.is_some()).count();
    println!("{} passed, {failed} failed", outcomes.len() - failed);
    match failed {
        0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

/// A check, and the secrets that it found in memory, if any.
struct Outcome {
    name: String,
    problem: Option<String>,
}

/// Runs the choices that no other thread has taken. There is one thread for each processor.
fn some_choices(next: &AtomicUsize) -> Vec<Outcome> {
    let choices = Choice::all();
    let taken = iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)));
    taken
        .take_while(|&place| place < choices.len())
        .flat_map(|place| run_choice(place, &choices[place]))
        .collect()
}

fn run_choice(place: usize, choice: &Choice) -> Vec<Outcome> {
    let world = child(&["make".into(), place.to_string()], "");
    let mut outcomes = match place {
        0 => self_test(&world),
        _ => Vec::new(),
    };
    let numbered = OPERATIONS.iter().enumerate();
    outcomes.extend(
        numbered
            .filter(|(_, operation)| operation.is_for(choice))
            .map(|(number, operation)| {
                let arguments = ["scan".into(), place.to_string(), number.to_string()];
                let found: Vec<_> = child(&arguments, &world)
                    .lines()
                    .map(String::from)
                    .collect();
                Outcome {
                    name: format!("{}: {}", choice.name(), operation.name),
                    problem: (!found.is_empty()).then(|| found.join("; ")),
                }
            }),
    );
    outcomes
}

/// Checks that secrets which are left behind on purpose are found.
fn self_test(world: &str) -> Vec<Outcome> {
    let found = child(&["plant".into()], world);
    PLANTED
        .into_iter()
        .map(|name| Outcome {
            name: "self-test".into(),
            problem: (!found.contains(&format!(" of {name} in ")))
                .then(|| format!("a planted {name} was not found")),
        })
        .collect()
}

/// Runs this program with these arguments and that input, and returns its output.
fn child(arguments: &[String], input: &str) -> String {
    let mut child = Command::new(env::current_exe().expect("it has a name"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    // A child that fails may not read all of it.
    let _ = child
        .stdin
        .take()
        .expect("it is piped")
        .write_all(input.as_bytes());
    let output = child.wait_with_output().expect("it ends");
    match output.status.success() {
        true => String::from_utf8(output.stdout).expect("it prints text"),
        false => format!("the process failed: {}", output.status),
    }
}

fn scan(choice: Choice, operation: fn(&World)) -> Vec<Found> {
    let mut text = String::new();
    io::stdin()
        .read_to_string(&mut text)
        .expect("the input is text");
    let world = World::read(choice, &text);
    apart(&world, operation);
    memory::overwrite_stack();
    world.secrets.find().expect("own memory can be read")
}

/// Runs the operation in a separate frame, which is overwritten afterwards.
#[inline(never)]
fn apart(world: &World, operation: fn(&World)) {
    operation(world);
}

/// The secrets that the self-test leaves behind, by name.
const PLANTED: [&str; 3] = ["private key", "plaintext", "CEK"];

/// Leaves secrets behind on purpose.
fn plant(world: &World) {
    for (name, secret) in world.secrets.iter() {
        if PLANTED.contains(&name.as_str()) {
            std::mem::forget(secret.reveal());
        }
    }
}

/// Prints how often each secret was found at each place.
fn print(found: &[Found]) {
    let mut found = found.to_vec();
    found.sort();
    for group in found.chunk_by(|a, b| a == b) {
        let (name, place) = &group[0];
        println!("{name} in {place}, {} times", group.len());
    }
}
