//! The back end of the process: the best that the machine has, or the one that the program chose.

use core::{
    fmt,
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

use super::Backend;

/// 0 until a program chooses, and then 1 and the place in [`Backend::ALL`].
static CHOSEN: AtomicUsize = AtomicUsize::new(0);

/// This machine lacks the instructions of a back end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unavailable(pub Backend);

impl Backend {
    /// The back end of this [name](Backend::name): `portable`, `avx2` or `ifma`.
    pub fn from_name(name: &str) -> Option<Self> {
        let mut all = Self::ALL.iter().copied();
        all.find(|backend| backend.name() == name)
    }

    /// Makes [`x25519`](crate::x25519) and [`x25519_one`](crate::x25519_one) use this back end from
    /// now on, in the whole process. Results stay the same. Nothing else changes the choice: no
    /// environment variable does.
    ///
    /// # Errors
    /// [`Unavailable`] if this machine lacks its instructions. Then the choice stays as it was.
    pub fn choose(self) -> Result<(), Unavailable> {
        if !self.is_available() {
            return Err(Unavailable(self));
        }
        let place = Self::ALL.iter().position(|backend| *backend == self);
        CHOSEN.store(place.map_or(0, |place| place + 1), Relaxed);
        Ok(())
    }

    /// The back end in use: that of the last [`Backend::choose`], or else [`Backend::best`].
    pub fn chosen() -> Self {
        let place = CHOSEN.load(Relaxed).checked_sub(1);
        place.map_or_else(Self::best, |place| Self::ALL[place])
    }

    /// The default: IFMA, or else AVX2, or else the portable one.
    pub fn best() -> Self {
        [Self::Ifma, Self::Avx2]
            .into_iter()
            .find(|backend| backend.is_available())
            .unwrap_or(Self::Portable)
    }
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.0.name();
        write!(
            f,
            "this machine lacks the instructions of the back end {name}"
        )
    }
}

impl core::error::Error for Unavailable {}
