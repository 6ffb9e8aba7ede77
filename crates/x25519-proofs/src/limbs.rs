//! The values of limbs modulo p = 2^255 - 19, in elements.
//!
//! The sum of limbs at their places is a polynomial of degree two in variables, modulo p.
//! Remainders of roundings and carries must cancel. Products are then recovered: the monomials that
//! share variables, directly or through others, must be the product of two sums, and the rest a sum
//! of such products. Each sum is resolved in the same way, names by their definitions, until it is
//! a multiple of an input. Every such factorisation is multiplied out again.

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

/// A polynomial of degree one, without a constant.
type Sum = Vec<(Variable, Number)>;

/// A value in elements, or the reason why it is not known.
type Resolved = Result<Expression, String>;

/// Returns the value of limbs in elements.
pub(crate) fn expression<'a>(limbs: impl Iterator<Item = &'a Polynomial>) -> Expression {
    let mut form = Form::default();
    for (i, limb) in limbs.enumerate() {
        form.add_times(weight(i), limb);
    }
    resolved(form).unwrap_or_else(|why| panic!("{why}"))
}

/// Returns the weight of limb `i`.
fn weight(i: usize) -> Number {
    let bits = with(|program| program.radix.bits.cast_signed());
    Number::power_of_2(bits * i32::try_from(i).unwrap())
}

fn resolved(mut form: Form) -> Resolved {
    while let Some((name, c)) = form.last_name() {
        form.0.remove(&[NONE, name]);
        form.add_times(c, &definition(name).expect("a name"));
    }
    let (linear, mut products): (BTreeMap<_, _>, BTreeMap<_, _>) =
        form.0.into_iter().partition(|([a, _], _)| *a == NONE);
    let (mut sum, mut rest, mut problem) = (inputs(linear)?, Form::default(), String::new());
    while let Some((&[start, _], _)) = products.first_key_value() {
        let component = component(&mut products, start);
        match product(&component) {
            Ok(product) => sum = sum.plus(&product),
            Err(why) => {
                rest.0.extend(component.0);
                problem = why;
            }
        }
    }
    match rest.0.is_empty() {
        true => Ok(sum),
        false => Ok(sum.plus(&sum_of_products(rest, problem)?)),
    }
}

/// Resolves a form that is the product of two sums, each of which is known.
fn product(form: &Form) -> Resolved {
    let Product { f, g, factor } = Product::new(form).ok_or("no product of two sums")?;
    let [f, g] = [f, g].map(|sum| resolved(Form::linear(sum)));
    Ok(Expression::default().plus_times(factor, &f?.times(&g?)))
}

/// Resolves a form that is a sum of products. It finds a product of which one factor is in more
/// than one form, such as limbs and rotated limbs. `f g` is a sum over the limbs of `g` if the
/// factor of each limb is `f` times its weight.
fn sum_of_products(mut form: Form, problem: String) -> Resolved {
    let mut products: Vec<(Expression, Sum)> = vec![];
    // The latest comes first: a variable that is a limb of both forms of `f` may have a known
    // factor too.
    for variable in form.variables().into_iter().rev() {
        let others = form.terms_with(variable);
        if others.is_empty() || others.iter().any(|(other, _)| *other == variable) {
            continue;
        }
        let Ok(factor) = resolved(Form::linear(others)) else {
            continue;
        };
        form.0.retain(|monomial, _| !monomial.contains(&variable));
        let known = products
            .iter_mut()
            .find_map(|(known, sum)| Some((factor.over(known)?, sum)));
        match known {
            Some((ratio, sum)) => sum.push((variable, ratio)),
            None => products.push((factor, vec![(variable, Number::ONE)])),
        }
    }
    if products.is_empty() {
        return Err(problem);
    }
    let mut sum = resolved(form)?;
    for (factor, other) in products {
        sum = sum.plus(&factor.times(&resolved(Form::linear(other))?));
    }
    Ok(sum)
}

/// Returns the definition of a variable that is a name.
fn definition(variable: Variable) -> Option<Polynomial> {
    with(|program| match &program.variable(variable).origin {
        Origin::Name(polynomial) => Some(polynomial.clone()),
        _ => None,
    })
}

/// Resolves multiples of limbs of inputs: limb `i` must occur as often as limb 0, times its weight.
fn inputs(linear: BTreeMap<Monomial, Number>) -> Resolved {
    let count = with(|program| program.radix.limbs);
    let mut elements = BTreeMap::<usize, Vec<Number>>::new();
    let mut sum = Expression::default();
    for ([_, variable], c) in linear {
        if variable == NONE {
            sum = sum.plus_term(vec![], c);
            continue;
        }
        let origin = with(|program| match program.variable(variable).origin {
            Origin::Input { element, limb } => Some((element, limb)),
            _ => None,
        });
        let (element, limb) =
            origin.ok_or("what a rounding or a carry took off does not cancel")?;
        elements
            .entry(element)
            .or_insert_with(|| vec![Number::ZERO; count])[limb] = c;
    }
    for (element, limbs) in elements {
        for (i, c) in limbs.iter().enumerate() {
            if *c != limbs[0].times(weight(i)) {
                return Err(format!("limb {i} does not have its weight"));
            }
        }
        sum = sum.plus_term(vec![element], limbs[0]);
    }
    Ok(sum)
}

/// Removes the monomials with this variable, and with variables of these monomials.
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

    /// Returns the latest name in a linear term, and its factor. Its definition may contain earlier
    /// names.
    fn last_name(&self) -> Option<(Variable, Number)> {
        self.0.iter().rev().find_map(|([a, b], c)| {
            let is_name = *a == NONE && *b != NONE && definition(*b).is_some();
            is_name.then_some((*b, *c))
        })
    }

    fn variables(&self) -> BTreeSet<Variable> {
        self.0.keys().flatten().copied().collect()
    }

    /// Returns the other variables of the monomials with this one.
    fn terms_with(&self, variable: Variable) -> Sum {
        let terms = self.variables().into_iter();
        let terms = terms.map(|other| (other, self.coefficient(variable, other)));
        terms.filter(|(_, c)| !c.is_zero()).collect()
    }

    fn coefficient(&self, a: Variable, b: Variable) -> Number {
        let monomial = [a.min(b), a.max(b)];
        self.0.get(&monomial).copied().unwrap_or(Number::ZERO)
    }
}

/// The product `factor f g`.
struct Product {
    f: Sum,
    g: Sum,
    factor: Number,
}

impl Product {
    /// Factors a form, if it is a product. If `a b` is a monomial of the product, its terms with
    /// `b` are `f` and those with `a` are `g`, both up to a factor. If the form is a square, `a` is
    /// `b`, and products of two different variables count twice.
    fn new(form: &Form) -> Option<Self> {
        let square = form.0.iter().find(|([a, b], _)| a == b);
        let (&[a, b], c) = square.or(form.0.first_key_value())?;
        let mut sums = [form.terms_with(b), form.terms_with(a)];
        if a == b {
            for (v, c) in sums.iter_mut().flatten() {
                *c = if *v == a { *c } else { c.times(Number::HALF) };
            }
        }
        let [f, g] = sums;
        let factor = c.inverse();
        let product = Self { f, g, factor };
        (product.multiplied_out() == *form).then_some(product)
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
