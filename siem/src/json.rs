//! JSON as bytes with places in them: what a record is, without building it.

mod locate;
mod node;
mod repeats;
mod scan;
mod text;

#[cfg(test)]
mod tests;

pub(crate) use locate::{Container, Located, locate, values};
pub(crate) use node::{Node, same_key};
pub(crate) use repeats::repeats;
pub(crate) use scan::{Bad, Event, Scanner, validate};
pub(crate) use text::{
    decode_string, embed, embed_exact, encode_string, on_one_line, write_string,
};
