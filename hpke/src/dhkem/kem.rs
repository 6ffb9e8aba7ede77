//! Encap and Decap with their authenticated forms, DeriveKeyPair, and ExtractAndExpand (RFC 9180,
//! sections 4.1 and 7.1.3).

use alloc::{vec, vec::Vec};

use super::{DhKem, DhPrivateKey, DhPublicKey, Group, OwnAndShared};
use crate::{
    Error, Kem, KemInfo, Labels, Secret, SharedSecret, SharedSecrets, TwoStage,
    kem::encap_one_by_one, labeled::kem_suite_id, secret::Short,
};

impl<G: Group, D: TwoStage> Kem for DhKem<G, D> {
    type PrivateKey = DhPrivateKey<G>;
    type PublicKey = DhPublicKey<G>;
    type Enc = G::PointBytes;

    fn info(&self) -> &KemInfo {
        &self.info
    }

    fn derive_key_pair(&self, ikm: &[u8]) -> Result<(DhPrivateKey<G>, DhPublicKey<G>), Error> {
        let suite_id = kem_suite_id(self.info.id);
        let labels = Labels::v1(&suite_id);
        let dkp_prk = self.kdf.labeled_prk(&labels, b"", "dkp_prk", [ikm, b""])?;
        let scalar = match G::CANDIDATE_MASK {
            None => {
                let mut sk = Secret::zeros(G::N_SK);
                self.expand_scalar(&labels, &dkp_prk, sk.as_mut())?;
                G::scalar(sk.as_ref())?
            }
            Some(mask) => self.first_candidate(&labels, &dkp_prk, mask)?,
        };
        let sk = DhPrivateKey::new(scalar);
        let pk = sk.public.clone();
        Ok((sk, pk))
    }

    fn deserialize_private_key(&self, bytes: &[u8]) -> Result<DhPrivateKey<G>, Error> {
        G::scalar(bytes).map(DhPrivateKey::new)
    }

    fn serialize_private_key(&self, sk: &DhPrivateKey<G>) -> Result<Secret, Error> {
        Ok(Secret::from_bytes(G::scalar_bytes(&sk.scalar).as_ref()))
    }

    fn deserialize_public_key(&self, bytes: &[u8]) -> Result<DhPublicKey<G>, Error> {
        G::point(bytes).map(DhPublicKey::new)
    }

    fn public_key(&self, sk: &DhPrivateKey<G>) -> Result<DhPublicKey<G>, Error> {
        Ok(sk.public.clone())
    }

    fn precompute(&self, pk: &mut DhPublicKey<G>) {
        G::precompute(&mut pk.point);
    }

    fn encap(
        &self,
        pk_r: &DhPublicKey<G>,
        randomness: &[u8],
    ) -> Result<(SharedSecret, G::PointBytes), Error> {
        let (enc, dh) = self.agree(pk_r, randomness)?;
        let kem_context = [enc.as_ref(), pk_r.as_ref(), b""];
        Ok((
            self.extract_and_expand([dh.as_ref(), b""], kem_context)?,
            enc,
        ))
    }

    fn encap_batch(
        &self,
        pk_r: &DhPublicKey<G>,
        randomness: &[&[u8]],
    ) -> Result<(SharedSecrets, Vec<G::PointBytes>), Error> {
        if G::CANDIDATE_MASK.is_some() {
            return encap_one_by_one(self, pk_r, randomness);
        }
        let scalars = self.ephemeral_scalars(randomness)?;
        let Some((encs, dhs)) = G::agree_batch(scalars.as_ref(), &pk_r.point) else {
            return encap_one_by_one(self, pk_r, randomness);
        };
        let shared_secrets: SharedSecrets = (dhs.iter().zip(&encs))
            .map(|(dh, enc)| self.expand_one(dh, enc.as_ref(), pk_r))
            .collect();
        shared_secrets.all()?;
        Ok((shared_secrets, encs))
    }

    fn decap(&self, enc: &[u8], sk_r: &DhPrivateKey<G>) -> Result<SharedSecret, Error> {
        let dh = G::dh(&sk_r.scalar, &G::point(enc)?)?;
        self.extract_and_expand([dh.as_ref(), b""], [enc, sk_r.public.as_ref(), b""])
    }

    fn decap_batch(&self, encs: &[&[u8]], sk_r: &DhPrivateKey<G>) -> SharedSecrets {
        let dhs = G::dh_batch(&sk_r.scalar, encs.iter().map(|enc| G::point(enc)).collect());
        (dhs.iter().zip(encs))
            .map(|(dh, enc)| self.expand_one(dh, enc, &sk_r.public))
            .collect()
    }

    fn auth_encap(
        &self,
        pk_r: &DhPublicKey<G>,
        sk_s: &DhPrivateKey<G>,
        randomness: &[u8],
    ) -> Result<(SharedSecret, G::PointBytes), Error> {
        let (enc, dh_e) = self.agree(pk_r, randomness)?;
        let dh_s = G::dh(&sk_s.scalar, &pk_r.point)?;
        let kem_context = [enc.as_ref(), pk_r.as_ref(), sk_s.public.as_ref()];
        Ok((
            self.extract_and_expand([dh_e.as_ref(), dh_s.as_ref()], kem_context)?,
            enc,
        ))
    }

