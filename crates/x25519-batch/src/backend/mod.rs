//! The implementations, and the choice of the one that runs.

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

/// An implementation for one set of instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    /// x25519-dalek, one point after the other, on every target. The reference for the others.
    Portable,
    /// x86-64 with AVX2 and FMA: four points per vector, in doubles.
    Avx2,
    /// x86-64 with AVX-512 F, VL, DQ and IFMA: eight points, or four, in integers.
    Ifma,
}

impl Backend {
    /// Every back end, the best last.
    pub const ALL: &'static [Self] = &[Self::Portable, Self::Avx2, Self::Ifma];

    /// Returns the name, which is the same in pqseal-kem-pq if that has a back end for the same
    /// instructions.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Avx2 => "avx2",
            Self::Ifma => "ifma",
        }
    }

    /// Returns the number of points computed at once, which takes hardly longer than one point.
    pub const fn lanes(self) -> usize {
        match self {
            Self::Portable => 1,
            Self::Avx2 => 4,
            Self::Ifma => 8,
        }
    }

    /// Reports whether this machine supports it.
    pub fn is_available(self) -> bool {
        self.available().is_some()
    }

    /// Returns this back end, or [`Backend::Portable`] if it needs the default floating-point mode
    /// and the calling thread has another.
    ///
    /// [`Backend::Avx2`] computes with doubles, which must be rounded to nearest, with no exception
    /// trapped. On x86-64 a host program can change both for a thread (MXCSR), and threads may
    /// inherit the change. So each call checks the mode, which takes 14 cycles. Subnormal numbers
    /// do not occur, so it does not matter whether they are flushed to zero (FTZ, DAZ).
    pub fn in_this_thread(self) -> Self {
        match self {
            Self::Avx2 if !rounds_to_nearest() => Self::Portable,
            _ => self,
        }
    }

    /// Returns the implementation, or the portable one if this machine does not support it.
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
    // No back end on other targets computes with doubles.
    #[cfg(not(target_arch = "x86_64"))]
    let default = true;
    default
}

/// The functions of a back end.
#[derive(Clone, Copy)]
pub(crate) struct Implementation {
    /// The vectors, the widest first. Each leaves points to the next.
    pub(crate) vectors: &'static [Vector],
    /// The function for the remaining points.
    pub(crate) one: One,
    /// The functions for many scalars and a table of a point's multiples.
    pub(crate) comb: Option<Comb>,
}

/// A function for points in the lanes of a vector.
pub(crate) struct Vector {
    pub(crate) lanes: usize,
    /// Fewer points than this are faster with the next vector or function.
    pub(crate) least: usize,
    pub(crate) many: Many,
}

impl Vector {
    /// Returns the number of these points that it computes: whole vectors, and the rest if it fills
    /// enough of one.
    pub(crate) fn share(&self, points: usize) -> usize {
        match points % self.lanes {
            left_over if left_over < self.least => points - left_over,
            _ => points,
        }
    }
}

/// A function `(scalar, points, out)`: `out[i] = X25519(scalar, points[i])`.
pub(crate) type Many = fn(&[u8; 32], &[[u8; 32]], &mut [[u8; 32]]);

/// The functions that multiply one point by scalars.
#[derive(Clone, Copy)]
pub(crate) struct Comb {
    /// Makes the table of a point, unless it is on the twist.
    pub(crate) table: fn(&[u8; 32]) -> Option<Box<Table>>,
    /// Multiplies by many scalars.
    pub(crate) x25519: OfTable,
    /// Multiplies at most four tables by one scalar.
    pub(crate) one_scalar: OfTables,
    /// Multiplies the base point with its table, and another point with a ladder, by one scalar.
    pub(crate) agree: Agree,
}

/// A function `(table, scalars, out)`: `out[i] = X25519(scalars[i], point)`.
pub(crate) type OfTable = fn(&Table, &[[u8; 32]], &mut [[u8; 32]]);

/// A function `(tables, scalar, out)`: `out[i] = X25519(scalar, point i)`.
pub(crate) type OfTables = fn(&[&Table], &[u8; 32], &mut [[u8; 32]]);

/// A function `(base, scalar, point, out)`: `out = [X25519(scalar, base), X25519(scalar, point)]`.
pub(crate) type Agree = fn(&Table, &[u8; 32], &[u8; 32], &mut [[u8; 32]; 2]);

/// A point's multiples, in the radix of a back end.
#[cfg(any(target_arch = "x86_64", test))]
pub(crate) use crate::comb::table::Table;
#[cfg(not(any(target_arch = "x86_64", test)))]
pub(crate) type Table = core::convert::Infallible;

/// A function that computes `X25519(scalar, point)`.
pub(crate) type One = fn(&[u8; 32], &[u8; 32]) -> Zeroizing<[u8; 32]>;
