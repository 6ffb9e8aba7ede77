//! The back end of the process: the best that the machine supports, or the one that the program
//! chose.

use pqseal_backend_choice::{Choice, Unavailable};

use super::Backend;

static CHOICE: Choice<Backend> = Choice::new();

impl Backend {
    /// Finds the back end of this [name](Backend::name): `portable`, `avx2` or `ifma`.
    pub fn from_name(name: &str) -> Option<Self> {
        pqseal_backend_choice::from_name(name)
    }

    /// Makes [`x25519`](crate::x25519) and [`x25519_one`](crate::x25519_one) use this back end from
    /// now on, in the whole process. Results stay the same. Nothing else changes the choice: no
    /// environment variable does.
    ///
    /// # Errors
    /// [`Unavailable`] if this machine lacks its instructions. The previous choice then stays.
    pub fn choose(self) -> Result<(), Unavailable<Self>> {
        CHOICE.choose(self)
    }

    /// Returns the back end in use: that of the last [`Backend::choose`], or else
    /// [`Backend::best`].
    pub fn chosen() -> Self {
        CHOICE.chosen()
    }

    /// Returns the default: IFMA, or else AVX2, or else the portable one.
    pub fn best() -> Self {
        pqseal_backend_choice::best()
    }
}

impl pqseal_backend_choice::Backend for Backend {
    const ALL: &'static [Self] = Self::ALL;

    fn name(self) -> &'static str {
        self.name()
    }

    fn is_available(self) -> bool {
        self.is_available()
    }
}
