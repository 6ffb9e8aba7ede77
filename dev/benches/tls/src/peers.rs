//! Handshakes between the libraries, in both roles: two libraries that share a group connect with
//! it. Client and server each ask their library for the group, and end the connection if it is
//! another.

use std::path::Path;

use crate::{
    Result,
    candidates::{self, Candidate},
    client::{self, Server},
};

pub(crate) fn run(folder: &Path) -> Result<()> {
    let all = candidates::all(folder)?;
    let server = Server::start(folder)?;
    let mut failed = 0;
    for client in &all {
        for (other, address) in all.iter().zip(&server.addresses) {
            if group(client) != group(other) || client.name == other.name {
                continue;
            }
            let result = client::connect(client, *address, 1);
            let said = result.map_or_else(|error| error.to_string(), |_| "connected".to_owned());
            failed += usize::from(said != "connected");
            println!("client {}, server {}: {said}", client.name, other.name);
        }
    }
    if failed == 0 {
        Ok(())
    } else {
        Err(format!("{failed} pairs did not connect").into())
    }
}

fn group(candidate: &Candidate) -> &str {
    let (group, _) = candidate
        .name
        .split_once(" of ")
        .unwrap_or((candidate.name, ""));
    group
}
