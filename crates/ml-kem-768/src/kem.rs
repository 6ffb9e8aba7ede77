//! ML-KEM.KeyGen, Encaps and Decaps (FIPS 203, section 6), composed of kernels.

mod keys;

use core::array::from_fn;

pub(crate) use keys::{import, key_gen, unpack};

use crate::{
    N_C, N_EK, N_SS,
    coding::Message,
    hash::{self, Seed, words},
    keccak::{Keccak, Lanes, State, States},
    kernels::Kernels,
    product::Table,
    transform::Poly,
    wipe::{wipe, wipe_stack},
    words::Words,
};

const ZERO_POLY: Poly = [Words::ZERO; 64];
const ZERO_TABLE: Table = [Words::ZERO; 128];
const ZERO_STATES: States = [Lanes::ZERO; 25];

/// The public part of a key: A, t and H(ek).
pub(crate) struct Public {
    pub(crate) bytes: [u8; N_EK],
    a: [Table; 3],
    h: Seed,
}

/// The private part of a key: s and z. Wiped on drop.
pub(crate) struct Secret {
    s: Table,
    z: Seed,
}

impl Public {
    pub(crate) const fn new() -> Self {
        Self {
            bytes: [0; N_EK],
            a: [ZERO_TABLE; 3],
            h: [0; 4],
        }
    }
}

impl Secret {
    pub(crate) const fn new() -> Self {
        Self {
            s: ZERO_TABLE,
            z: [0; 4],
        }
    }
}

impl Drop for Secret {
    fn drop(&mut self) {
        wipe(&mut self.s, ZERO_TABLE);
        wipe(&mut self.z, [0; 4]);
    }
}

/// The secret working memory for one message. Each operation wipes it, all at once.
#[derive(Clone, Copy)]
struct Scratch {
    y: Poly,
    p: Poly,
    message: Message,
    /// Noise for y, and for e2 and e1.
    noise: [[Lanes; 16]; 2],
    g: State,
    j: State,
    states: States,
}

impl Scratch {
    const ZERO: Self = Self {
        y: ZERO_POLY,
        p: ZERO_POLY,
        message: [Words::ZERO; 16],
        noise: [[Lanes::ZERO; 16]; 2],
        g: [0; 25],
        j: [0; 25],
        states: ZERO_STATES,
    };

    /// Returns the shared secret, the first half of G's output.
    fn k(&self) -> &Seed {
        self.g.first_chunk().expect("25 words")
    }

    /// Returns the seed of all noise, the second half of G's output.
    fn r(&self) -> Seed {
        from_fn(|i| self.g[4 + i])
    }

    /// Takes the words of a state as the noise with nonce `n`: y0, y1, y2, then e1, and last e2.
    fn take_noise<'s>(&mut self, n: usize, words: impl IntoIterator<Item = &'s u64>) {
        let (half, to) = match n {
            0..3 => (0, 1 + n),
            3..6 => (1, n - 2),
            _ => (1, 0),
        };
        for (noise, word) in self.noise[half].iter_mut().zip(words) {
            noise.0[to] = *word;
        }
    }
}

/// A ciphertext: its numbers, and what they decompress to. They are public, and not wiped.
struct Received {
    numbers: Poly,
    decompressed: Poly,
}

impl Received {
    const ZERO: Self = Self {
        numbers: ZERO_POLY,
        decompressed: ZERO_POLY,
    };
}

fn first_16(states: &States) -> &[Lanes; 16] {
    states.first_chunk().expect("25 words")
}

/// Runs K-PKE.Decrypt (algorithm 15).
fn decrypt<K: Kernels>(s: &Table, c: &[u8; N_C], w: &mut Scratch, received: &mut Received) -> Seed {
    let Received {
        numbers,
        decompressed,
    } = received;
    K::decode(c, numbers, decompressed, &mut w.y);
    K::forward(&mut w.y);
    K::secret_product(s, &w.y, &mut w.p);
    K::inverse(&mut w.p);
    K::message(decompressed, &w.p, &mut w.message)
}

