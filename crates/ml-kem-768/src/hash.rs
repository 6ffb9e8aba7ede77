//! The hash functions of FIPS 203 (section 4.1), block by block, so that several share a
//! permutation.
//!
//! | | function | message |
//! |---|---|---|
//! | G | SHA3-512 | m, H(ek): 64 bytes; or d, 3 |
//! | H | SHA3-256 | ek: nine blocks |
//! | J | SHAKE256 | z, c: nine blocks |
//! | PRF | SHAKE256 | a seed and a nonce: of 128 bytes, one block |
//! | XOF | SHAKE128 | rho, two indices |

use crate::{
    N_C, N_EK,
    coding::twelves,
    keccak::{Keccak, Lanes, State, States},
    product::Plain,
    tables::Q,
    vector::Vector,
    words::Words,
};

/// 256 bits: a seed, a message, a hash.
pub(crate) type Seed = [u64; 4];

/// The last bit of the padding, at the end of a block of 136 bytes or of 168: its word and the bit.
const LAST: u64 = 1 << 63;
const RATE_136: usize = 16;
const RATE_168: usize = 20;
/// SHA3's suffix 01 and the padding's first bit, and SHAKE's 1111.
const SHA3: u64 = 0x06;
const SHAKE: u64 = 0x1f;

#[inline(always)]
pub(crate) fn word(bytes: &[u8], at: usize) -> u64 {
    let (words, _) = bytes.as_chunks();
    u64::from_le_bytes(words[at])
}

pub(crate) fn words<const N: usize>(bytes: &[u8]) -> [u64; N] {
    let mut out = [0; N];
    for (i, out) in out.iter_mut().enumerate() {
        *out = word(bytes, i);
    }
    out
}

/// Returns the state of G(m, H(ek)), or of another message of 64 bytes, before its permutation.
pub(crate) fn g(m: &Seed, h: &Seed) -> State {
    let mut state = [0; 25];
    state[..4].copy_from_slice(m);
    state[4..8].copy_from_slice(h);
    state[8] = SHA3 | LAST;
    state
}

/// Returns the state of G(d, k) of key generation.
pub(crate) fn g_of_seed(d: &Seed) -> State {
    let mut state = [0; 25];
    state[..4].copy_from_slice(d);
    state[4] = SHA3 << 8 | 3;
    state[8] = LAST;
    state
}

/// Adds block `block` of the nine of J(z, c).
#[inline(always)]
pub(crate) fn add_j(z: &Seed, c: &[u8; N_C], block: usize, state: &mut State) {
    match block {
        0 => {
            state[..4].copy_from_slice(z);
            for (i, state) in state[4..17].iter_mut().enumerate() {
                *state = word(c, i);
            }
        }
        1..8 => {
            for (i, state) in state[..17].iter_mut().enumerate() {
                *state ^= word(c, 17 * block - 4 + i);
            }
        }
        _ => {
            for (i, state) in state[..4].iter_mut().enumerate() {
                *state ^= word(c, 132 + i);
            }
            state[4] ^= SHAKE;
            state[RATE_136] ^= LAST;
        }
    }
}

/// Prepares states of PRF with these nonces, next to the state `first`.
#[inline(always)]
pub(crate) fn prf<V: Vector>(first: &State, seed: &Seed, nonces: [u64; 3], out: &mut States) {
    let [a, b, c] = nonces.map(|nonce| nonce | SHAKE << 8);
    for (i, out) in out.iter_mut().enumerate() {
        out.0 = match i {
            0..4 => [first[i], seed[i], seed[i], seed[i]],
            4 => [first[i], a, b, c],
            RATE_136 => [first[i], LAST, LAST, LAST],
            _ => [first[i], 0, 0, 0],
        };
    }
}

/// Returns the state of PRF with a nonce.
pub(crate) fn prf_state(seed: &Seed, nonce: u64) -> State {
    let mut state = [0; 25];
    state[..4].copy_from_slice(seed);
    state[4] = nonce | SHAKE << 8;
    state[RATE_136] = LAST;
    state
}

/// Prepares a permutation for two messages: adds block `block` of J to the first two states. If
/// there are seeds, sets the other two to PRF with the nonce `block - 1`.
#[inline(always)]
pub(crate) fn sum_of_two<V: Vector>(
    c: [&[u8; N_C]; 2],
    block: usize,
    seeds: Option<[&Seed; 2]>,
    states: &mut States,
) {
    let nonce = (block as u64 - 1) | SHAKE << 8;
    for (i, state) in states.iter_mut().enumerate() {
        let [a, b, mut p, mut q] = state.0;
        let added = |c: &[u8; N_C]| match (block, i) {
            (1..8, 0..17) => word(c, 17 * block - 4 + i),
            (8, 0..4) => word(c, 132 + i),
            (8, 4) => SHAKE,
            (8, RATE_136) => LAST,
            _ => 0,
        };
        if let Some(seeds) = seeds {
            [p, q] = match i {
                0..4 => seeds.map(|seed| seed[i]),
                4 => [nonce; 2],
                RATE_136 => [LAST; 2],
                _ => [0; 2],
            };
        }
        state.0 = [a ^ added(c[0]), b ^ added(c[1]), p, q];
    }
}

