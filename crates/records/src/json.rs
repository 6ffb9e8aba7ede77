//! JSON as bytes and positions in them. Records are read without building a tree.

mod locate;
mod missed;
mod node;
mod scan;
mod text;

#[cfg(test)]
mod tests;

pub use locate::{Container, Located, locate, values};
pub use missed::{Missed, missed};
pub use node::{Node, same_key};
pub use scan::{Bad, Unfinished, Whole, validate, whole};
pub(crate) use scan::{Event, Scanner};
pub use text::{
    decode_bytes, decode_string, embed, embed_exact, encode_string, has_surrogate, on_one_line,
    write_string,
};
