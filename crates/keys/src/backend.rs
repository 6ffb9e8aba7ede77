//! The choice of the implementations of X25519, ML-KEM and BIKE, by one name for all.
//!
//! `x25519-batch` and `kem-pq` each keep their choice for the whole process (`Backend::choose`);
//! [`choose_backend`] sets both. Libraries read no environment variable: the command line and the
//! wheel read `PQSEAL_BACKEND`, and tests and benchmarks that link `dev/backend-from-env` do.

use std::fmt;

use pqseal_kem_pq::Backend;

#[cfg(not(target_arch = "wasm32"))]
use pqseal_hpke::x25519_batch::Backend as X25519Backend;

/// Makes X25519 (x25519-batch), ML-KEM and BIKE (pqseal-kem-pq) use the back end of this name from
/// now on, in the whole process.
///
/// | name | X25519 | ML-KEM | BIKE |
/// |---|---|---|---|
/// | `portable` | AWS-LC or x25519-dalek | plain Rust | plain Rust |
/// | `avx2` | AVX2 and FMA | AVX2 | AVX2 and PCLMULQDQ |
/// | `vpclmul256` | default | AVX2 | AVX2 and VPCLMULQDQ |
/// | `avx512` | default | AVX2, but ML-KEM-768 with Keccak in AVX-512 | AVX-512 and PCLMULQDQ |
/// | `vpclmul` | default | as `avx512` | AVX-512 and VPCLMULQDQ |
/// | `ifma` | AVX-512 IFMA | default | default |
/// | `simd128` (WebAssembly) | default | as `portable` | vectors of 128 bits |
///
/// A crate without a back end of this name returns to its default: the best that the machine
/// supports. In WebAssembly, ML-KEM-768 always has vectors of 128 bits. All back ends compute the
/// same results. The libraries read no environment variable; a program that wants to offer one
/// passes its value here.
///
/// # Errors
/// [`BackendError`] for a name that no crate has, and for a back end whose instructions this
/// machine lacks. Then no choice changes.
///
/// # Examples
/// ```
/// use pqseal_keys::choose_backend;
///
/// choose_backend("portable")?;
/// assert!(choose_backend("cray").is_err());
/// # Ok::<(), pqseal_keys::BackendError>(())
/// ```
pub fn choose_backend(name: &str) -> Result<(), BackendError> {
    let known = every_name().any(|(known, _)| known == name);
    let has = every_name().all(|(known, available)| known != name || available);
    if !known || !has {
        let name = name.to_owned();
        return Err(BackendError { name, known });
    }
    // Cannot fail: each back end is available.
    let _ = Backend::from_name(name)
        .unwrap_or_else(Backend::best)
        .choose();
    #[cfg(not(target_arch = "wasm32"))]
    let _ = X25519Backend::from_name(name)
        .unwrap_or_else(X25519Backend::best)
        .choose();
    Ok(())
}

/// A back end of this build, and its current use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackendUse {
    /// The name, which [`choose_backend`] takes.
    pub name: &'static str,
    /// Set if this machine has its instructions.
    pub is_available: bool,
    /// The algorithms that run on it now: `X25519`, `ML-KEM and BIKE`, both or nothing.
    pub chosen_for: Vec<&'static str>,
}

/// Lists every back end of this build.
pub fn backends() -> Vec<BackendUse> {
    let mut found: Vec<BackendUse> = Vec::new();
    for (name, is_available) in every_name() {
        if found.iter().all(|backend| backend.name != name) {
            found.push(BackendUse {
                name,
                is_available,
                chosen_for: chosen_for(name),
            });
        }
    }
    found
}

fn chosen_for(name: &str) -> Vec<&'static str> {
    let mut uses = Vec::new();
    #[cfg(not(target_arch = "wasm32"))]
    if X25519Backend::chosen().name() == name {
        uses.push("X25519");
    }
    if Backend::chosen().name() == name {
        uses.push("ML-KEM and BIKE");
    }
    uses
}

/// Runs `work` once on each back end that this machine supports, and then restores the previous
/// choices. Meanwhile the choices apply to the whole process.
pub fn on_each_backend<T>(mut work: impl FnMut() -> T) -> Vec<(&'static str, T)> {
    let kem_pq = Backend::chosen();
    #[cfg(not(target_arch = "wasm32"))]
    let x25519 = X25519Backend::chosen();
    let available = backends()
        .into_iter()
        .filter(|backend| backend.is_available);
    let results = available
        .filter_map(|backend| {
            choose_backend(backend.name).ok()?;
            Some((backend.name, work()))
        })
        .collect();
    // Cannot fail: each was chosen before.
    let _ = kem_pq.choose();
    #[cfg(not(target_arch = "wasm32"))]
    let _ = x25519.choose();
    results
}

/// The reason why [`choose_backend`] refused a name. Its text lists the names that this machine
/// supports.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackendError {
    name: String,
    known: bool,
}

/// Lists the names of each crate, and whether this machine supports the back end.
fn every_name() -> impl Iterator<Item = (&'static str, bool)> {
    let kem_pq = Backend::ALL.iter();
    let names = kem_pq.map(|backend| (backend.name(), backend.is_available()));
    #[cfg(not(target_arch = "wasm32"))]
    let names = names.chain(
        X25519Backend::ALL
            .iter()
            .map(|backend| (backend.name(), backend.is_available())),
    );
    names
}

impl fmt::Display for BackendError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.known {
            write!(
                f,
                "this machine lacks the instructions of the back end {}",
                self.name
            )?;
        } else {
            write!(f, "there is no back end {:?}", self.name)?;
        }
        let mut names: Vec<&str> = Vec::new();
        for (name, available) in every_name() {
            if available && !names.contains(&name) {
                names.push(name);
            }
        }
        write!(f, "; this machine has {}", names.join(", "))
    }
}

impl std::error::Error for BackendError {}
