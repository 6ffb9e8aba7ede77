//! Bit matrices, in groups of blocks of 64 by 64 bits that are transposed together.

/// The number of 64 by 64 blocks that are transposed together.
const LANES: usize = 4;
/// The words of that many blocks.
pub(crate) const GROUP: usize = 64 * LANES;

/// r bits as a matrix of rows of `columns` bits.
#[derive(Clone, Copy)]
pub(crate) struct Matrix {
    pub(crate) r: usize,
    pub(crate) columns: usize,
    /// The number of blocks across and down.
    pub(crate) across: usize,
    down: usize,
}

impl Matrix {
    pub(crate) const fn new(r: usize, columns: usize) -> Self {
        Self {
            r,
            columns,
            across: columns.div_ceil(64),
            down: r.div_ceil(columns).div_ceil(64),
        }
    }

    pub(crate) const fn groups(&self) -> usize {
        (self.across * self.down).div_ceil(LANES)
    }

    /// Returns the index in the groups of row or column `i` of a block.
    pub(crate) const fn at(&self, down: usize, across: usize, i: usize) -> usize {
        let block = down * self.across + across;
        block / LANES * GROUP + i * LANES + block % LANES
    }

    /// Walks round r bits in steps of `columns` bits. Yields the columns in the order of the walk,
    /// with the bits of each.
    pub(crate) fn walk(self) -> impl Iterator<Item = (usize, usize)> {
        let (mut column, rows) = (0, self.r.div_ceil(self.columns));
        (0..self.columns).map(move |_| {
            // All rows except the last are whole.
            let len = if column + (rows - 1) * self.columns < self.r {
                rows
            } else {
                rows - 1
            };
            let here = column;
            // column + len * columns is the first number of this column that is at least r.
            column = here + len * self.columns - self.r;
            (here, len)
        })
    }
}

/// Transposes each block of 64 by 64 bits, all blocks of a group at once, by swapping ever smaller
/// quarters.
#[inline(always)]
pub(crate) fn transpose(groups: &mut [u64]) {
    for group in groups.chunks_exact_mut(GROUP) {
        swap_quarters::<32>(group, 0x0000_0000_ffff_ffff);
        swap_quarters::<16>(group, 0x0000_ffff_0000_ffff);
        swap_quarters::<8>(group, 0x00ff_00ff_00ff_00ff);
        swap_quarters::<4>(group, 0x0f0f_0f0f_0f0f_0f0f);
        swap_quarters::<2>(group, 0x3333_3333_3333_3333);
        swap_quarters::<1>(group, 0x5555_5555_5555_5555);
    }
}

#[inline(always)]
fn swap_quarters<const SIDE: usize>(group: &mut [u64], mask: u64) {
    for rows in group.chunks_exact_mut(2 * SIDE * LANES) {
        let (upper, lower) = rows.split_at_mut(SIDE * LANES);
        for (x, y) in upper.iter_mut().zip(lower) {
            // Exchange the upper right quarter, x >> SIDE, with the lower left one, y.
            let swap = ((*x >> SIDE) ^ *y) & mask;
            *y ^= swap;
            *x ^= swap << SIDE;
        }
    }
}
