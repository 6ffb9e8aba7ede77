//! The back ends. ML-KEM runs on `Portable`, or on `Avx2`, for all above it. ML-KEM-768 has another
//! Keccak with AVX-512, and in WebAssembly one implementation, for both names. `bike::backend` has
//! the kernels of BIKE for each.

use pqseal_backend_choice::{Choice, Unavailable};

/// A set of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// Plain Rust, on every target.
    Portable,
    /// WebAssembly with vectors of 128 bits. ML-KEM-768 has these also on `Portable` there.
    Simd128,
    /// x86-64 with AVX2, BMI and PCLMULQDQ.
    Avx2,
    /// AVX2 as above, with VPCLMULQDQ.
    Vpclmul256,
    /// AVX2 as above with AVX-512 F, BW, DQ and VL.
    Avx512,
    /// AVX-512 as above, with VPCLMULQDQ.
    Vpclmul,
}

static CHOICE: Choice<Backend> = Choice::new();

impl Backend {
    /// Every back end, the best last.
    pub const ALL: &'static [Self] = &[
        Self::Portable,
        Self::Simd128,
        Self::Avx2,
        Self::Vpclmul256,
        Self::Avx512,
        Self::Vpclmul,
    ];

    /// Returns its name. x25519-batch uses the same name for a back end with the same instructions.
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

    /// Reports whether this machine can run it. This does not depend on the feature `bike`.
    pub fn is_available(self) -> bool {
        match self {
            Self::Portable => true,
            Self::Simd128 => cfg!(target_arch = "wasm32"),
            #[cfg(target_arch = "x86_64")]
            _ => x86_64::has(self),
            #[cfg(not(target_arch = "x86_64"))]
            _ => false,
        }
    }

    /// Returns the implementation of ML-KEM on this back end: parameter sets, and the library with
    /// its own name for the instructions.
    pub const fn ml_kem_libraries(self) -> [(&'static str, &'static str); 2] {
        let (of_768, of_others) = match self {
            Self::Portable | Self::Simd128 if cfg!(target_arch = "wasm32") => {
                ("ml-kem-768, simd128 back end", "libcrux, portable back end")
            }
            Self::Portable | Self::Simd128 => {
                ("libcrux, portable back end", "libcrux, portable back end")
            }
            Self::Avx2 | Self::Vpclmul256 => {
                ("ml-kem-768, avx2 back end", "libcrux, avx2 back end")
            }
            Self::Avx512 | Self::Vpclmul => {
                ("ml-kem-768, avx512 back end", "libcrux, avx2 back end")
            }
        };
        [
            ("ML-KEM-768", of_768),
            ("ML-KEM-512, ML-KEM-1024", of_others),
        ]
    }

    /// Returns the back end of this [name](Backend::name).
    pub fn from_name(name: &str) -> Option<Self> {
        pqseal_backend_choice::from_name(name)
    }

    /// Makes ML-KEM and BIKE use this back end from now on, in the whole process. Results stay the
    /// same, and a key that was made before stays on its back end. Nothing else changes the choice,
    /// not even an environment variable.
    ///
    /// # Errors
    /// [`Unavailable`] if this machine lacks its instructions. Then the choice stays as it was.
    pub fn choose(self) -> Result<(), Unavailable<Self>> {
        CHOICE.choose(self)
    }

    /// Returns the back end in use: that of the last [`Backend::choose`], or else
    /// [`Backend::best`].
    pub fn chosen() -> Self {
        CHOICE.chosen()
    }

    /// Returns the default: the last of [`Backend::ALL`] that this machine has.
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

/// Detection of the processor's instructions.
#[cfg(target_arch = "x86_64")]
mod x86_64 {
    use super::Backend;

    cpufeatures::new!(has_avx2, "avx2", "bmi1", "bmi2", "pclmulqdq");
    cpufeatures::new!(has_avx512, "avx512f", "avx512bw", "avx512dq", "avx512vl");
    cpufeatures::new!(has_vpclmul, "vpclmulqdq");

    pub(super) fn has(backend: Backend) -> bool {
        let (avx2, avx512) = (has_avx2::get(), has_avx512::get());
        match backend {
            Backend::Portable => true,
            Backend::Simd128 => false,
            Backend::Avx2 => avx2,
            Backend::Vpclmul256 => avx2 && has_vpclmul_256(),
            Backend::Avx512 => avx2 && avx512,
            Backend::Vpclmul => avx2 && avx512 && has_vpclmul::get(),
        }
    }

    /// Reports whether VPCLMULQDQ works on AVX2's registers. `cpufeatures` would also require
    /// AVX-512.
    fn has_vpclmul_256() -> bool {
        #[cfg(feature = "std")]
        return std::arch::is_x86_feature_detected!("vpclmulqdq");
        #[cfg(not(feature = "std"))]
        return false;
    }
}