/// A polynomial of the matrix while it is sampled. Numbers from index `filled` on are meaningless.
/// `filled` may exceed 256.
pub(crate) struct Third {
    pub(crate) numbers: [i16; 256 + SPARE],
    pub(crate) filled: usize,
}

/// Space after the polynomial: eight words are written even if none of them is accepted.
const SPARE: usize = 8;

impl Third {
    pub(crate) const fn new() -> Self {
        let (numbers, filled) = ([0; 256 + SPARE], 0);
        Self { numbers, filled }
    }

    pub(crate) fn poly(&self) -> &Plain {
        self.numbers.first_chunk().expect("256 and more")
    }
}

/// Runs SampleNTT (algorithm 7) on one block of each of the last three states: numbers of twelve
/// bits, accepted if below q. Not constant-time, since the matrix is public.
#[inline(always)]
pub(crate) fn sample<V: Vector>(states: &States, thirds: [&mut Third; 3]) {
    for (lane, third) in thirds.into_iter().enumerate() {
        let (threes, _) = states[..21].as_chunks::<3>();
        for [a, b, c] in threes {
            let words = [a, b, c].map(|lanes| lanes.0[1 + lane]);
            accept::<V>(twelves(words), third);
        }
    }
}

/// Appends the numbers below q.
#[inline(always)]
pub(crate) fn accept<V: Vector>(numbers: V, third: &mut Third) {
    /// Repeats each place, for both bytes of a word.
    const TWICE: Words = Words::bytes([[0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7]; 2]);
    let accepted = V::all::<Q>().greater(numbers).signs().to_le_bytes();
    let [low, high] = accepted.map(|accepted| KEPT[usize::from(accepted)]);
    let places = V::from_lanes(&Lanes([low, 0, high, 0])).bytes_at(V::load(&TWICE));
    // Places are even; the high byte is at the next one.
    let places = places.or(V::all::<0x100>());
    let mut kept = Words::ZERO;
    numbers.bytes_at(places).store(&mut kept);
    let (halves, _) = kept.0.as_chunks::<8>();
    for (half, accepted) in halves.iter().zip(accepted) {
        let filled = third.filled.min(256);
        third.numbers[filled..filled + 8].copy_from_slice(half);
        third.filled = filled + accepted.count_ones() as usize;
    }
}

/// For each subset of eight words (bit i is word i): the places of its words' low bytes, one per
/// byte.
static KEPT: [u64; 256] = {
    let mut table = [0; 256];
    let mut set = 0;
    while set < 256 {
        let (mut word, mut kept) = (0, 0);
        while word < 8 {
            if set >> word & 1 == 1 {
                table[set] |= (2 * word) << (8 * kept);
                kept += 1;
            }
            word += 1;
        }
        set += 1;
    }
    table
};

/// The hash H(ek), computed block by block.
pub(crate) struct H<'a> {
    ek: &'a [u8; N_EK],
    next: usize,
    state: State,
}

impl<'a> H<'a> {
    const BLOCKS: usize = 9;

    pub(crate) const fn new(ek: &'a [u8; N_EK]) -> Self {
        let (next, state) = (0, [0; 25]);
        Self { ek, next, state }
    }

    /// Adds the next block. Returns false if there is none.
    fn add(&mut self) -> bool {
        let block = self.next;
        if block == Self::BLOCKS {
            return false;
        }
        self.next += 1;
        let last = block + 1 == Self::BLOCKS;
        let words = if last { N_EK / 8 - 17 * block } else { 17 };
        for i in 0..words {
            self.state[i] ^= word(self.ek, 17 * block + i);
        }
        if last {
            self.state[words] ^= SHA3;
            self.state[RATE_136] ^= LAST;
        }
        true
    }

    /// Hashes the remaining blocks and returns the hash.
    pub(crate) fn finish(mut self, keccak: &Keccak) -> Seed {
        while self.add() {
            (keccak.one)(&mut self.state);
        }
        *self.state.first_chunk().expect("25 words")
    }
}

/// Samples the matrix A of FIPS 203, transposed: entry 3 o + j comes from rho, o, j. Not inlined,
/// since `dev/ct/matrix.supp` names it.
#[inline(never)]
pub(crate) fn sample_matrix(
    keccak: &Keccak,
    sample: fn(&States, [&mut Third; 3]),
    rho: &Seed,
    mut h: Option<&mut H<'_>>,
    matrix: &mut [Third; 9],
) {
    let (rows, _) = matrix.as_chunks_mut::<3>();
    for (o, row) in (0..).zip(rows) {
        let [a, b, c] = [0, 1, 2].map(|j: u64| o | j << 8 | SHAKE << 16);
        let mut states = [Lanes::ZERO; 25];
        for i in 0..4 {
            states[i].0 = [0, rho[i], rho[i], rho[i]];
        }
        states[4].0 = [0, a, b, c];
        states[RATE_168].0 = [0, LAST, LAST, LAST];
        while row.iter().any(|third| third.filled < 256) {
            let hashes = h.as_mut().is_some_and(|h| h.add());
            if let Some(h) = &h {
                for (lanes, word) in states.iter_mut().zip(h.state) {
                    lanes.0[0] = word;
                }
            }
            (keccak.four)(&mut states);
            if let Some(h) = h.as_mut().filter(|_| hashes) {
                for (lanes, word) in states.iter().zip(&mut h.state) {
                    *word = lanes.0[0];
                }
            }
            sample(&states, row.each_mut());
        }
    }
}
