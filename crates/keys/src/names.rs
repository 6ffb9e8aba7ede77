//! The names of algorithms, which are the same in every front end.
//!
//! Case and punctuation of a name do not matter: `MLKEM768-X25519`, `hkdf_sha256` and
//! `DHKEM(X25519, HKDF-SHA256)`. A registered id is a name too, such as `0x647a` or `25722`.

use std::fmt;

use pqseal_hpke::{AEADS, Aead, AnyAead, Component, DynKdf, DynKem, KDFS, aead_by_id, kdf_by_id};

use crate::{RefusedKem, kem_by_id, kems, refused_kem_by_id, refused_kem_by_name};

/// The id of an algorithm and its names. Messages show the first name. Names that differ only in
/// case and punctuation are listed once.
type AlgorithmNames = (u16, &'static [&'static str]);

/// Every KEM, also those whose feature is off.
const KEM_NAMES: &[AlgorithmNames] = &[
    (0x0010, &["p256", "DHKEM(P-256, HKDF-SHA256)"]),
    (0x0011, &["p384", "DHKEM(P-384, HKDF-SHA384)"]),
    (0x0012, &["p521", "DHKEM(P-521, HKDF-SHA512)"]),
    (0x0020, &["x25519", "DHKEM(X25519, HKDF-SHA256)"]),
    (0x0021, &["x448", "DHKEM(X448, HKDF-SHA512)"]),
    (0x647a, &["mlkem768-x25519", "X-Wing"]),
    (0x0050, &["mlkem768-p256"]),
    (0x0051, &["mlkem1024-p384"]),
    (0x0040, &["mlkem512"]),
    (0x0041, &["mlkem768"]),
    (0x0042, &["mlkem1024"]),
    (0x0030, &["x25519-kyber768-draft00"]),
    (0xff21, &["x25519-bike-l1"]),
    (0xff23, &["x25519-bike-l3"]),
    (0xff25, &["x25519-bike-l5"]),
    (0xff11, &["bike-l1"]),
    (0xff13, &["bike-l3"]),
    (0xff15, &["bike-l5"]),
];

/// Every KDF, also those whose feature is off.
const KDF_NAMES: &[AlgorithmNames] = &[
    (0x0001, &["HKDF-SHA256"]),
    (0x0002, &["HKDF-SHA384"]),
    (0x0003, &["HKDF-SHA512"]),
    (0x0010, &["SHAKE128"]),
    (0x0011, &["SHAKE256"]),
    (0x0012, &["TurboSHAKE128"]),
    (0x0013, &["TurboSHAKE256"]),
];

/// Every AEAD.
const AEAD_NAMES: &[AlgorithmNames] = &[
    (0x0001, &["AES-128-GCM"]),
    (0x0002, &["AES-256-GCM"]),
    (0x0003, &["ChaCha20Poly1305"]),
    (0xffff, &["Export-only"]),
];

/// The maximum number of near names that an error proposes.
const NEAREST: usize = 3;

/// The reason why a name or an id is not an algorithm of this build.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameError {
    /// A KEM that is known but not supported.
    Refused(&'static RefusedKem),
    /// An algorithm that this build lacks because a feature is off.
    Lacking(&'static str),
    /// Not the name of any such algorithm.
    Unknown {
        /// The kind of algorithm.
        component: Component,
        /// The nearest names, or all names of this build if none is near.
        names: Vec<&'static str>,
    },
}

impl NameError {
    /// Returns the error for an id that this build does not find.
    pub fn of_id(component: Component, id: u16) -> Self {
        Self::of(component, "", Some(id))
    }

    fn of(component: Component, name: &str, id: Option<u16>) -> Self {
        if component == Component::Kem
            && let Some(kem) = (refused_kem_by_name(name)).or_else(|| refused_kem_by_id(id?))
        {
            return Self::Refused(kem);
        }
        match rows(component).iter().find(|row| Some(row.0) == id) {
            Some(row) => Self::Lacking(row.1[0]),
            None => Self::Unknown {
                component,
                names: nearest(component, name),
            },
        }
    }
}

impl fmt::Display for NameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Refused(kem) => write!(f, "KEM {} is refused: {}", kem.short_name, kem.reason),
            Self::Lacking(name) => write!(f, "this build does not have {name}"),
            Self::Unknown { component, names } => {
                let kind = match component {
                    Component::Kem => "KEM",
                    Component::Kdf => "KDF",
                    _ => "AEAD",
                };
                write!(
                    f,
                    "there is no such {kind}; choose one of {}",
                    names.join(", ")
                )
            }
        }
    }
}

