//! What to do about something that is wrong, for a person to read and, where an edit is all of it, for an editor to make.

use super::span::Span;

/// An edit after which a message is not there any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fix {
    /// What is taken away; nothing where something is only missing.
    pub place: Span,
    /// What is written there.
    pub text: String,
}

/// What to do about something that is wrong.
#[derive(Clone, Debug)]
pub(crate) struct Hint {
    /// The sentence.
    pub text: String,
    /// What to write instead of the place of the message, where that is all there is to do.
    pub instead: Option<String>,
}

impl Hint {
    /// A sentence, and what it says to write instead of the place of the message.
    pub(crate) fn instead(text: impl Into<String>, instead: impl Into<String>) -> Hint {
        // What was shortened for the sentence, or left to the reader, is nothing to be written.
        let instead = Some(instead.into()).filter(|instead| !instead.contains('…'));
        Hint {
            text: text.into(),
            instead,
        }
    }

    /// That this is to be written instead.
    pub(crate) fn write(instead: impl Into<String>) -> Hint {
        let instead = instead.into();
        Hint::instead(format!("write `{instead}`"), instead)
    }

    /// A sentence that says to leave out what is at the place of the message.
    pub(crate) fn leave_out(text: impl Into<String>) -> Hint {
        Hint::instead(text, "")
    }
}

impl<T: Into<String>> From<T> for Hint {
    fn from(text: T) -> Hint {
        Hint {
            text: text.into(),
            instead: None,
        }
    }
}
