//! The choice of the implementation of an algorithm that runs in this process: the best that the
//! machine supports, or the one that the program chose.
//!
//! A crate with several implementations declares an enum of them that implements [`Backend`], and a
//! static [`Choice`].

#![no_std]
#![forbid(unsafe_code)]

use core::{
    fmt,
    marker::PhantomData,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

/// An implementation of an algorithm. The type lists the implementations of one crate.
pub trait Backend: Copy + PartialEq + 'static {
    /// Every back end, in order of preference: the best last. The first runs on every machine.
    const ALL: &'static [Self];

    /// Returns the name. Back ends of several crates that need the same instructions share a name.
    fn name(self) -> &'static str;

    /// Reports whether this machine supports the back end.
    fn is_available(self) -> bool;
}

/// Finds the back end with this [name](Backend::name).
pub fn from_name<B: Backend>(name: &str) -> Option<B> {
    let mut all = B::ALL.iter().copied();
    all.find(|backend| backend.name() == name)
}

/// Returns the last of [`Backend::ALL`] that this machine supports.
pub fn best<B: Backend>() -> B {
    let mut all = B::ALL.iter().copied();
    all.rfind(|backend| backend.is_available())
        .unwrap_or(B::ALL[0])
}

/// The back end of the process, to be held in a `static`.
#[derive(Debug)]
pub struct Choice<B> {
    /// 0 until a program chooses, then 1 plus the index in [`Backend::ALL`].
    place: AtomicUsize,
    backend: PhantomData<fn() -> B>,
}

/// The error of a back end whose instructions this machine lacks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unavailable<B>(pub B);

impl<B: Backend> Choice<B> {
    /// Creates a choice that is not made yet: [`Choice::chosen`] returns [`best`].
    #[must_use]
    pub const fn new() -> Self {
        Self {
            place: AtomicUsize::new(0),
            backend: PhantomData,
        }
    }

    /// Chooses a back end from now on.
    ///
    /// # Errors
    /// [`Unavailable`] if this machine lacks its instructions. The previous choice then stays.
    pub fn choose(&self, backend: B) -> Result<(), Unavailable<B>> {
        if !backend.is_available() {
            return Err(Unavailable(backend));
        }
        let place = B::ALL.iter().position(|member| *member == backend);
        self.place
            .store(place.map_or(0, |place| place + 1), Relaxed);
        Ok(())
    }

    /// Returns the back end of the last [`Choice::choose`] that succeeded, or else [`best`].
    pub fn chosen(&self) -> B {
        let place = self.place.load(Relaxed).checked_sub(1);
        place.map_or_else(best, |place| B::ALL[place])
    }
}

impl<B: Backend> Default for Choice<B> {
    fn default() -> Self {
        Self::new()
    }
}

impl<B: Backend> fmt::Display for Unavailable<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.0.name();
        write!(
            f,
            "this machine lacks the instructions of the back end {name}"
        )
    }
}

impl<B: Backend + fmt::Debug> core::error::Error for Unavailable<B> {}

/// The README, whose example runs as a test.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

#[cfg(test)]
mod tests {
    extern crate std;
    use std::string::ToString;

    use super::*;

    #[derive(Clone, Copy, Debug, PartialEq)]
    enum Width {
        One,
        Four,
        Eight,
    }

    impl Backend for Width {
        const ALL: &'static [Self] = &[Self::One, Self::Four, Self::Eight];

        fn name(self) -> &'static str {
            match self {
                Self::One => "one",
                Self::Four => "four",
                Self::Eight => "eight",
            }
        }

        fn is_available(self) -> bool {
            self != Self::Eight
        }
    }

    #[test]
    fn the_best_available_one_runs_until_another_is_chosen() {
        let choice = Choice::new();
        assert_eq!(choice.chosen(), Width::Four);
        assert_eq!(choice.choose(Width::One), Ok(()));
        assert_eq!(choice.chosen(), Width::One);
        let refused = choice.choose(Width::Eight).unwrap_err();
        assert_eq!(refused, Unavailable(Width::Eight));
        assert!(refused.to_string().ends_with("the back end eight"));
        assert_eq!(choice.chosen(), Width::One);
    }

    #[test]
    fn names_lead_back_to_their_back_ends() {
        for backend in Width::ALL {
            assert_eq!(from_name(backend.name()), Some(*backend));
        }
        assert_eq!(from_name::<Width>("One"), None);
    }
}