impl std::error::Error for NameError {}

/// Finds the KEM with this name or id, such as `x25519`, `X-Wing` or `0x647a`.
///
/// ```
/// use pqseal_keys::kem_by_name;
///
/// for name in ["mlkem768-x25519", "MLKEM768-X25519", "X-Wing", "0x647a"] {
///     assert_eq!(kem_by_name(name)?.info().n_enc, 1120);
/// }
/// let unknown = kem_by_name("x25518").err().expect("it is no KEM");
/// assert!(unknown.to_string().contains("choose one of x25519"));
/// # Ok::<(), pqseal_keys::NameError>(())
/// ```
///
/// # Errors
/// The reason, and names that exist.
pub fn kem_by_name(name: &str) -> Result<&'static DynKem, NameError> {
    find(Component::Kem, name, kem_by_id)
}

/// Finds the KDF with this name or id, such as `HKDF-SHA256`.
///
/// # Errors
/// The reason, and names that exist.
pub fn kdf_by_name(name: &str) -> Result<&'static DynKdf, NameError> {
    find(Component::Kdf, name, kdf_by_id)
}

/// Finds the AEAD with this name or id, such as `AES-128-GCM` or `chacha20-poly1305`.
///
/// # Errors
/// The reason, and names that exist.
pub fn aead_by_name(name: &str) -> Result<&'static AnyAead, NameError> {
    find(Component::Aead, name, aead_by_id)
}

fn find<T>(
    component: Component,
    name: &str,
    by_id: impl FnOnce(u16) -> Option<T>,
) -> Result<T, NameError> {
    let id = id_of(component, name);
    id.and_then(by_id)
        .ok_or_else(|| NameError::of(component, name, id))
}

const fn rows(component: Component) -> &'static [AlgorithmNames] {
    match component {
        Component::Kem => KEM_NAMES,
        Component::Kdf => KDF_NAMES,
        _ => AEAD_NAMES,
    }
}

/// Returns the id of a name in the table, or the number that the name is.
fn id_of(component: Component, name: &str) -> Option<u16> {
    for (id, names) in rows(component) {
        if names.iter().any(|other| plain(other).eq(plain(name))) {
            return Some(*id);
        }
    }
    let lower = name.to_ascii_lowercase();
    let (digits, radix) = match lower.strip_prefix("0x") {
        Some(digits) => (digits, 16),
        None => (&*lower, 10),
    };
    let is_unsigned = digits.starts_with(|c: char| c.is_ascii_alphanumeric());
    let number = u16::from_str_radix(digits, radix).ok();
    number.filter(|_| is_unsigned)
}

/// Returns the letters and digits of a name, by which names are compared.
fn plain(name: &str) -> impl Iterator<Item = u8> {
    let bytes = name.bytes().filter(u8::is_ascii_alphanumeric);
    bytes.map(|byte| byte.to_ascii_lowercase())
}

