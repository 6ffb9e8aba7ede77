//! ML-KEM.KeyGen, Encaps and Decaps (FIPS 203, section 6), composed of kernels.

use core::array::from_fn;

use crate::{
    N_C, N_DK, N_EK, N_SEED, N_SS,
    coding::{self, Message},
    hash::{self, H, Seed, Third, words},
    keccak::{Keccak, Lanes, State, States},
    kernels::Kernels,
    product::{Plain, Table},
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

/// The working memory for one message. Wiped on drop.
struct Scratch {
    received: Poly,
    decompressed: Poly,
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
    const fn new() -> Self {
        Self {
            received: ZERO_POLY,
            decompressed: ZERO_POLY,
            y: ZERO_POLY,
            p: ZERO_POLY,
            message: [Words::ZERO; 16],
            noise: [[Lanes::ZERO; 16]; 2],
            g: [0; 25],
            j: [0; 25],
            states: ZERO_STATES,
        }
    }

    /// Returns the shared secret, the first half of G's output.
    fn k(&self) -> &Seed {
        self.g.first_chunk().expect("25 words")
    }

    /// Returns the seed of all noise, the second half of G's output.
    fn r(&self) -> Seed {
        from_fn(|i| self.g[4 + i])
    }

    /// Takes the words of state `from` as the noise with nonce `n`: y0, y1, y2, then e1, and last
    /// e2.
    fn take_noise(&mut self, n: usize, states: &States, from: usize) {
        let (half, to) = match n {
            0..3 => (0, 1 + n),
            3..6 => (1, n - 2),
            _ => (1, 0),
        };
        for (noise, states) in self.noise[half].iter_mut().zip(states) {
            noise.0[to] = states.0[from];
        }
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        for poly in [
            &mut self.received,
            &mut self.decompressed,
            &mut self.y,
            &mut self.p,
        ] {
            wipe(poly, ZERO_POLY);
        }
        wipe(&mut self.message, [Words::ZERO; 16]);
        wipe(&mut self.noise, [[Lanes::ZERO; 16]; 2]);
        wipe(&mut self.g, [0; 25]);
        wipe(&mut self.j, [0; 25]);
        wipe(&mut self.states, ZERO_STATES);
    }
}

fn first_16(states: &States) -> [Lanes; 16] {
    *states.first_chunk().expect("25 words")
}

/// Runs K-PKE.Decrypt (algorithm 15).
fn decrypt<K: Kernels>(s: &Table, c: &[u8; N_C], w: &mut Scratch) -> Seed {
    K::decode(c, &mut w.received, &mut w.decompressed, &mut w.y);
    K::forward(&mut w.y);
    K::secret_product(s, &w.y, &mut w.p);
    K::inverse(&mut w.p);
    K::message(&w.decompressed, &w.p, &mut w.message)
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
fn select<K: Kernels>(w: &Scratch, out: &mut [u8; N_SS]) {
    let differs = K::compare(&w.received, &w.decompressed, &w.p, &w.y, &w.message);
    let (bytes, _) = out.as_chunks_mut();
    for ((out, k), j) in bytes.iter_mut().zip(w.k()).zip(&w.j) {
        *out = (k ^ ((k ^ j) & differs)).to_le_bytes();
    }
}

/// Decapsulates with nine permutations: G next to J's first block, PRF in threes next to J's second
/// to fourth, and J's other five blocks alone.
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
        keccak: &Keccak,
        public: &Public,
        Secret { s, z }: &Secret,
        c: &[u8; N_C],
        out: &mut [u8; N_SS],
    ) {
        let m = decrypt::<K>(s, c, w);
        w.g = hash::g(&m, &public.h);
        hash::add_j(z, c, 0, &mut w.j);
        (keccak.two)([&mut w.j, &mut w.g]);
        let r = w.r();
        for (block, nonces) in [(1, [0, 1, 2]), (2, [3, 4, 5]), (3, [6; 3])] {
            hash::add_j(z, c, block, &mut w.j);
            K::prf(&w.j, &r, nonces, &mut w.states);
            (keccak.four)(&mut w.states);
            for (j, lanes) in w.j.iter_mut().zip(&w.states) {
                *j = lanes.0[0];
            }
            match block {
                1 => w.noise[0] = first_16(&w.states),
                2 => w.noise[1] = first_16(&w.states),
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
        encrypt::<K>(&public.a, w);
        select::<K>(w, out);
    }
    within::<K>(&mut Scratch::new(), keccak, public, secret, c, out);
    wipe_stack::<OF_MESSAGES>();
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
        states: &mut States,
        keccak: &Keccak,
        public: &Public,
        secret: &Secret,
        c: [&[u8; N_C]; 2],
        out: [&mut [u8; N_SS]; 2],
    ) {
        for (w, c) in w.iter_mut().zip(c) {
            let m = decrypt::<K>(&secret.s, c, w);
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
                w[0].take_noise(block - 1, states, 2);
                w[1].take_noise(block - 1, states, 3);
            }
        }
        for (i, lanes) in states.iter().enumerate() {
            [w[0].j[i], w[1].j[i], _, _] = lanes.0;
        }
        for (w, out) in w.iter_mut().zip(out) {
            encrypt::<K>(&public.a, w);
            select::<K>(w, out);
        }
    }
    let (mut w, mut states) = ([Scratch::new(), Scratch::new()], ZERO_STATES);
    within::<K>(&mut w, &mut states, keccak, public, secret, c, out);
    wipe(&mut states, ZERO_STATES);
    wipe_stack::<OF_MESSAGES>();
}

