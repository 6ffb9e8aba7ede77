//! X25519: one private key and many points, and one; by the table of a prepared key. What AWS-LC
//! has in assembly is not here.

use hpke::{
    Secret,
    dhkem::{Dalek, Function, TablePoint},
};
use x25519_batch::Backend;

use crate::{Group, Scenario, bytes};

pub(crate) fn groups() -> Vec<Group> {
    Backend::ALL
        .iter()
        .map(|backend| of_backend(*backend))
        .chain([prepared()])
        .collect()
}

fn prepared() -> Group {
    let multiply = |scalar: &[u8; 32]| {
        let mut point = TablePoint::from(BASE);
        Dalek::prepare(&mut point);
        Dalek::multiply(&Secret::new(*scalar), &point).to_vec()
    };
    Group {
        algorithm: "X25519",
        backend: "dalek",
        available: true,
        scenarios: vec![scenario("prepared key".into(), multiply)],
    }
}

/// The u-coordinate 9: of the curve, so that there is a table.
const BASE: [u8; 32] = {
    let mut base = [0; 32];
    base[0] = 9;
    base
};

/// Of the portable back end they are x25519-dalek's.
fn of_backend(backend: Backend) -> Group {
    // More than a vector by as many as are not left over.
    let points: Vec<[u8; 32]> = (0..backend.lanes() + 3)
        .map(|n| bytes(u8::try_from(n).expect("few lanes")))
        .collect();
    let name = backend.name();
    let scenarios = vec![
        scenario(format!("{} points, {name}", points.len()), move |scalar| {
            backend.x25519(scalar, &points).as_bytes().concat()
        }),
        scenario(format!("one point, {name}"), move |scalar| {
            backend.x25519_one(scalar, &BASE).to_vec()
        }),
    ];
    Group {
        algorithm: "X25519",
        backend: name,
        available: backend.is_available(),
        scenarios,
    }
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