    fn auth_decap(
        &self,
        enc: &[u8],
        sk_r: &DhPrivateKey<G>,
        pk_s: &DhPublicKey<G>,
    ) -> Result<SharedSecret, Error> {
        let dh_e = G::dh(&sk_r.scalar, &G::point(enc)?)?;
        let dh_s = G::dh(&sk_r.scalar, &pk_s.point)?;
        self.extract_and_expand(
            [dh_e.as_ref(), dh_s.as_ref()],
            [enc, sk_r.public.as_ref(), pk_s.as_ref()],
        )
    }
}

impl<G: Group, D: TwoStage> DhKem<G, D> {
    /// Computes the ephemeral public key of one encapsulation, and its DH with the recipient's
    /// key.
    fn agree(
        &self,
        pk_r: &DhPublicKey<G>,
        randomness: &[u8],
    ) -> Result<OwnAndShared<G::PointBytes>, Error> {
        let sk_e = if G::CANDIDATE_MASK.is_none() {
            let scalar = self.ephemeral_scalars(&[randomness])?;
            if let Some(agreed) = G::agree(scalar.as_ref(), &pk_r.point)? {
                return Ok(agreed);
            }
            DhPrivateKey::new(G::scalar(scalar.as_ref())?)
        } else {
            self.ephemeral(randomness)?
        };
        let dh = G::dh(&sk_e.scalar, &pk_r.point)?;
        Ok((sk_e.public.bytes, dh))
    }

    /// Derives the ephemeral key pair of one encapsulation, so that randomness of any distribution
    /// gives a valid key.
    fn ephemeral(&self, randomness: &[u8]) -> Result<DhPrivateKey<G>, Error> {
        if randomness.len() != self.info.n_random {
            return Err(Error::Encap);
        }
        self.derive_key_pair(randomness).map(|(sk, _)| sk)
    }

    /// Derives the ephemeral private keys of many encapsulations, Nsk bytes each, for groups in
    /// which any Nsk bytes are a key.
    fn ephemeral_scalars(&self, randomness: &[&[u8]]) -> Result<Secret, Error> {
        let mut scalars = Secret::new(vec![0; randomness.len() * G::N_SK]);
        let suite_id = kem_suite_id(self.info.id);
        let labels = Labels::v1(&suite_id);
        for (scalar, ikm) in scalars.as_mut().chunks_mut(G::N_SK).zip(randomness) {
            if ikm.len() != self.info.n_random {
                return Err(Error::Encap);
            }
            let dkp_prk = self.kdf.labeled_prk(&labels, b"", "dkp_prk", [ikm, b""])?;
            self.expand_scalar(&labels, &dkp_prk, scalar)?;
        }
        Ok(scalars)
    }

    /// Computes DeriveKeyPair's last step for groups in which any Nsk bytes are a private key
    /// (section 7.1.3).
    fn expand_scalar(
        &self,
        labels: &Labels<'_>,
        dkp_prk: &D::Prk,
        sk: &mut [u8],
    ) -> Result<(), Error> {
        self.kdf.labeled_expand(labels, dkp_prk, "sk", [b""; 3], sk)
    }

    /// Runs DeriveKeyPair's rejection sampling (section 7.1.3): returns the first of 256
    /// candidates that is a private key.
    fn first_candidate(
        &self,
        labels: &Labels<'_>,
        dkp_prk: &D::Prk,
        mask: u8,
    ) -> Result<G::Scalar, Error> {
        let mut candidate = Secret::zeros(G::N_SK);
        for counter in 0..=u8::MAX {
            self.kdf.labeled_expand(
                labels,
                dkp_prk,
                "candidate",
                [&[counter], b"", b""],
                candidate.as_mut(),
            )?;
            candidate.as_mut()[0] &= mask;
            if let Ok(scalar) = G::scalar(candidate.as_ref()) {
                return Ok(scalar);
            }
        }
        Err(Error::DeriveKeyPair)
    }

    /// Computes the shared secret of one encapsulation in a batch, from its DH.
    fn expand_one(
        &self,
        dh: &Result<Secret<Short>, Error>,
        enc: &[u8],
        pk_r: &DhPublicKey<G>,
    ) -> Result<SharedSecret, Error> {
        let dh = dh.as_ref().map_err(|error| *error)?;
        self.extract_and_expand([dh.as_ref(), b""], [enc, pk_r.as_ref(), b""])
    }

    /// Computes `ExtractAndExpand(dh, kem_context)`, with both arguments in parts.
    fn extract_and_expand(
        &self,
        dh: [&[u8]; 2],
        kem_context: [&[u8]; 3],
    ) -> Result<SharedSecret, Error> {
        extract_and_expand(
            &self.kdf,
            self.info.id,
            crate::HPKE_V1,
            dh,
            kem_context,
            self.info.n_secret,
        )
    }
}

/// Computes `ExtractAndExpand` of RFC 9180, section 4.1, under any version label: the drafts
/// before the RFC differ only in that label.
///
/// # Errors
/// [`Error::ExportTooLong`] for an `n_secret` beyond the KDF's limit.
pub fn extract_and_expand<D: TwoStage>(
    kdf: &D,
    kem_id: u16,
    version: &[u8],
    dh: [&[u8]; 2],
    kem_context: [&[u8]; 3],
    n_secret: usize,
) -> Result<SharedSecret, Error> {
    let suite_id = kem_suite_id(kem_id);
    let labels = Labels {
        version,
        suite_id: &suite_id,
    };
    let eae_prk = kdf.labeled_prk(&labels, b"", "eae_prk", dh)?;
    let mut shared_secret = SharedSecret::zeros(n_secret);
    kdf.labeled_expand(
        &labels,
        &eae_prk,
        "shared_secret",
        kem_context,
        shared_secret.as_mut(),
    )?;
    Ok(shared_secret)
}