/// Runs K-PKE.Encrypt (algorithm 14) without adding e and the message; e is left in y. The words of
/// v in y come from the state next to the noise; no product uses them.
fn encrypt<K: Kernels>(a: &[Table; 3], w: &mut Scratch) {
    K::noise(&w.noise[0], &mut w.y);
    K::forward(&mut w.y);
    K::matrix_product(a, &w.y, &mut w.p);
    K::inverse(&mut w.p);
    K::noise(&w.noise[1], &mut w.y);
}

/// Writes the shared secret if the message encrypts to the ciphertext, else the output of J,
/// without a branch.
fn select<K: Kernels>(w: &Scratch, received: &Received, out: &mut [u8; N_SS]) {
    let Received {
        numbers,
        decompressed,
    } = received;
    let differs = K::compare(numbers, decompressed, &w.p, &w.y, &w.message);
    let (bytes, _) = out.as_chunks_mut();
    for ((out, k), j) in bytes.iter_mut().zip(w.k()).zip(&w.j) {
        *out = (k ^ ((k ^ j) & differs)).to_le_bytes();
    }
}

/// Decapsulates with nine permutations: G next to J's first block, then PRF next to J's others.
pub(crate) fn decaps<K: Kernels>(
    keccak: &Keccak,
    public: &Public,
    secret: &Secret,
    c: &[u8; N_C],
    out: &mut [u8; N_SS],
) {
    #[inline(never)]
    fn within<K: Kernels>(
        w: &mut Scratch,
        received: &mut Received,
        keccak: &Keccak,
        public: &Public,
        Secret { s, z }: &Secret,
        c: &[u8; N_C],
        out: &mut [u8; N_SS],
    ) {
        let m = decrypt::<K>(s, c, w, received);
        w.g = hash::g(&m, &public.h);
        hash::add_j(z, c, 0, &mut w.j);
        (keccak.two)([&mut w.j, &mut w.g]);
        if K::FOUR_STATES {
            j_and_threes_of_prf::<K>(w, keccak, z, c);
        } else {
            j_and_prf(w, keccak, z, c);
        }
        encrypt::<K>(&public.a, w);
        select::<K>(w, received, out);
    }
    let (mut w, mut received) = (Scratch::ZERO, Received::ZERO);
    within::<K>(&mut w, &mut received, keccak, public, secret, c, out);
    wipe(&mut w, Scratch::ZERO);
    wipe_stack::<OF_MESSAGES>();
}

/// Hashes the noise, and J after its first block: PRF in threes next to J's second to fourth, and
/// the other five alone.
fn j_and_threes_of_prf<K: Kernels>(w: &mut Scratch, keccak: &Keccak, z: &Seed, c: &[u8; N_C]) {
    let r = w.r();
    for (block, nonces) in [(1, [0, 1, 2]), (2, [3, 4, 5]), (3, [6; 3])] {
        hash::add_j(z, c, block, &mut w.j);
        K::prf(&w.j, &r, nonces, &mut w.states);
        (keccak.four)(&mut w.states);
        for (j, lanes) in w.j.iter_mut().zip(&w.states) {
            *j = lanes.0[0];
        }
        match block {
            1 => w.noise[0] = *first_16(&w.states),
            2 => w.noise[1] = *first_16(&w.states),
            _ => {
                for (noise, states) in w.noise[1].iter_mut().zip(&w.states) {
                    noise.0[0] = states.0[1];
                }
            }
        }
    }
    for block in 4..9 {
        hash::add_j(z, c, block, &mut w.j);
        (keccak.one)(&mut w.j);
    }
}

