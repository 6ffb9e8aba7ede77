//! What limbs are, modulo p = 2^255 - 19, in elements.
//!
//! The sum of limbs at their places is a polynomial of degree two in variables, modulo p. What
//! roundings and carries took off has to cancel. Products are then found again: the monomials that
//! have variables in common, directly or by way of others, have to be the product of two sums. Each
//! sum is resolved in the same way, names by their definitions, until it is a multiple of an input.
//! Every such factorisation is multiplied out again.

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    expression::Expression,
    number::Number,
    polynomial::{Monomial, NONE, Polynomial, Variable},
    program::{Origin, with},
};

/// A polynomial of degree two in variables, modulo p. No coefficient is zero.
#[derive(Clone, Debug, Default, PartialEq)]
struct Form(BTreeMap<Monomial, Number>);

/// Of degree one, without a constant.
type Sum = Vec<(Variable, Number)>;

/// What limbs are, in elements.
pub(crate) fn expression<'a>(limbs: impl Iterator<Item = &'a Polynomial>) -> Expression {
    let mut form = Form::default();
    for (i, limb) in limbs.enumerate() {
        form.add_times(weight(i), limb);
    }
    resolved(form)
}

/// What limb `i` weighs.
fn weight(i: usize) -> Number {
    let bits = with(|program| program.radix.bits.cast_signed());
    Number::power_of_2(bits * i32::try_from(i).unwrap())
}

fn resolved(mut form: Form) -> Expression {
    while let Some((name, c)) = form.last_name() {
        form.0.remove(&[NONE, name]);
        form.add_times(c, &definition(name).expect("a name"));
    }
    let (linear, mut products): (BTreeMap<_, _>, BTreeMap<_, _>) =
        form.0.into_iter().partition(|([a, _], _)| *a == NONE);
    let mut sum = inputs(linear);
    while let Some((&[start, _], _)) = products.first_key_value() {
        let product = Product::new(&component(&mut products, start));
        let [f, g] = [product.f, product.g].map(|f| resolved(Form::linear(f)));
        sum = sum.plus_times(product.factor, &f.times(&g));
    }
    sum
}

/// What a variable is a name of.
fn definition(variable: Variable) -> Option<Polynomial> {
    with(|program| match &program.variable(variable).origin {
        Origin::Name(polynomial) => Some(polynomial.clone()),
        _ => None,
    })
}

/// Of multiples of limbs of inputs: limb `i` has to occur as often as limb 0, times its weight.
fn inputs(linear: BTreeMap<Monomial, Number>) -> Expression {
    let count = with(|program| program.radix.limbs);
    let mut elements = BTreeMap::<usize, Vec<Number>>::new();
    let mut sum = Expression::default();
    for ([_, variable], c) in linear {
        if variable == NONE {
            sum = sum.plus_term(vec![], c);
            continue;
        }
        let (element, limb) = with(|program| match program.variable(variable).origin {
            Origin::Input { element, limb } => (element, limb),
            _ => panic!("what a rounding or a carry took off does not cancel"),
        });
        elements
            .entry(element)
            .or_insert_with(|| vec![Number::ZERO; count])[limb] = c;
    }
    for (element, limbs) in elements {
        for (i, c) in limbs.iter().enumerate() {
            let expected = limbs[0].times(weight(i));
            assert_eq!(*c, expected, "limb {i} does not have its weight");
        }
        sum = sum.plus_term(vec![element], limbs[0]);
    }
    sum
}

/// Takes out the monomials with this variable, and with variables that one of these has.
fn component(form: &mut BTreeMap<Monomial, Number>, start: Variable) -> Form {
    let (mut reached, mut component) = (BTreeSet::from([start]), BTreeMap::new());
    loop {
        let (near, far): (BTreeMap<_, _>, _) = std::mem::take(form)
            .into_iter()
            .partition(|([a, b], _)| reached.contains(a) || reached.contains(b));
        *form = far;
        if near.is_empty() {
            return Form(component);
        }
        reached.extend(near.keys().flatten());
        component.extend(near);
    }
}

impl Form {
    fn linear(sum: Sum) -> Self {
        Self(sum.into_iter().map(|(a, c)| ([NONE, a], c)).collect())
    }

    fn add_times(&mut self, factor: Number, polynomial: &Polynomial) {
        for (monomial, c) in polynomial.terms() {
            self.add(monomial, Number::dyadic(c).times(factor));
        }
    }

    fn add(&mut self, monomial: Monomial, coefficient: Number) {
        let before = self.0.remove(&monomial).unwrap_or(Number::ZERO);
        let sum = before.plus(coefficient);
        if !sum.is_zero() {
            self.0.insert(monomial, sum);
        }
    }

    /// The latest name that stands alone, and its factor: its definition may have names before it.
    fn last_name(&self) -> Option<(Variable, Number)> {
        self.0.iter().rev().find_map(|([a, b], c)| {
            let is_name = *a == NONE && *b != NONE && definition(*b).is_some();
            is_name.then_some((*b, *c))
        })
    }

    fn coefficient(&self, a: Variable, b: Variable) -> Number {
        let monomial = [a.min(b), a.max(b)];
        self.0.get(&monomial).copied().unwrap_or(Number::ZERO)
    }
}

/// `factor f g`.
struct Product {
    f: Sum,
    g: Sum,
    factor: Number,
}

impl Product {
    /// Of a form that is one. If `a b` is a monomial of the product, its terms with `b` are `f` and
    /// those with `a` are `g`, both up to a factor; if all are of one sum squared, `a` is `b`, and
    /// products of two different variables count twice.
    fn new(form: &Form) -> Self {
        let variables: BTreeSet<Variable> = form.0.keys().flatten().copied().collect();
        let square = form.0.iter().find(|([a, b], _)| a == b);
        let (&[a, b], c) = square.or(form.0.first_key_value()).expect("a monomial");
        let is_square = a == b;
        let terms_with = |a| {
            let coefficient = |v| match is_square && v != a {
                true => form.coefficient(a, v).times(Number::HALF),
                false => form.coefficient(a, v),
            };
            let terms = variables.iter().map(|v| (*v, coefficient(*v)));
            terms.filter(|(_, c)| !c.is_zero()).collect()
        };
        let product = Self {
            f: terms_with(b),
            g: terms_with(a),
            factor: c.inverse(),
        };
        assert!(product.multiplied_out() == *form, "no product of two sums");
        product
    }

    fn multiplied_out(&self) -> Form {
        let mut form = Form::default();
        for (a, c) in &self.f {
            for (b, d) in &self.g {
                let monomial = [*a.min(b), *a.max(b)];
                form.add(monomial, c.times(*d).times(self.factor));
            }
        }
        form
    }
}