/// Returns the names of this build that are near to `name`, the nearest first, at most [`NEAREST`];
/// all of them if none is near. A name is near if the changes are at most a third of the letters of
/// `name`.
fn nearest(component: Component, name: &str) -> Vec<&'static str> {
    let typed: Vec<u8> = plain(name).collect();
    let (mut near, mut all) = (Vec::new(), Vec::new());
    for (id, names) in rows(component) {
        let is_here = match component {
            Component::Kem => kems().any(|kem| kem.info().id == *id),
            Component::Kdf => KDFS.iter().any(|kdf| kdf.info().id == *id),
            _ => AEADS.iter().any(|aead| aead.info().id == *id),
        };
        if is_here {
            let distances = names.iter().map(|name| {
                let known: Vec<u8> = plain(name).collect();
                distance(&typed, &known)
            });
            let least = distances.min().unwrap_or(usize::MAX);
            if least.saturating_mul(3) <= typed.len() {
                near.push((least, names[0]));
            }
            all.push(names[0]);
        }
    }
    if near.is_empty() {
        return all;
    }
    // Stable: names at the same distance stay in the order of the table.
    near.sort_by_key(|(distance, _)| *distance);
    (near.into_iter().take(NEAREST))
        .map(|(_, name)| name)
        .collect()
}

/// Counts the letters to insert, remove or replace (Levenshtein, 1965). A beginning of at least
/// three letters counts as one change.
fn distance(typed: &[u8], known: &[u8]) -> usize {
    if typed.len() >= 3 && known.starts_with(typed) {
        return 1;
    }
    let mut row: Vec<usize> = (0..=known.len()).collect();
    for (i, letter) in typed.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, other) in known.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != other);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[known.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Compares the names with the registry, which is in other crates.
    #[test]
    fn the_table_has_every_algorithm_of_the_registry_and_no_other() {
        let kems = kems().map(|kem| kem.info());
        let kems = kems.map(|info| (info.id, info.short_name, info.name));
        let kdfs = KDFS.iter().map(|kdf| kdf.info());
        let kdfs = kdfs.map(|info| (info.id, info.name, info.name));
        let aeads = AEADS.iter().map(Aead::info);
        let aeads = aeads.map(|info| (info.id, info.name, info.name));
        for (component, algorithms) in [
            (Component::Kem, kems.collect::<Vec<_>>()),
            (Component::Kdf, kdfs.collect()),
            (Component::Aead, aeads.collect()),
        ] {
            let ids = |ids: &mut dyn Iterator<Item = u16>| {
                let mut ids: Vec<u16> = ids.collect();
                ids.sort_unstable();
                ids
            };
            assert_eq!(
                ids(&mut rows(component).iter().map(|row| row.0)),
                ids(&mut algorithms.iter().map(|row| row.0))
            );
            for (id, short, name) in algorithms {
                let row = rows(component).iter().find(|row| row.0 == id).unwrap();
                assert_eq!(row.1[0], short);
                assert_eq!(id_of(component, name), Some(id));
            }
            let names = rows(component).iter().flat_map(|row| row.1);
            let mut names: Vec<Vec<u8>> = names.map(|name| plain(name).collect()).collect();
            let all = names.len();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), all, "two names are one");
        }
    }

    #[test]
    fn the_nearest_names() {
        for (name, expected) in [
            ("x25518", &["x25519"][..]),
            ("xwng", &["mlkem768-x25519"]),
            (
                "mlkem",
                &["mlkem768-x25519", "mlkem768-p256", "mlkem1024-p384"],
            ),
            ("mlkem786", &["mlkem768"]),
            ("kyber768", &[]),
        ] {
            let found = nearest(Component::Kem, name);
            match expected {
                [] => assert_eq!(found.len(), KEM_NAMES.len(), "{name}"),
                _ => assert_eq!(found, expected, "{name}"),
            }
        }
        assert_eq!(
            nearest(Component::Kdf, "hkdf"),
            ["HKDF-SHA256", "HKDF-SHA384", "HKDF-SHA512"]
        );
        assert_eq!(nearest(Component::Aead, "rot13").len(), AEAD_NAMES.len());
    }
}
