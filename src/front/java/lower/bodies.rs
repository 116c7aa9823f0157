//! Bodies as trees, each made once.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use super::copies::as_the_object_itself;
use crate::front::java::flow::{Refused, body_of};
use crate::front::java::tree::MethodBody;
use crate::front::java::world::MethodOf;

/// What a method does: nothing where it is abstract or native; or why its body is not taken.
pub(super) type Lifted = Result<Option<Arc<MethodBody>>, Refused>;

/// The bodies that were asked for.
#[derive(Debug, Default)]
pub(super) struct Bodies {
    /// Whether what is done to a copy of the object counts as done to it.
    copies_count: bool,
    known: RefCell<HashMap<String, Lifted>>,
}

impl Bodies {
    /// Bodies in which what is done to a copy of the object is done to it.
    pub(super) fn of_copies_as_well() -> Bodies {
        Bodies {
            copies_count: true,
            ..Bodies::default()
        }
    }

    /// The body of a method.
    pub(super) fn of(&self, method: &MethodOf) -> Lifted {
        let key = key(method);
        if let Some(known) = self.known.borrow().get(&key) {
            return known.clone();
        }
        let lifted = body_of(&method.class, method.method());
        let lifted = lifted.map(|body| {
            let body = body.map(|body| match self.copies_count {
                true => as_the_object_itself(body),
                false => body,
            });
            body.map(Arc::new)
        });
        self.known.borrow_mut().insert(key, lifted.clone());
        lifted
    }
}

/// The class, the name and the descriptor of a method, which no other one has.
pub(super) fn key(method: &MethodOf) -> String {
    let found = method.method();
    let descriptor = found.signature.descriptor();
    format!("{}.{}{descriptor}", method.class.name, found.name)
}
