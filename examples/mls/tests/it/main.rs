//! The tests of this crate as one program: each program links openmls again.

mod groups;
mod vectors;
