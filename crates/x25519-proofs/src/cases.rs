//! Proofs by cases: carries of few possible values are distinguished, so that in each case all
//! carries are constants, and inputs have narrower bounds. All cases together are all inputs.

use crate::{
    carries::Carries,
    dyadic::Dyadic,
    polynomial::NONE,
    program::{Radix, Value, begin, with},
    range::Range,
};

/// Calls `run` for each possible combination of carries, and returns the number of combinations.
pub fn for_all_carries(radix: Radix, mut run: impl FnMut()) -> usize {
    let (mut next, mut runs) = (Some(Carries::default()), 0);
    while let Some(carries) = next {
        begin(radix);
        with(|program| program.carries = Some(carries));
        run();
        runs += 1;
        let carries = with(|program| program.carries.take());
        next = carries.expect("one run has one set of carries").next_case();
    }
    runs
}

/// Takes the next case: the multiple of 2^bits, from `first` to `last`, that is next below the
/// value. The value must be a variable and a constant, and the variable's bounds are narrowed to
/// the case. `None` if carries are not distinguished.
pub(crate) fn take(value: &Value, bits: i32, first: Dyadic, last: Dyadic) -> Option<Dyadic> {
    with(|program| {
        let carries = program.carries.as_mut()?;
        let most = (last - first).scaled(-bits).to_integer();
        let taken = first + Dyadic::integer(carries.take(most)).scaled(bits);

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
