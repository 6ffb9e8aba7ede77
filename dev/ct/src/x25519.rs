//! X25519: one private key and many points, and one; many private keys and one point; with a
//! precomputed key. AWS-LC's assembly is not included.

use pqseal_hpke::{
    Secret,
    dhkem::{Dalek, TablePoint, XFunction},
};
use x25519_batch::{Agreement, Backend, Multiples};

use crate::{Group, Scenario, bytes};

pub(crate) fn groups() -> Vec<Group> {
    Backend::ALL
        .iter()
        .map(|backend| of_backend(*backend))
        .chain([precomputed()])
        .collect()
}

fn precomputed() -> Group {
    let scenario = scenario("precomputed key".into(), |scalar| {
        let mut point = TablePoint::from(BASE);
        Dalek::precompute(&mut point);
        Dalek::multiply(&Secret::new(*scalar), &point).to_vec()
    });
    Group {
        algorithm: "X25519",
        backend: "dalek",
        available: true,
        scenarios: vec![scenario],
    }
}

/// The u-coordinate 9, which is on the curve, so that it has a table.
const BASE: [u8; 32] = {
    let mut base = [0; 32];
    base[0] = 9;
    base
};

/// Returns the scenarios of a back end. Those of the portable one are x25519-dalek's.
fn of_backend(backend: Backend) -> Group {
    // Pairs of vectors and one more, and a count for narrower vectors.
    let counts = match backend.lanes() {
        1 => vec![4],
        lanes => vec![2 * lanes + 3, lanes - 1],
    };
    let name = backend.name();
    let batches = counts.into_iter().map(|count| {
        let count = u8::try_from(count).expect("few lanes");
        let points: Vec<[u8; 32]> = (0..count).map(bytes).collect();
        scenario(format!("{count} points, {name}"), move |scalar| {
            backend.x25519(scalar, &points).as_bytes().concat()
        })
    });
    let one = scenario(format!("one point, {name}"), move |scalar| {
        backend.x25519_one(scalar, &BASE).to_vec()
    });
    let agree = scenario(format!("key agreement, {name}"), move |scalar| {
        both(&backend.agree(scalar, &BASE))
    });
    // Whole vectors, and a rest for a narrower one.
    let scalars = Multiples::with_backend(backend, &BASE).map(|multiples| {
        scenario(format!("many private keys, {name}"), move |scalar| {
            let scalars = vec![*scalar; backend.lanes() + 3];
            multiples.x25519(&scalars).as_bytes().concat()
        })
    });
    let by_table = Multiples::with_backend(backend, &BASE).map(|multiples| {
        scenario(format!("key agreement by a table, {name}"), move |scalar| {
            both(&multiples.agree(scalar))
        })
    });
    let scenarios = batches
        .chain([one, agree])
        .chain(scalars)
        .chain(by_table)
        .collect();
    Group {
        algorithm: "X25519",
        backend: name,
        available: backend.is_available(),
        scenarios,
    }
}

fn both(agreement: &Agreement) -> Vec<u8> {
    [agreement.public_key, *agreement.shared_secret].concat()
}

fn scenario(name: String, multiply: impl Fn(&[u8; 32]) -> Vec<u8> + 'static) -> Scenario {
    Scenario {
        name: format!("X25519, {name}"),
        run: Box::new(move |watcher, number| {
            let mut scalar = bytes::<32>(number);
            watcher.secret(&mut scalar);
            watcher.watch(&mut || multiply(&scalar));
        }),
    }
}
