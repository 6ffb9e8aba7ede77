//! Every limit of the API, from both sides: the last value that works and the first that does not.

mod lengths;
mod modes;
mod montgomery;
mod nist;
mod policy;
mod randomness;
mod secrecy;
