//! X25519: one private key and many points; one point, by the ladder and by the table of a prepared key. What AWS-LC has in assembly is not
//! here.

use hpke::{
    Secret,
    dhkem::{Dalek, Function, TablePoint},
};
use x25519_batch::Backend;

use crate::{Group, Scenario, bytes};

pub(crate) fn groups() -> Vec<Group> {
    Backend::ALL.iter().map(|backend| of_many(*backend)).chain([of_one()]).collect()
}

fn of_one() -> Group {
    let scenario = |name, prepared| Scenario {
        name: format!("X25519, {name}"),
        run: Box::new(move |watcher, number| {
            let mut scalar = bytes::<32>(number);
            watcher.secret(&mut scalar);
            let mut point = TablePoint::from(BASE);
            if prepared {
                Dalek::prepare(&mut point);
            }
            watcher.watch(&mut || Dalek::multiply(&Secret::new(scalar), &point).to_vec());
        }),
    };
    let scenarios = vec![scenario("ladder", false), scenario("prepared key", true)];
    Group { algorithm: "X25519", backend: "dalek", available: true, scenarios }
}

/// The u-coordinate 9: of the curve, so that there is a table.
const BASE: [u8; 32] = {
    let mut base = [0; 32];
    base[0] = 9;
    base
};

fn of_many(backend: Backend) -> Group {
    // Whole vectors and one point more.
    let points: Vec<[u8; 32]> = (0..=backend.lanes()).map(|n| bytes(u8::try_from(n).expect("few lanes"))).collect();
    let scenario = Scenario {
        name: format!("X25519 of {} points, {}", points.len(), backend.name()),
        run: Box::new(move |watcher, number| {
            let mut scalar = bytes::<32>(number);
            watcher.secret(&mut scalar);
            watcher.watch(&mut || backend.x25519(&scalar, &points).as_bytes().concat());
        }),
    };
    Group { algorithm: "X25519", backend: backend.name(), available: backend.is_available(), scenarios: vec![scenario] }
}
