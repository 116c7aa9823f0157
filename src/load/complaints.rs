//! What is wrong with what was to be read, one thing after the other, with places as far as they are known: for who shows
//! each where it is.

use super::{LoadError, UserPlace};
use crate::front::solidity::{Complaint, Complaints};
use crate::ir::Diagnostics;

/// One thing that is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LoadComplaint {
    /// What is wrong, and below it what to do about it.
    pub message: String,
    /// Where, as far as that is known.
    pub place: Option<UserPlace>,
}

impl LoadComplaint {
    /// One about nothing in particular.
    pub fn plain(message: impl Into<String>) -> LoadComplaint {
        LoadComplaint {
            message: message.into(),
            place: None,
        }
    }
}

impl LoadError {
    /// All that is wrong, one thing after the other.
    pub fn complaints(&self) -> Vec<LoadComplaint> {
        match self {
            LoadError::Contract(wrong) => wrong.list.iter().map(|one| of(wrong, one)).collect(),
            LoadError::Text(wrong) => of_text(wrong),
            other => vec![LoadComplaint::plain(other.to_string())],
        }
    }
}

fn of(all: &Complaints, one: &Complaint) -> LoadComplaint {
    let own = one.places.first();
    let remark = own.map(|(_, remark)| remark.clone());
    let remark = remark.filter(|remark| !remark.is_empty());
    let help = one.help.iter().map(|help| format!("help: {help}"));
    let lines = [Some(one.message.clone()), one.origin.clone(), remark];
    let lines: Vec<String> = lines.into_iter().flatten().chain(help).collect();
    LoadComplaint {
        message: lines.join("\n"),
        place: own.and_then(|(place, _)| UserPlace::of_range(&all.files, *place)),
    }
}

fn of_text(wrong: &Diagnostics) -> Vec<LoadComplaint> {
    let all = wrong.iter().map(|one| LoadComplaint::plain(&one.message));
    all.collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::front::solidity::{FileRange, Files};

    #[test]
    fn each_is_told_with_its_place() {
        let mut files = Files::default();
        let file = files.add("a.sol", Some("contract C {\n  é uint x\n}\n".into()));
        let (start, end) = (18, 22);
        let at = FileRange { file, start, end };
        let wrong = Complaint::new("expected a semicolon").at(at, "after this");
        let plain = Complaint::new("too old").help("take another");
        let error = LoadError::Contract(Complaints {
            files: Arc::new(files),
            list: vec![wrong.help("put one there"), plain],
        });
        let place = UserPlace {
            file: "a.sol".to_owned(),
            start: (2, 5),
            end: (2, 9),
        };
        let expected = [
            LoadComplaint {
                message: "expected a semicolon\nafter this\nhelp: put one there".to_owned(),
                place: Some(place),
            },
            LoadComplaint::plain("too old\nhelp: take another"),
        ];
        assert_eq!(error.complaints(), expected);
    }
}