/// Hashes the same with vectors of two states: each PRF next to a block of J, and the last block
/// alone.
fn j_and_prf(w: &mut Scratch, keccak: &Keccak, z: &Seed, c: &[u8; N_C]) {
    let (r, mut prf) = (w.r(), [0; 25]);
    for n in 0..7 {
        hash::add_j(z, c, 1 + n, &mut w.j);
        prf = hash::prf_state(&r, n as u64);
        (keccak.two)([&mut w.j, &mut prf]);
        w.take_noise(n, &prf);
    }
    wipe(&mut prf, [0; 25]);
    hash::add_j(z, c, 8, &mut w.j);
    (keccak.one)(&mut w.j);
}

/// Decapsulates two ciphertexts with nine permutations of four states: J of both next to G of both,
/// then next to each PRF of both.
pub(crate) fn decaps_two<K: Kernels>(
    keccak: &Keccak,
    public: &Public,
    secret: &Secret,
    c: [&[u8; N_C]; 2],
    out: [&mut [u8; N_SS]; 2],
) {
    #[inline(never)]
    fn within<K: Kernels>(
        w: &mut [Scratch; 2],
        received: &mut [Received; 2],
        states: &mut States,
        keccak: &Keccak,
        (public, secret): (&Public, &Secret),
        c: [&[u8; N_C]; 2],
        out: [&mut [u8; N_SS]; 2],
    ) {
        for ((w, c), received) in w.iter_mut().zip(c).zip(&mut *received) {
            let m = decrypt::<K>(&secret.s, c, w, received);
            w.g = hash::g(&m, &public.h);
            hash::add_j(&secret.z, c, 0, &mut w.j);
        }
        for (i, lanes) in states.iter_mut().enumerate() {
            lanes.0 = [w[0].j[i], w[1].j[i], w[0].g[i], w[1].g[i]];
        }
        (keccak.four)(states);
        for (i, lanes) in states.iter().enumerate() {
            [_, _, w[0].g[i], w[1].g[i]] = lanes.0;
        }
        let r = [w[0].r(), w[1].r()];
        for block in 1..9 {
            let seeds = (block < 8).then(|| r.each_ref());
            K::sum_of_two(c, block, seeds, states);
            (keccak.four)(states);
            if block < 8 {
                w[0].take_noise(block - 1, states.iter().map(|lanes| &lanes.0[2]));
                w[1].take_noise(block - 1, states.iter().map(|lanes| &lanes.0[3]));
            }
        }
        for (i, lanes) in states.iter().enumerate() {
            [w[0].j[i], w[1].j[i], _, _] = lanes.0;
        }
        for ((w, received), out) in w.iter_mut().zip(received).zip(out) {
            encrypt::<K>(&public.a, w);
            select::<K>(w, received, out);
        }
    }
    if !K::FOUR_STATES {
        for (c, out) in c.into_iter().zip(out) {
            decaps::<K>(keccak, public, secret, c, out);
        }
        return;
    }
    let (mut w, mut received) = ([Scratch::ZERO; 2], [Received::ZERO; 2]);
    let mut states = ZERO_STATES;
    let keys = (public, secret);
    within::<K>(&mut w, &mut received, &mut states, keccak, keys, c, out);
    wipe(&mut w, [Scratch::ZERO; 2]);
    wipe(&mut states, ZERO_STATES);
    wipe_stack::<OF_MESSAGES>();
}

/// Hashes the noise of an encapsulation: PRF four times, then three times.
fn fours_of_prf<K: Kernels>(w: &mut Scratch, keccak: &Keccak) {
    let r = w.r();
    w.j = hash::prf_state(&r, 6);
    K::prf(&w.j, &r, [0, 1, 2], &mut w.states);
    (keccak.four)(&mut w.states);
    w.noise[0] = *first_16(&w.states);
    K::prf(&[0; 25], &r, [3, 4, 5], &mut w.states);
    (keccak.four)(&mut w.states);
    w.noise[1] = *first_16(&w.states);
    let [y, e] = &mut w.noise;
    for (e, y) in e.iter_mut().zip(y) {
        e.0[0] = y.0[0];
    }
}

