//! Which implementation runs: chosen once, at run time. ML-KEM (libcrux) has `Portable`, for
//! WebAssembly too, and `Avx2`, for all above.

use core::fmt;

#[cfg(feature = "bike")]
use crate::bike::is_available;

/// A set of instructions, each with those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// Plain Rust, on every target.
    Portable,
    /// WebAssembly with vectors of 128 bits, for BIKE. No environment variable reaches it: a
    /// browser has none.
    Simd128,
    /// x86-64 with AVX2, BMI and PCLMULQDQ.
    Avx2,
    /// The same with VPCLMULQDQ.
    Vpclmul256,
    /// AVX2 as above with AVX-512 F, BW, DQ and VL.
    Avx512,
    /// The same with AVX-512 and VPCLMULQDQ.
    Vpclmul,
}

/// Why `PQSEAL_BACKEND` cannot be followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BackendError {
    /// There is no back end of that name.
    Unknown,
    /// This machine lacks its instructions.
    Unavailable(Backend),
}

impl Backend {
    /// Every back end.
    pub const ALL: &'static [Self] = &[
        Self::Portable,
        Self::Simd128,
        Self::Avx2,
        Self::Vpclmul256,
        Self::Avx512,
        Self::Vpclmul,
    ];

    /// The name that `PQSEAL_BACKEND` takes.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Simd128 => "simd128",
            Self::Avx2 => "avx2",
            Self::Vpclmul256 => "vpclmul256",
            Self::Avx512 => "avx512",
            Self::Vpclmul => "vpclmul",
        }
    }

    /// Whether this machine can run it.
    pub fn is_available(self) -> bool {
        match self {
            Self::Portable | Self::Simd128 => is_available(self),
            _ => {
                cfg!(target_arch = "x86_64")
                    && libcrux_platform::simd256_support()
                    && is_available(self)
            }
        }
    }

    /// What the environment variable `PQSEAL_BACKEND` asks for, if it is set. For tests and
    /// support.
    ///
    /// # Errors
    /// Why it cannot be followed; [`Backend::chosen`] then goes by the machine.
    #[cfg(feature = "std")]
    pub fn from_env() -> Result<Option<Self>, BackendError> {
        let Some(name) = std::env::var_os("PQSEAL_BACKEND") else {
            return Ok(None);
        };
        let backend = Self::ALL
            .iter()
            .copied()
            .find(|backend| name == backend.name())
            .ok_or(BackendError::Unknown)?;
        if backend.is_available() {
            Ok(Some(backend))
        } else {
            Err(BackendError::Unavailable(backend))
        }
    }

    /// The one that runs.
    #[cfg(feature = "std")]
    pub fn chosen() -> Self {
        static CHOSEN: std::sync::OnceLock<Backend> = std::sync::OnceLock::new();
        *CHOSEN.get_or_init(|| Self::from_env().ok().flatten().unwrap_or_else(Self::best))
    }

    /// The one that runs.
    #[cfg(not(feature = "std"))]
    pub fn chosen() -> Self {
        Self::best()
    }

    fn best() -> Self {
        Self::ALL
            .iter()
            .copied()
            .rfind(|backend| backend.is_available())
            .unwrap_or(Self::Portable)
    }
}

/// ML-KEM has no back end of its own for more than AVX2.
#[cfg(not(feature = "bike"))]
fn is_available(backend: Backend) -> bool {
    matches!(backend, Backend::Portable | Backend::Avx2)
}

impl fmt::Display for BackendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str(
                "PQSEAL_BACKEND names no back end; there are portable, avx2, vpclmul256, avx512 and vpclmul",
            ),
            Self::Unavailable(backend) => {
                write!(f, "PQSEAL_BACKEND asks for {}, which this machine lacks", backend.name())
            }
        }
    }
}

impl core::error::Error for BackendError {}
