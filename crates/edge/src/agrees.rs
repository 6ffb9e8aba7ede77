//! The evaluation of rules agrees with the engine of `wirefilter-engine` for any rule and request.

use http::Request;
use proptest::prelude::*;
use wirefilter::{ExecutionContext, LhsValue};

use crate::{
    field::Fields,
    request::{Body, Connection, Parts, Value},
    rules::{Action, Rule, Rules},
};

fn rules(expression: &str) -> Option<Rules> {
    let rule = Rule {
        id: "rule".to_owned(),
        description: String::new(),
        action: Action::Log,
        expression: expression.to_owned(),
    };
    Rules::new(vec![rule]).ok()
}

/// Reports whether the engine finds that the expression matches.
fn engine_matches(
    expression: &str,
    request: &Request<()>,
    body: Body<'_>,
    from: Connection,
) -> bool {
    let fields = Fields::of([expression].into_iter());
    let is_used = vec![true; fields.all.len()];
    let parts = Parts::new(&fields, &is_used, request, body, from);
    let values = parts.values(&fields, &is_used);
    let scheme = fields.scheme();
    let mut context = ExecutionContext::new(&scheme);
    for (field, value) in fields.all.iter().zip(values.iter().flatten()) {
        let value: LhsValue<'_> = match value {
            Value::Text(text) => (&*text.seen).into(),
            Value::Address(address) => (*address).into(),
            Value::Number(number) => (*number).into(),
            Value::Bool(is) => (*is).into(),
        };
        context.set_field_value(&field.name, value).unwrap();
    }
    let filter = scheme.parse(expression).unwrap().compile();
    filter.execute(&context).unwrap()
}

/// Generates a comparison of a field that the requests below vary.
fn comparison() -> impl Strategy<Value = String> {
    let text = prop_oneof![
        Just("http.request.uri.path".to_owned()),
        Just("http.request.uri.query".to_owned()),
        Just("http.request.uri".to_owned()),
        Just("http.request.headers.x".to_owned()),
        Just("http.request.body.raw".to_owned()),
    ];
    let order = prop_oneof![
        Just("eq"),
        Just("ne"),
        Just("lt"),
        Just("le"),
        Just("gt"),
        Just("ge"),
    ];
    let is_text = (text, order.clone(), "[/ab%]{0,2}").prop_flat_map(|(field, order, value)| {
        prop_oneof![
            Just(format!("{field} {order} \"{value}\"")),
            Just(format!("{field} contains \"{value}\"")),
            Just(format!("{field} in {{\"{value}\" \"a\" 61:62}}")),
            Just(format!("{field} contains 61:00")),
            Just(format!("{field} matches \"^{value}+$\"")),
            Just(format!("{field} matches \"[^\\\"\\x00]b|\\xff\"")),
        ]
    });
    let is_number = (order.clone(), 0..5).prop_flat_map(|(order, number)| {
        prop_oneof![
            Just(format!("http.request.body.size {order} {number}")),
            Just(format!("http.request.body.size in {{{number}..7 2}}")),
            Just(format!("http.request.body.size & {number}")),
        ]
    });
    let address = prop_oneof![Just("198.51.100.7"), Just("198.51.100.8"), Just("::1")];
    let is_address = (order, address, 0_u8..=32).prop_flat_map(|(order, address, bits)| {
        let network = u32::from_be_bytes([198, 51, 100, 7])
            & u32::MAX.checked_shl(32 - u32::from(bits)).unwrap_or(0);
        let network = std::net::Ipv4Addr::from(network);
        prop_oneof![
            Just(format!("ip.src {order} {address}")),
            Just(format!("ip.src in {{{address} ::/0 2001:db8::/32}}")),
            Just(format!("ip.src in {{{network}/{bits}}}")),
            Just("ip.src in {198.51.100.1..198.51.100.6 198.51.100.7..198.51.100.9}".to_owned()),
        ]
    });
    prop_oneof![is_text, is_number, is_address, Just("ssl".to_owned())]
}

fn expression() -> impl Strategy<Value = String> {
    comparison().prop_recursive(4, 24, 4, |inner| {
        let operator = prop_oneof![
            Just("and"),
            Just("or"),
            Just("xor"),
            Just("&&"),
            Just("||"),
            Just("^^")
        ];
        prop_oneof![
            inner.clone().prop_map(|inner| format!("not {inner}")),
            inner.clone().prop_map(|inner| format!("({inner})")),
            (
                proptest::collection::vec(inner.clone(), 2..4),
                operator.clone()
            )
                .prop_map(|(items, operator)| items.join(&format!(" {operator} "))),
            (inner.clone(), operator, inner)
                .prop_map(|(a, operator, b)| format!("({a} {operator} {b})")),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_walk_agrees_with_the_engine(
        expression in expression(),
        path in "/([ab]|%61|%2[fF]|%){0,4}",
        query in "[ab+%]{0,3}",
        header in "[ab]{0,2}",
        body in proptest::collection::vec(prop_oneof![Just(b'a'), Just(b'b'), Just(0), Just(0xff), Just(b'"')], 0..5),
    ) {
        let request = Request::get(format!("{path}?{query}")).header("x", header).body(()).unwrap();
        let body = Body { bytes: &body, is_truncated: false };
        let from = Connection { address: [198, 51, 100, 7].into(), is_tls: true };
        // Negations at every level may be too many.
        if let Some(rules) = rules(&expression) {
            let is_match = !rules.matches(&request, body, from).is_empty();
            prop_assert_eq!(is_match, engine_matches(&expression, &request, body, from));
        }
    }

    #[test]
    fn no_expression_panics(expression in "[ -~\n\u{e9}]{0,40}") {
        let _ = rules(&expression);
    }

    #[test]
    fn no_expression_of_words_panics(words in proptest::collection::vec(prop_oneof![
        Just("ssl"), Just("http.host"), Just("ip.src"), Just("http.request.body.size"), Just("eq"), Just("in"), Just("{"), Just("}"),
        Just("\""), Just("("), Just(")"), Just("not "), Just("and"), Just("1"), Just("-"), Just(".."), Just("::"), Just("/"), Just("0x"),
        Just("08"), Just("10.0.0.0/8"), Just("matches"), Just("contains"), Just("\\"), Just("["), Just("]"), Just(" "), Just("\u{e9}"), Just("61:"),
    ], 0..12)) {
        let _ = rules(&words.concat());
    }
}