/// Encapsulates from the output of G on, with two permutations: PRF four times, then three times.
fn encaps_after_g<K: Kernels>(
    w: &mut Scratch,
    keccak: &Keccak,
    public: &Public,
    m: &Seed,
    c: &mut [u8; N_C],
    out: &mut [u8; N_SS],
) {
    let r = w.r();
    w.j = hash::prf_state(&r, 6);
    K::prf(&w.j, &r, [0, 1, 2], &mut w.states);
    (keccak.four)(&mut w.states);
    w.noise[0] = first_16(&w.states);
    K::prf(&[0; 25], &r, [3, 4, 5], &mut w.states);
    (keccak.four)(&mut w.states);
    w.noise[1] = first_16(&w.states);
    let [y, e] = &mut w.noise;
    for (e, y) in e.iter_mut().zip(y) {
        e.0[0] = y.0[0];
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
    within::<K>(&mut Scratch::new(), keccak, public, m, c, out);
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
    let w = [&mut Scratch::new(), &mut Scratch::new()];
    within::<K>(w, keccak, public, m, c, out);
    wipe_stack::<OF_MESSAGES>();
}

/// Checks an encapsulation key (section 7.2) and expands it. Returns false if a number is not below
/// q.
pub(crate) fn unpack<K: Kernels>(keccak: &Keccak, ek: &[u8; N_EK], public: &mut Public) -> bool {
    let mut matrix = [const { Third::new() }; 9];
    let rho = rho(ek);
    let mut h = H::new(ek);
    hash::sample_matrix(keccak, K::sample, &rho, Some(&mut h), &mut matrix);
    public.h = h.finish(keccak);
    public.bytes = *ek;
    let mut canonical = true;
    let (chunks, _) = ek.as_chunks();
    for (j, bytes) in chunks.iter().enumerate() {
        let mut t = [0; 256];
        K::decode_12(bytes, &mut t);
        canonical &= coding::is_canonical(&t);
        tables::<K>(&t, &matrix, j, &mut public.a[j]);
    }
    canonical
}

/// Makes a table of t and three polynomials of A.
fn tables<K: Kernels>(t: &Plain, matrix: &[Third; 9], j: usize, out: &mut Table) {
    let [a, b, c] = [j, 3 + j, 6 + j].map(|at| matrix[at].poly());
    K::table([t, a, b, c], out);
}

/// Returns the last 32 bytes of an encapsulation key: the seed of A.
fn rho(ek: &[u8; N_EK]) -> Seed {
    words(&ek[N_EK - 32..])
}

/// Checks a decapsulation key (section 7.3) and the encapsulation key in it, and expands both.
/// Returns false if a check fails.
pub(crate) fn import<K: Kernels>(
    keccak: &Keccak,
    dk: &[u8; N_DK],
    public: &mut Public,
    secret: &mut Secret,
) -> bool {
    #[inline(never)]
    fn within<K: Kernels>(s: &[u8; 1152], out: &mut Table) {
        let mut polys = [[0; 256]; 4];
        let (chunks, _) = s.as_chunks();
        for (bytes, poly) in chunks.iter().zip(&mut polys) {
            K::decode_12(bytes, poly);
        }
        let [a, b, c, nothing] = &polys;
        K::table([nothing, a, b, c], out);
    }
    let (s, rest) = dk.split_first_chunk().expect("2,400 bytes");
    let (ek, rest) = rest.split_first_chunk().expect("1,248 bytes");
    let (h, z) = rest.split_at(32);
    secret.z = words(z);
    within::<K>(s, &mut secret.s);
    wipe_stack::<OF_KEYS>();
    let canonical = unpack::<K>(keccak, ek, public);
    canonical && public.h == words(h)
}

/// Runs ML-KEM.KeyGen_internal (algorithm 16).
pub(crate) fn key_gen<K: Kernels>(
    keccak: &Keccak,
    seed: &[u8; N_SEED],
    public: &mut Public,
    secret: &mut Secret,
) {
    within::<K>(&mut Scratch::new(), keccak, seed, public, secret);
    wipe_stack::<OF_KEYS>();
    public.h = H::new(&public.bytes).finish(keccak);

    #[inline(never)]
    fn within<K: Kernels>(
        w: &mut Scratch,
        keccak: &Keccak,
        seed: &[u8; N_SEED],
        public: &mut Public,
        secret: &mut Secret,
    ) {
        let (d, z) = seed.split_at(32);
        secret.z = words(z);
        w.g = hash::g_of_seed(&words(d));
        (keccak.one)(&mut w.g);
        let (rho, sigma) = (*w.k(), w.r());
        K::prf(&[0; 25], &sigma, [0, 1, 2], &mut w.states);
        (keccak.four)(&mut w.states);
        K::noise(&first_16(&w.states), &mut w.y);
        K::prf(&[0; 25], &sigma, [3, 4, 5], &mut w.states);
        (keccak.four)(&mut w.states);
        let e = &mut w.decompressed;
        K::noise(&first_16(&w.states), e);
        // Products must not include v's words.
        for vector in &mut w.y {
            let (quads, _) = vector.0.as_chunks_mut::<4>();
            quads.iter_mut().for_each(|quad| quad[0] = 0);
        }
        K::forward(&mut w.y);
        K::forward(e);
        let mut polys = [[0; 256]; 4];
        K::plain(&w.y, &mut polys);
        K::table(polys.each_ref(), &mut secret.s);

        let mut matrix = [const { Third::new() }; 9];
        hash::sample_matrix(keccak, K::sample, &rho, None, &mut matrix);
        for (j, table) in public.a.iter_mut().enumerate() {
            tables::<K>(&[0; 256], &matrix, j, table);
        }
        K::key_product(&public.a, &w.y, &mut w.p);
        for (p, e) in w.p.iter_mut().zip(e) {
            for (p, e) in p.0.iter_mut().zip(e.0) {
                *p += e;
            }
        }
        K::plain(&w.p, &mut polys);
        let (chunks, rest) = public.bytes.as_chunks_mut::<384>();
        for (j, (bytes, table)) in chunks.iter_mut().zip(&mut public.a).enumerate() {
            let t = &polys[1 + j];
            coding::encode_12(t, bytes);
            tables::<K>(t, &matrix, j, table);
        }
        for (out, word) in rest.chunks_exact_mut(8).zip(rho) {
            out.copy_from_slice(&word.to_le_bytes());
        }
    }
}

/// The most stack that operations use below the functions that wipe it, in bytes: operations on
/// messages, and operations on keys.
const OF_MESSAGES: usize = 4096;
const OF_KEYS: usize = 16384;
