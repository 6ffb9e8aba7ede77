//! Which implementation runs.

use alloc::boxed::Box;

use zeroize::Zeroizing;

mod choice;
mod portable;
#[cfg(target_arch = "x86_64")]
#[allow(
    unsafe_code,
    reason = "vector instructions; the module says what it must keep to"
)]
pub(crate) mod x86_64;

/// A set of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// x25519-dalek, one point after the other, on every target. The definition of the others.
    Portable,
    /// x86-64 with AVX2 and FMA: four points in a vector, in doubles.
    Avx2,
    /// x86-64 with AVX-512 F, VL, DQ and IFMA: eight, and four, in integers.
    Ifma,
}

impl Backend {
    /// Every back end, the best last.
    pub const ALL: &'static [Self] = &[Self::Portable, Self::Avx2, Self::Ifma];

    /// Its name, which is the same in pqseal-kem-pq if that has a back end for the same instructions.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Ifma => "ifma",
        }
    }

    /// How many points it computes at once: as many take hardly longer than one.
    pub const fn lanes(self) -> usize {
        match self {
            Self::Portable => 1,
            Self::Avx2 => 4,
            Self::Ifma => 8,
        }
    }

    /// Whether this machine can run it.
    pub fn is_available(self) -> bool {
        self.available().is_some()
    }

    /// This back end, or [`Backend::Portable`] while floating-point arithmetic of the calling
    /// thread is not the default and this one needs it.
    ///
    /// [`Backend::Avx2`] computes with doubles, which have to be rounded to nearest, with no
    /// exception trapped. On x86-64 a host program can change both for a thread (MXCSR), and
    /// threads may inherit the change. So each call asks; that takes 14 cycles. Subnormal numbers
    /// do not occur, so it does not matter whether they are flushed to zero (FTZ, DAZ).
    pub fn in_this_thread(self) -> Self {
        match self {
            Self::Avx2 if !rounds_to_nearest() => Self::Portable,
            _ => self,
        }
    }

    /// The implementation; the portable one if this machine cannot run it.
    pub(crate) fn implementation(self) -> Implementation {
        self.available().unwrap_or(portable::IMPLEMENTATION)
    }

    fn available(self) -> Option<Implementation> {
        match self {
            Self::Portable => Some(portable::IMPLEMENTATION),
            #[cfg(target_arch = "x86_64")]
            _ => x86_64::implementation(self),
            #[cfg(not(target_arch = "x86_64"))]
            _ => None,
        }
    }
}

fn rounds_to_nearest() -> bool {
    #[cfg(target_arch = "x86_64")]
    let default = x86_64::rounds_to_nearest();
    // No back end there computes with doubles.
    #[cfg(not(target_arch = "x86_64"))]
    let default = true;
    default
}

/// What computes.
#[derive(Clone, Copy)]
pub(crate) struct Implementation {
    /// The widest first, each of which leaves points to the next.
    pub(crate) vectors: &'static [Vector],
    /// What is left to the end.
    pub(crate) one: One,
    /// Scalars and a table of a point's multiples.
    pub(crate) comb: Option<Comb>,
}

/// Points in the lanes of a vector.
pub(crate) struct Vector {
    pub(crate) lanes: usize,
    /// Fewer points than this take less time in what comes next.
    pub(crate) least: usize,
    pub(crate) many: Many,
}

impl Vector {
    /// How many of so many points it computes: whole vectors, and the rest if it is worth one.
    pub(crate) fn share(&self, points: usize) -> usize {
        match points % self.lanes {
            left_over if left_over < self.least => points - left_over,
            _ => points,
        }
    }
}

/// `(scalar, points, out)`: `out[i] = X25519(scalar, points[i])`.
pub(crate) type Many = fn(&[u8; 32], &[[u8; 32]], &mut [[u8; 32]]);

/// What multiplies one point by scalars.
#[derive(Clone, Copy)]
pub(crate) struct Comb {
    /// Of a point, unless it is of the twist.
    pub(crate) table: fn(&[u8; 32]) -> Option<Box<Table>>,
    /// Many scalars.
    pub(crate) x25519: OfTable,
    /// One scalar, and at most four tables.
    pub(crate) one_scalar: OfTables,
    /// One scalar, the base point by its table, and another point by a ladder.
    pub(crate) agree: Agree,
}

/// `(table, scalars, out)`: `out[i] = X25519(scalars[i], point)`.
pub(crate) type OfTable = fn(&Table, &[[u8; 32]], &mut [[u8; 32]]);

/// `(tables, scalar, out)`: `out[i] = X25519(scalar, point i)`.
pub(crate) type OfTables = fn(&[&Table], &[u8; 32], &mut [[u8; 32]]);

/// `(base, scalar, point, out)`: `out = [X25519(scalar, base), X25519(scalar, point)]`.
pub(crate) type Agree = fn(&Table, &[u8; 32], &[u8; 32], &mut [[u8; 32]; 2]);

/// A point's multiples, in the radix of a back end.
#[cfg(any(target_arch = "x86_64", test))]
pub(crate) use crate::comb::table::Table;
#[cfg(not(any(target_arch = "x86_64", test)))]
pub(crate) type Table = core::convert::Infallible;

/// `X25519(scalar, point)`.
pub(crate) type One = fn(&[u8; 32], &[u8; 32]) -> Zeroizing<[u8; 32]>;
