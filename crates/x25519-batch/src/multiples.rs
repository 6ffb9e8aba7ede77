//! One point and its table, with one scalar or many: to generate key pairs, and to seal messages to
//! one public key.

use alloc::{boxed::Box, vec, vec::Vec};
use core::{
    fmt,
    sync::atomic::{AtomicUsize, Ordering},
};

use once_cell::race::OnceBox;
use zeroize::Zeroizing;

use crate::{
    Backend, SharedSecrets,
    backend::{Comb, Implementation, Table},
};

/// The base point, u = 9 (RFC 7748, section 4.1).
const BASE: [u8; 32] = {
    let mut base = [0; 32];
    base[0] = 9;
    base
};

/// Computes the public keys of `scalars`, 32 bytes each, clamped here: X25519 of each and the base
/// point, in the same order.
///
/// ```
/// let private_keys = [[7; 32], [8; 32]];
/// let mut base = [0; 32];
/// base[0] = 9;
/// let public_keys = x25519_batch::public_keys(&private_keys);
/// assert_eq!(public_keys[1], *x25519_batch::x25519_one(&private_keys[1], &base));
/// ```
pub fn public_keys(scalars: &[[u8; 32]]) -> Vec<[u8; 32]> {
    match pays_off(scalars.len()) {
        true => Backend::chosen().public_keys(scalars),
        false => {
            let public_key = |scalar| *crate::x25519_one(scalar, &BASE);
            scalars.iter().map(public_key).collect()
        }
    }
}

/// Computes the public key of `scalar`, 32 bytes, clamped here, and X25519 of it and `point`, 32
/// bytes: both values that a sender needs for a fresh private key. This is faster than one after
/// the other, since both share a division.
///
/// ```
/// let point = x25519_batch::public_keys(&[[5; 32]])[0];
/// let agreement = x25519_batch::agree(&[7; 32], &point);
/// assert_eq!(agreement.public_key, x25519_batch::public_keys(&[[7; 32]])[0]);
/// assert_eq!(agreement.shared_secret, x25519_batch::x25519_one(&[7; 32], &point));
/// ```
pub fn agree(scalar: &[u8; 32], point: &[u8; 32]) -> Agreement {
    match pays_off(1) {
        true => Backend::chosen().agree(scalar, point),
        false => Agreement {
            public_key: *crate::x25519_one(scalar, &BASE),
            shared_secret: crate::x25519_one(scalar, point),
        },
    }
}

/// Reports whether the base point's table pays off, which takes as long as some results: not in a
/// process that needs one or two.
fn pays_off(results: usize) -> bool {
    const ENOUGH: usize = 8;
    static RESULTS: AtomicUsize = AtomicUsize::new(0);
    let before = RESULTS.load(Ordering::Relaxed);
    before >= ENOUGH || {
        let all = before.saturating_add(results);
        RESULTS.store(all, Ordering::Relaxed);
        all >= ENOUGH
    }
}

/// The largest number of scalars that are faster one by one than in the lanes of a vector.
const FEW: usize = 2;

impl Backend {
    /// Computes [`agree`] with this back end. The first call makes a table of 30 kB, which is kept.
    pub fn agree(self, scalar: &[u8; 32], point: &[u8; 32]) -> Agreement {
        let Implementation { comb, one, .. } = self.in_this_thread().implementation();
        let (Some(comb), Some(base)) = (comb, self.base()) else {
            return Agreement {
                public_key: public_key(scalar),
                shared_secret: one(scalar, point),
            };
        };
        Agreement::by(|out| (comb.agree)(&base.table, scalar, point, out))
    }

    /// Computes [`public_keys`] with this back end. The first call makes a table of 30 kB, which is
    /// kept.
    pub fn public_keys(self, scalars: &[[u8; 32]]) -> Vec<[u8; 32]> {
        match self.base() {
            Some(base) => base.x25519(scalars).as_bytes().to_vec(),
            None => scalars.iter().map(public_key).collect(),
        }
    }

    fn base(self) -> Option<&'static Multiples> {
        static TABLES: [OnceBox<Option<Multiples>>; Backend::ALL.len()] =
            [const { OnceBox::new() }; Backend::ALL.len()];
        let backend = self.in_this_thread();
        let table = || Box::new(Multiples::with_backend(backend, &BASE));
        TABLES[backend as usize].get_or_init(table).as_ref()
    }
}

fn public_key(scalar: &[u8; 32]) -> [u8; 32] {
    let secret = x25519_dalek::StaticSecret::from(*scalar);
    x25519_dalek::PublicKey::from(&secret).to_bytes()
}

