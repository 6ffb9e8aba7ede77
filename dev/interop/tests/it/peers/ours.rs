//! Our side of a conversation, in the types of the peers' protocol.

use getrandom::SysRng;
use interop::{Opening, Received, Sealing, Sent, Setup};
use pqseal_hpke::{DynKem, Error, Kems, Mode, Psk, Suite};

/// The registries of KEMs that are tried with peers.
pub(crate) const REGISTRIES: &Kems = &[pqseal_hpke::KEMS, pqseal_kem_pq::KEMS];

/// A key pair as bytes.
pub(crate) struct Keys {
    pub(crate) sk: Vec<u8>,
    pub(crate) pk: Vec<u8>,
}

impl Keys {
    pub(crate) fn derive(kem: &DynKem, ikm: &[u8]) -> Self {
        let (sk, pk) = kem.derive_key_pair(ikm).unwrap();
        Self {
            sk: kem.serialize_private_key(&sk).unwrap().as_ref().to_vec(),
            pk: pk.as_ref().to_vec(),
        }
    }
}

pub(crate) fn seal(suite: Suite, request: &Sealing<'_>) -> Sent {
    let pk = suite.kem().deserialize_public_key(request.pk).unwrap();
    let setup = &request.setup;
    let (enc, mut context) = suite
        .setup_s(&pk, setup.info, mode(setup), &mut SysRng)
        .unwrap();
    let cts = request
        .messages
        .iter()
        .map(|(aad, pt)| context.seal(aad, pt).unwrap())
        .collect();
    let export = |export: &interop::Export<'_>| {
        context
            .export(export.context, export.length)
            .unwrap()
            .as_ref()
            .to_vec()
    };
    Sent {
        enc,
        cts,
        exports: setup.exports.iter().map(export).collect(),
    }
}

pub(crate) fn open(suite: Suite, request: &Opening<'_>) -> Result<Received, Error> {
    let sk = suite.kem().deserialize_private_key(request.sk)?;
    let setup = &request.setup;
    let mut context = suite.setup_r(request.enc, &sk, setup.info, mode(setup))?;
    let pts = request
        .messages
        .iter()
        .map(|(aad, ct)| context.open(aad, ct))
        .collect::<Result<_, _>>()?;
    let export = |export: &interop::Export<'_>| {
        Ok(context
            .export(export.context, export.length)?
            .as_ref()
            .to_vec())
    };
    Ok(Received {
        pts,
        exports: setup
            .exports
            .iter()
            .map(export)
            .collect::<Result<_, Error>>()?,
    })
}

/// Returns the mode of a setup. No peer supports the auth modes, which would need the
/// sender's keys here.
fn mode<'a, Key>(setup: &Setup<'a>) -> Mode<'a, Key> {
    match setup.mode {
        0 => Mode::Base,
        1 => Mode::Psk(Psk::new(setup.psk.0, setup.psk.1).unwrap()),
        other => panic!("mode {other} needs keys that this test does not have yet"),
    }
}
