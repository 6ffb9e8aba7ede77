//! Protection against wrong computations in WebAssembly. Results that would show to be wrong only
//! when it is too late are computed twice: a public key that does not belong to the private key, or
//! a shared secret that nobody can decapsulate.
//!
//! WebKit's engine sometimes computes a vectorized function wrong, once, when it replaces the code
//! of one compiler by that of another (SOUNDNESS.md). So a second run does not share the fault.
//! Other targets compute once.

use core::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::{Error, Secret};

static CORRECTED: AtomicU32 = AtomicU32::new(0);
static REOPENED: AtomicU32 = AtomicU32::new(0);

/// The numbers of wrong results that were noticed since the program started. Always 0 outside of
/// WebAssembly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Key pairs, encapsulations and contexts of which two computations differed. If no third one
    /// decided, the error was [`Error::Miscomputed`].
    pub corrected: u32,
    /// Messages that opened at the second attempt, by [`opened`].
    pub reopened: u32,
}

/// Counts the faults that were noticed so far.
pub fn faults() -> Faults {
    Faults {
        corrected: CORRECTED.load(Relaxed),
        reopened: REOPENED.load(Relaxed),
    }
}

/// Runs `open`, in WebAssembly a second time if the first attempt fails by an error that a wrong
/// computation may have caused.
///
/// # Errors
/// The error of the last attempt.
pub fn opened<T, E>(
    open: &mut dyn FnMut() -> Result<T, E>,
    may_be_wrong: fn(&E) -> bool,
) -> Result<T, E> {
    match open() {
        Err(error) if cfg!(target_arch = "wasm32") && may_be_wrong(&error) => {
            open().inspect(|_| count(&REOPENED))
        }
        result => result,
    }
}

/// Runs `compute`, in WebAssembly at least twice, and returns a result on which two runs agree.
/// They are compared by their `witness`, the part that would be wrong.
///
/// # Errors
/// The error of `compute`; [`Error::Miscomputed`].
pub fn agreed<T>(
    compute: &mut dyn FnMut() -> Result<T, Error>,
    witness: fn(&T) -> Result<Secret, Error>,
) -> Result<T, Error> {
    if cfg!(not(target_arch = "wasm32")) {
        return compute();
    }
    let mut last = None;
    two_of_three(&mut || witness(last.insert(compute()?)))?;
    last.ok_or(Error::Miscomputed)
}

/// Runs `compute` until a witness equals an earlier one, at most three times.
#[inline(never)]
fn two_of_three(compute: &mut dyn FnMut() -> Result<Secret, Error>) -> Result<(), Error> {
    let (first, second) = (compute(), compute());
    if first == second {
        return second.map(drop);
    }
    count(&CORRECTED);
    let third = compute();
    match third == first || third == second {
        true => third.map(drop),
        false => Err(Error::Miscomputed),
    }
}

fn count(counter: &AtomicU32) {
    counter.fetch_add(1, Relaxed);
}

#[cfg(test)]
mod tests {
    use std::vec;

    use super::two_of_three;
    use crate::{Error, Secret};

    /// Returns the outcome for these results, and the number of computations.
    fn of(results: &[Result<u8, Error>]) -> (Result<(), Error>, usize) {
        let mut computed = results.iter();
        let result = two_of_three(&mut || computed.next().unwrap().map(|n| Secret::new(vec![n])));
        (result, results.len() - computed.len())
    }

    #[test]
    fn two_that_agree_are_enough() {
        assert_eq!(of(&[Ok(1), Ok(1)]), (Ok(()), 2));
        let error = Err(Error::Validation);
        assert_eq!(of(&[error, error]), (Err(Error::Validation), 2));
    }

    /// The last result is taken, since it is right.
    #[test]
    fn a_third_decides() {
        for wrong in [Ok(2), Err(Error::Validation)] {
            assert_eq!(of(&[wrong, Ok(1), Ok(1)]), (Ok(()), 3));
            assert_eq!(of(&[Ok(1), wrong, Ok(1)]), (Ok(()), 3));
        }
    }

    #[test]
    fn three_that_differ_are_an_error() {
        assert_eq!(of(&[Ok(1), Ok(2), Ok(3)]), (Err(Error::Miscomputed), 3));
        let errors = [Err(Error::Validation), Ok(1), Err(Error::Decap)];
        assert_eq!(of(&errors), (Err(Error::Miscomputed), 3));
    }
}
