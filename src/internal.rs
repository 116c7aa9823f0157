//! A bug of ours, as an error: what cannot be is told and survived, and never becomes an answer.

use std::panic::Location;

/// Something that cannot be, unless there is a mistake in this program.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("internal error: {what} ({}:{})", place.file(), place.line())]
pub struct Internal {
    what: String,
    /// Where in our own source it showed.
    place: &'static Location<'static>,
}

/// The error for something that cannot be. It names the line it is called at.
#[track_caller]
pub fn internal(what: impl Into<String>) -> Internal {
    Internal {
        what: what.into(),
        place: Location::caller(),
    }
}

/// What must be there.
pub trait Sure<T> {
    /// It, or the error that it is not there.
    ///
    /// # Errors
    ///
    /// It is not there, which cannot be.
    fn sure(self) -> Result<T, Internal>;
}

impl<T> Sure<T> for Option<T> {
    #[track_caller]
    fn sure(self) -> Result<T, Internal> {
        match self {
            Some(value) => Ok(value),
            None => Err(internal("what must be there is not")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_internal_error_names_the_line_that_found_it() {
        let line = line!() + 1;
        let error = None::<u8>.sure().expect_err("it is not there");
        let place = format!("({}:{line})", file!());
        assert_eq!(
            error.to_string(),
            format!("internal error: what must be there is not {place}")
        );
    }
}
