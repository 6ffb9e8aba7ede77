//! Results apart from their record, which is signed: an object per record, with the record's id and
//! number.

use alloc::{string::ToString, vec::Vec};

use super::{Change, Found, Part, Text, to_do};
use crate::{
    FieldPath,
    answer::{Answer, AsAnswer, Problem},
    json::{encode_string, value},
    rules::status_name,
    splice::{write_name, write_value},
};

impl Found<'_> {
    /// Returns the change that replaces the record.
    pub(super) fn apart<O: AsAnswer>(
        &self,
        id: &FieldPath,
        answers: &[O],
        problem: Option<Problem>,
    ) -> Change<'static> {
        let (mut line, mut results, mut rest) = (Vec::from(*b"{"), Vec::new(), answers);
        for part in &self.parts {
            let (own, others) = rest.split_at(part.to_do().count());
            rest = others;
            let Part::Document {
                document,
                text,
                fields,
            } = part
            else {
                continue;
            };
            if let Some(id) = value(text, id) {
                write_name("receipt", &mut line);
                line.extend(id);
                line.push(b',');
            }
            let rules = &document.rules;
            for (found, answer) in to_do(fields).zip(own) {
                match answer.answer() {
                    Answer::Opened(plaintext) => {
                        results.push(b',');
                        write_name(&rules.rules[found.rule].into, &mut results);
                        write_value(plaintext, rules.form, None, &mut results);
                    }
                    Answer::Failed(code) => {
                        let name = status_name(&rules.rules, found.rule);
                        write_status(&name, code, &mut results);
                    }
                    Answer::Absent | Answer::Truncated => {}
                }
            }
        }
        write_name("record", &mut line);
        line.extend_from_slice(self.number.to_string().as_bytes());
        if let Some(problem) = problem {
            write_status("status", problem.code(), &mut results);
        }
        line.extend(results);
        line.push(b'}');
        Change {
            column: 0,
            text: Some(Text::New(line)),
        }
    }
}

fn write_status(name: &str, code: &str, out: &mut Vec<u8>) {
    out.push(b',');
    write_name(name, out);
    out.extend(encode_string(code.as_bytes()).0);
}
