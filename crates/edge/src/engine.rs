//! The engine, which finds the rules that match a request.
//!
//! A compiled filter and the values that it is run with share one lifetime, which is at least that
//! of the filter. So values are copied into memory that lives as long as the filters, and when that
//! memory has grown too large, both are recreated. This module contains no unsafe code.

use std::{fmt, sync::Arc};

use bumpalo::Bump;
use http::Request;
use self_cell::self_cell;
use wirefilter::{ExecutionContext, Filter};

use crate::{
    data::matched_data,
    request::{Body, Connection, Value, values},
    rules::{Action, Rule, Rules},
    walk::walk,
};

/// The size, in bytes, at which the memory for values is freed. Filters are then compiled again,
/// which takes at most a millisecond. This size is enough for more than a thousand requests, or for
/// 32 whose rules read a body of 128 KiB.
const ROOM: usize = 4 << 20;

/// Compiled rules. Compiled filters cannot be sent to another thread, so each thread needs its own.
pub struct Engine(Compiled);

self_cell!(
    struct Compiled {
        owner: Owner,

        #[not_covariant]
        dependent: Filters,
    }
);

struct Owner {
    rules: Arc<Rules>,
    /// The memory that values are stored in.
    room: Bump,
}

struct Filters<'a>(Vec<Filter<'a>>);

/// A rule that matched, and the data that it read.
#[derive(Clone)]
pub struct Match {
    /// The rule.
    pub rule: Arc<Rule>,
    data: String,
}

impl Match {
    /// Returns the data that the rule read, as JSON. It contains plaintext of the request.
    pub fn data(&self) -> &str {
        &self.data
    }
}

impl Engine {
    /// Compiles the rules.
    pub fn new(rules: Arc<Rules>) -> Self {
        let room = Bump::new();
        let owner = Owner { rules, room };
        Self(Compiled::new(owner, |owner| {
            let asts = owner.rules.asts().iter();
            Filters(asts.map(|ast| ast.clone().compile()).collect())
        }))
    }

    /// Returns the rules.
    pub fn rules(&self) -> &Arc<Rules> {
        &self.0.borrow_owner().rules
    }

    /// Returns the matching rules in order, up to the first that blocks.
    pub fn matches<B>(
        &mut self,
        request: &Request<B>,
        body: Body<'_>,
        from: Connection,
    ) -> Vec<Match> {
        let matches = self.0.with_dependent(|owner, filters| {
            let (rules, room) = (&*owner.rules, &owner.room);
            let (fields, is_used) = (rules.fields(), rules.is_used());
            let values = values(fields, is_used, room, request, body, from);
            filters.matches(rules, &values)
        });
        let owner = self.0.borrow_owner();
        if owner.room.allocated_bytes() > ROOM {
            *self = Self::new(Arc::clone(&owner.rules));
        }
        matches
    }
}

impl<'a> Filters<'a> {
    fn matches(&self, rules: &'a Rules, values: &[Option<Value<'a>>]) -> Vec<Match> {
        let mut context = ExecutionContext::new(rules.scheme());
        for (field, value) in rules.fields().all.iter().zip(values) {
            if let Some(value) = value {
                let set = context.set_field_value(&field.name, value.for_engine());
                set.expect("a value has the type of its field");
            }
        }
        let mut matches = Vec::new();
        for (index, filter) in self.0.iter().enumerate() {
            if filter.execute(&context) != Ok(true) {
                continue;
            }
            let (is_match, reads) = walk(rules.node(index), values);
            // If they disagreed in a release build, the data that was read would still be logged.
            debug_assert!(is_match, "the walk disagrees with the engine");
            let rule = Arc::clone(rules.rule(index));
            let data = matched_data(&reads, rules.fields(), values);
            let is_last = rule.action == Action::Block;
            matches.push(Match { rule, data });
            if is_last {
                break;
            }
        }
        matches
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Engine")
            .field(&self.0.borrow_owner().rules)
            .finish()
    }
}

/// Omits the data.
impl fmt::Debug for Match {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Match")
            .field("rule", &self.rule)
            .finish_non_exhaustive()
    }
}
