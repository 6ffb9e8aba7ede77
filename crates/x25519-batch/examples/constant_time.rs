//! Finds branches and addresses that depend on the private key, on each back end, with valgrind's
//! memcheck:
//!
//! ```sh
//! cargo build --release -p x25519-batch --example constant_time
//! valgrind --error-exitcode=1 target/release/examples/constant_time
//! ```
//!
//! The private key is marked as uninitialized memory. memcheck tracks values computed from it, also
//! those in SIMD registers, and reports a branch or an address that depends on one. The branch on
//! whether a point was refused is public, and not executed here. With the argument `leak` the
//! program branches on a result, to show that a leak is found. valgrind supports AVX2 but not
//! AVX-512.

use std::{hint::black_box, process::ExitCode};

use x25519_batch::{Backend, Multiples};

fn main() -> ExitCode {
    if memcheck::request(memcheck::RUNNING_ON_VALGRIND, &[]) == 0 {
        eprintln!(
            "not under valgrind: run `valgrind --error-exitcode=1` with this program (apt install valgrind)"
        );
        return ExitCode::FAILURE;
    }
    let leak = std::env::args().any(|argument| argument == "leak");
    let points: Vec<[u8; 32]> = (0..19).map(|n| [n; 32]).collect();
    for backend in Backend::ALL {
        if !backend.is_available() {
            println!("{}: not on this machine", backend.name());
            continue;
        }
        let before = memcheck::request(memcheck::COUNT_ERRORS, &[]);
        let mut scalar = [0x5a; 32];
        let scalar: &mut [u8; 32] = black_box(&mut scalar);
        memcheck::request(memcheck::MAKE_MEM_UNDEFINED, scalar);
        let results = backend.x25519(black_box(scalar), &points);
        if leak && results.as_bytes()[3][0] == 7 {
            println!("a branch on a secret");
        }
        drop(backend.x25519_one(black_box(scalar), &points[9]));
        drop(backend.agree(black_box(scalar), &points[9]));
        // The same scalar five times.
        let scalars = [*scalar; 5];
        if let Some(multiples) = Multiples::with_backend(*backend, &points[9]) {
            drop(multiples.x25519(black_box(&scalars)));
            drop(multiples.agree(black_box(scalar)));
        }
        let errors = memcheck::request(memcheck::COUNT_ERRORS, &[]) - before;
        println!(
            "{}: {errors} branches or addresses that depend on the private key",
            backend.name()
        );
    }
    ExitCode::SUCCESS
}

/// Requests to valgrind: instructions without effect, which it recognises (valgrind's manual,
/// section 3.1).
mod memcheck {
    pub(super) const RUNNING_ON_VALGRIND: u64 = 0x1001;
    pub(super) const COUNT_ERRORS: u64 = 0x1201;
    pub(super) const MAKE_MEM_UNDEFINED: u64 = (b'M' as u64) << 24 | (b'C' as u64) << 16 | 1;

    #[cfg(target_arch = "x86_64")]
    pub(super) fn request(request: u64, bytes: &[u8]) -> u64 {
        let arguments = [request, bytes.as_ptr() as u64, bytes.len() as u64, 0, 0, 0];
        let mut answer = 0;
        // SAFETY: rotations of rdi by 128 bits in all, and an exchange of a register with itself.
        // valgrind reads the arguments.
        #[allow(unsafe_code)]
        unsafe {
            core::arch::asm!(
                "rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51", "xchg rbx, rbx",
                inout("rdx") answer, in("rax") arguments.as_ptr(), out("rdi") _, options(nostack),
            );
        }
        answer
    }

    #[cfg(not(target_arch = "x86_64"))]
    pub(super) fn request(_: u64, _: &[u8]) -> u64 {
        0
    }
}
