//! Which classes of a file have a protocol that can be studied, in any of the languages.

use super::{Language, LoadError, LoadRequest, java, solidity};
use crate::front::tq;
use crate::ir::RoutineKind;

/// The names of the classes, in the order in which the front end lists them: those with an action; contracts that can be
/// made; Java classes whose own fields decide what can be called. Of the request, the class and the actions do not matter.
///
/// # Errors
/// What is wrong with the file.
pub fn classes(request: &LoadRequest) -> Result<Vec<String>, LoadError> {
    match Language::of(&request.path) {
        Language::Tq => {
            let loaded = tq::load(&request.path).map_err(LoadError::Text)?;
            let classes = loaded.program.classes.iter();
            let acting = classes.filter(|class| class.routines_of(RoutineKind::Action).count() > 0);
            Ok(acting.map(|class| class.name.clone()).collect())
        }
        Language::Solidity => solidity::contracts(request),
        Language::Java => java::classes(request),
    }
}