/// A table of one point's multiples. It makes X25519 of many scalars and this point faster; the
/// back end computes one result per lane at once.
///
/// ```
/// let point = *x25519_batch::x25519_one(&[1; 32], &[5; 32]);
/// if let Some(multiples) = x25519_batch::Multiples::new(&point) {
///     let results = multiples.x25519(&[[7; 32], [8; 32]]);
///     assert_eq!(results.as_bytes()[1], *x25519_batch::x25519_one(&[8; 32], &point));
/// }
/// ```
pub struct Multiples {
    point: [u8; 32],
    backend: Backend,
    table: Box<Table>,
}

impl Multiples {
    /// Makes the table of `point`, 32 bytes, for the back end in use. Returns `None` if that has no
    /// vectors, and for a point of the curve's twist, which is not a public key.
    ///
    /// The table has 30 kB, and takes as long as five to ten results without it.
    pub fn new(point: &[u8; 32]) -> Option<Self> {
        Self::with_backend(Backend::chosen(), point)
    }

    /// Makes a table like [`Multiples::new`], for this back end.
    pub fn with_backend(backend: Backend, point: &[u8; 32]) -> Option<Self> {
        let Comb { table, .. } = backend.in_this_thread().implementation().comb?;
        Some(Self {
            point: *point,
            backend,
            table: table(point)?,
        })
    }

    /// Computes X25519 of each of `scalars`, 32 bytes, clamped here, and the point. Returns one
    /// result per scalar, in the same order.
    pub fn x25519(&self, scalars: &[[u8; 32]]) -> SharedSecrets {
        let mut results = Zeroizing::new(vec![[0; 32]; scalars.len()]);
        let Implementation { comb, one, .. } = self.backend.in_this_thread().implementation();
        match comb {
            Some(comb) if scalars.len() <= FEW => {
                for (scalar, result) in scalars.iter().zip(results.chunks_mut(1)) {
                    (comb.one_scalar)(&[&self.table], scalar, result);
                }
            }
            Some(comb) => (comb.x25519)(&self.table, scalars, &mut results),
            // A thread with another rounding mode.
            None => {
                for (scalar, result) in scalars.iter().zip(results.iter_mut()) {
                    result.copy_from_slice(&*one(scalar, &self.point));
                }
            }
        }
        SharedSecrets(results)
    }

    /// Computes X25519 of one scalar, 32 bytes, clamped here, and the point. Returns 32 bytes, all
    /// zero if the point is of low order.
    pub fn x25519_one(&self, scalar: &[u8; 32]) -> Zeroizing<[u8; 32]> {
        let mut result = Zeroizing::new([[0; 32]]);
        let Implementation { comb, one, .. } = self.backend.in_this_thread().implementation();
        match comb {
            Some(comb) => (comb.one_scalar)(&[&self.table], scalar, &mut *result),
            None => return one(scalar, &self.point),
        }
        Zeroizing::new(result[0])
    }

    /// Computes the public key of `scalar`, 32 bytes, clamped here, and X25519 of it and the point:
    /// the result of [`agree`], in less time.
    pub fn agree(&self, scalar: &[u8; 32]) -> Agreement {
        let backend = self.backend.in_this_thread();
        let (Some(comb), Some(base)) = (backend.implementation().comb, self.backend.base()) else {
            return self.backend.agree(scalar, &self.point);
        };
        Agreement::by(|out| (comb.one_scalar)(&[&base.table, &self.table], scalar, out))
    }
}

/// The values that a sender needs for a fresh private key: see [`agree`].
pub struct Agreement {
    /// X25519 of the private key and the base point, 32 bytes.
    pub public_key: [u8; 32],
    /// X25519 of the private key and the other party's point, 32 bytes, all zero if that is of low
    /// order. Wiped on drop.
    pub shared_secret: Zeroizing<[u8; 32]>,
}

impl Agreement {
    fn by(compute: impl FnOnce(&mut [[u8; 32]; 2])) -> Self {
        let mut out = Zeroizing::new([[0; 32]; 2]);
        compute(&mut out);
        Self {
            public_key: out[0],
            shared_secret: Zeroizing::new(out[1]),
        }
    }
}

impl fmt::Debug for Agreement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Agreement({:?}, redacted)", self.public_key)
    }
}

impl fmt::Debug for Multiples {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Multiples({:?}, {:?})", self.point, self.backend)
    }
}
