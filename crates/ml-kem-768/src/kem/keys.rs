//! Keys: ML-KEM.KeyGen, and keys from bytes with their checks.

use super::{OF_KEYS, Public, Scratch, Secret, first_16};
use crate::{
    N_DK, N_EK, N_SEED, coding,
    hash::{self, H, Seed, Third, words},
    keccak::Keccak,
    kernels::Kernels,
    product::{Plain, Table},
    wipe::{wipe, wipe_stack},
};

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
    let mut w = Scratch::ZERO;
    within::<K>(&mut w, keccak, seed, public, secret);
    wipe(&mut w, Scratch::ZERO);
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
        K::noise(first_16(&w.states), &mut w.y);
        // Products must not include v's words.
        for vector in &mut w.y {
            let (quads, _) = vector.0.as_chunks_mut::<4>();
            quads.iter_mut().for_each(|quad| quad[0] = 0);
        }
        K::forward(&mut w.y);
        let mut polys = [[0; 256]; 4];
        K::plain(&w.y, &mut polys);
        K::table(polys.each_ref(), &mut secret.s);

        let mut matrix = [const { Third::new() }; 9];
        hash::sample_matrix(keccak, K::sample, &rho, None, &mut matrix);
        for (j, table) in public.a.iter_mut().enumerate() {
            tables::<K>(&[0; 256], &matrix, j, table);
        }
        K::key_product(&public.a, &w.y, &mut w.p);

        K::prf(&[0; 25], &sigma, [3, 4, 5], &mut w.states);
        (keccak.four)(&mut w.states);
        let e = &mut w.y;
        K::noise(first_16(&w.states), e);
        K::forward(e);
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
