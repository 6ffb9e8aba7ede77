//! The text format of a world, in which all secrets are masked.

use data_encoding::HEXLOWER;

use super::{Carried, Choice, World};
use crate::masked::{Masked, Secrets};

impl World {
    pub(crate) fn write(&self) -> String {
        let mut text = String::new();
        for [enc, ct] in &self.messages {
            text += &format!("message {} {}\n", HEXLOWER.encode(enc), HEXLOWER.encode(ct));
        }
        for blob in &self.blobs {
            text += &format!("blob {}\n", HEXLOWER.encode(blob));
        }
        self.carried.iter().for_each(|one| text += &one.write());
        for (name, secret) in self.secrets.iter() {
            text += &format!("{} {name}\n", secret.to_hex());
        }
        text
    }

    pub(crate) fn read(choice: Choice, text: &str) -> Self {
        let mut world = Self {
            choice,
            messages: vec![],
            blobs: vec![],
            carried: vec![],
            secrets: Secrets::default(),
        };
        let bytes = |hex: &str| HEXLOWER.decode(hex.as_bytes()).expect("written above");
        for line in text.lines() {
            let (first, rest) = line.split_once(' ').expect("two words at least");
            match first {
                "message" => {
                    let (enc, ct) = rest.split_once(' ').expect("three words");
                    world.messages.push([bytes(enc), bytes(ct)]);
                }
                "blob" => world.blobs.push(bytes(rest)),
                "carried" => world.carried.push(Carried::read(rest)),
                secret => world.secrets.push(rest, Masked::from_hex(secret)),
            }
        }
        world
    }
}
