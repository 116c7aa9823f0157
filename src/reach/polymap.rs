//! Maps with type parameters as the solver sees them: a record of ordinary maps, one for each of the types at which the
//! program uses such maps.

use super::error::Unsupported;
use super::term::Term;
use crate::boogie::ast::Pos;
use crate::boogie::typed::BoogieType;

/// The sort of a map type with type parameters.
#[derive(Clone, Debug)]
pub(super) struct PolyMap {
    /// The sort.
    pub sort: String,
    /// The function that makes a map of its parts.
    pub constructor: String,
    /// The parts.
    pub components: Vec<Component>,
}

/// The map at one choice of types.
#[derive(Clone, Debug)]
pub(super) struct Component {
    /// What the type parameters stand for.
    pub types: Vec<BoogieType>,
    selector: String,
}

/// The error for types that were not there when the program was prepared.
pub(super) fn unknown_types() -> Unsupported {
    let what = "a map with type parameters, used at types at which the program does not use it, is not supported";
    Unsupported::new(Pos::default(), what)
}

impl PolyMap {
    /// The `number`th sort of its kind, and the command that declares it. The parts are given with their sorts.
    pub(super) fn new(number: usize, parts: Vec<(Vec<BoogieType>, String)>) -> (Self, String) {
        let sort = format!("M@{number}");
        let constructor = format!("map@{number}");
        let mut components = Vec::new();
        let mut fields = String::new();
        for (i, (types, part)) in parts.into_iter().enumerate() {
            let selector = format!("at@{number}@{i}");
            fields.push_str(&format!(" ({selector} {part})"));
            components.push(Component { types, selector });
        }
        let declaration = format!("(declare-datatypes (({sort} 0)) ((({constructor}{fields}))))");
        let map = PolyMap {
            sort,
            constructor,
            components,
        };
        (map, declaration)
    }

    /// The part at these types.
    ///
    /// # Errors
    ///
    /// Types at which the program does not use such maps.
    pub(super) fn component(&self, types: &[BoogieType]) -> Result<Component, Unsupported> {
        let found = self.components.iter().find(|c| c.types == types);
        found.cloned().ok_or_else(unknown_types)
    }

    /// The map with one part replaced.
    pub(super) fn with(&self, map: &Term, changed: &Component, part: Term) -> Term {
        let parts = self
            .components
            .iter()
            .map(|c| match c.types == changed.types {
                true => part.clone(),
                false => c.select(map.clone()),
            });
        Term::app(self.constructor.clone(), parts.collect())
    }
}

impl Component {
    /// The part of a map.
    pub(super) fn select(&self, map: Term) -> Term {
        Term::app(self.selector.clone(), vec![map])
    }
}
