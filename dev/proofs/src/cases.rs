//! Proofs by cases: carries of few possible values are told apart, so that in each case all carries
//! are constants, and inputs have narrower bounds. All cases together are all inputs.

use crate::{
    dyadic::Dyadic,
    polynomial::NONE,
    program::{Radix, Value, begin, with},
    range::Range,
};

/// The carries of a case, in the order in which they were met.
#[derive(Default)]
pub(crate) struct Cases {
    carries: Vec<Carry>,
    met: usize,
}

/// How far from the least possible carry this case has it, and how far the largest is.
struct Carry {
    taken: i128,
    most: i128,
}

/// Runs it for each combination of carries that is possible, and returns how many there are.
pub fn for_all_carries(radix: Radix, mut run: impl FnMut()) -> usize {
    let (mut carries, mut runs) = (vec![], 0);
    loop {
        begin(radix);
        with(|program| program.cases = Some(Cases { carries, met: 0 }));
        run();
        runs += 1;
        let cases = with(|program| program.cases.take()).expect("one run has one set of cases");
        assert_eq!(cases.met, cases.carries.len(), "not the same run");
        carries = cases.carries;
        while carries.pop_if(|carry| carry.taken == carry.most).is_some() {}
        match carries.last_mut() {
            Some(carry) => carry.taken += 1,
            None => return runs,
        }
    }
}

/// Takes the next case: the multiple of 2^bits, from `first` to `last`, that is next below the
/// value. The value has to be a variable and a constant, and the variable's bounds are narrowed to
/// the case. Nothing where carries are not told apart.
pub(crate) fn take(value: &Value, bits: i32, first: Dyadic, last: Dyadic) -> Option<Dyadic> {
    with(|program| {
        let cases = program.cases.as_mut()?;
        let most = (last - first).scaled(-bits).to_integer();
        if cases.met == cases.carries.len() {
            cases.carries.push(Carry { taken: 0, most });
        }
        let carry = &cases.carries[cases.met];
        assert_eq!(carry.most, most, "not the same run");
        cases.met += 1;
        let taken = first + Dyadic::integer(carry.taken).scaled(bits);

        let offset = value.polynomial.constant_term();
        let variable = value.polynomial.clone().plus_constant(-offset);
        let variable = match variable.as_multiple_of_variable() {
            Some((variable, Dyadic::ONE)) if variable != NONE => variable,
            _ => panic!("not a variable and a constant: {value:?}"),
        };
        let block = Range::new(taken, taken + Dyadic::power_of_2(bits) - Dyadic::ONE);
        let known = program.variable(variable);
        known.range = known.range.and(block.moved(-offset));
        Some(taken)
    })
}
