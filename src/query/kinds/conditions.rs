//! Questions with conditions of their own: about the premises of an EPA (its invariant, what is assumed of its states, how
//! its guards are split), and about one of its edges. What is asked besides is put in by whoever asks.

use super::calls::guards;
use crate::ir::Expr;
use crate::query::{End, Exit, Query, Step, Subject};

/// Is there a configuration in which the invariant holds, and all that is still to be said? The label tells it from others
/// of its kind.
pub fn such_configuration(kind: &'static str, label: &str) -> Query {
    let name = format!("{}.{label}", kind.replace('-', "_"));
    let what = kind.replace('-', " ");
    let sentence = format!("{what}: is there such a configuration?");
    Query::of_configurations(kind, name, sentence)
}

/// Is there such a call, made where the invariant holds? The label tells it from others of its kind about the same call.
pub fn such_call(subject: &Subject, kind: &'static str, label: &str, step: &Step) -> Query {
    let however = if step.exit == Exit::Any {
        ".however"
    } else {
        ""
    };
    let name = format!(
        "{}.exit{}{however}.{label}",
        kind.replace('-', "_"),
        subject.step_word(step)
    );
    let sentence = format!(
        "{}: is there such a call of {}?",
        kind.replace('-', " "),
        subject.called_words(step.callee)
    );
    let mut query = Query::of_call(kind, name, sentence, step);
    if let Some(source) = &step.source {
        // What the class says of the state is asked for by whoever asks.
        query.start.state = guards(subject, source);
    }
    query
}

/// What is asked for, as the end of a question.
pub fn asked_for(formulas: Vec<Expr>) -> End {
    End::Holds {
        remark: "what is asked for".into(),
        formulas,
    }
}