/// Hashes the same with vectors of two states: PRF three times two, and once.
fn twos_of_prf(w: &mut Scratch, keccak: &Keccak) {
    let (r, mut states) = (w.r(), [[0; 25]; 2]);
    for n in [0, 2, 4] {
        states = [n, n + 1].map(|n| hash::prf_state(&r, n as u64));
        (keccak.two)(states.each_mut());
        w.take_noise(n, &states[0]);
        w.take_noise(n + 1, &states[1]);
    }
    states[0] = hash::prf_state(&r, 6);
    (keccak.one)(&mut states[0]);
    w.take_noise(6, &states[0]);
    wipe(&mut states, [[0; 25]; 2]);
}

/// Encapsulates from the output of G on.
fn encaps_after_g<K: Kernels>(
    w: &mut Scratch,
    keccak: &Keccak,
    public: &Public,
    m: &Seed,
    c: &mut [u8; N_C],
    out: &mut [u8; N_SS],
) {
    if K::FOUR_STATES {
        fours_of_prf::<K>(w, keccak);
    } else {
        twos_of_prf(w, keccak);
    }
    encrypt::<K>(&public.a, w);
    K::spread(m, &mut w.message);
    K::encode(&w.p, &w.y, &w.message, c);
    let (bytes, _) = out.as_chunks_mut();
    for (out, k) in bytes.iter_mut().zip(w.k()) {
        *out = k.to_le_bytes();
    }
}

/// Encapsulates with three permutations.
pub(crate) fn encaps<K: Kernels>(
    keccak: &Keccak,
    public: &Public,
    m: &[u8; 32],
    c: &mut [u8; N_C],
    out: &mut [u8; N_SS],
) {
    #[inline(never)]
    fn within<K: Kernels>(
        w: &mut Scratch,
        keccak: &Keccak,
        public: &Public,
        m: &[u8; 32],
        c: &mut [u8; N_C],
        out: &mut [u8; N_SS],
    ) {
        let m = words(m);
        w.g = hash::g(&m, &public.h);
        (keccak.one)(&mut w.g);
        encaps_after_g::<K>(w, keccak, public, &m, c, out);
    }
    let mut w = Scratch::ZERO;
    within::<K>(&mut w, keccak, public, m, c, out);
    wipe(&mut w, Scratch::ZERO);
    wipe_stack::<OF_MESSAGES>();
}

/// Encapsulates two messages with five permutations: both share that of G.
pub(crate) fn encaps_two<K: Kernels>(
    keccak: &Keccak,
    public: &Public,
    m: [&[u8; 32]; 2],
    c: [&mut [u8; N_C]; 2],
    out: [&mut [u8; N_SS]; 2],
) {
    #[inline(never)]
    fn within<K: Kernels>(
        [a, b]: [&mut Scratch; 2],
        keccak: &Keccak,
        public: &Public,
        m: [&[u8; 32]; 2],
        [c0, c1]: [&mut [u8; N_C]; 2],
        [out0, out1]: [&mut [u8; N_SS]; 2],
    ) {
        let m = m.map(|m| words(m));
        (a.g, b.g) = (hash::g(&m[0], &public.h), hash::g(&m[1], &public.h));
        (keccak.two)([&mut a.g, &mut b.g]);
        encaps_after_g::<K>(a, keccak, public, &m[0], c0, out0);
        encaps_after_g::<K>(b, keccak, public, &m[1], c1, out1);
    }
    if !K::FOUR_STATES {
        for ((m, c), out) in m.into_iter().zip(c).zip(out) {
            encaps::<K>(keccak, public, m, c, out);
        }
        return;
    }
    let mut w = [Scratch::ZERO; 2];
    within::<K>(w.each_mut(), keccak, public, m, c, out);
    wipe(&mut w, [Scratch::ZERO; 2]);
    wipe_stack::<OF_MESSAGES>();
}

/// The most stack that operations use below the functions that wipe it, in bytes: operations on
/// messages, and operations on keys.
const OF_MESSAGES: usize = 4096;
const OF_KEYS: usize = 16384;
