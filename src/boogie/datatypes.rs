//! Datatypes: `type {:datatype} T;` and `function {:constructor} C(f: U): T;`.

use super::ast;
use super::check::Checker;
use super::error::Error;
use super::typed::{Constructor, Function, Type, quoted};

impl Checker<'_> {
    /// The functions that come with a constructor `C` of a datatype: `is#C`, and `f#C` for each field `f`.
    pub(super) fn constructor(&mut self, f: &ast::FunctionDecl, params: &[Type], result: &Type) {
        let found = match result {
            Type::Con(con, args) if args.is_empty() => self.program.types.get_mut(*con),
            _ => None,
        };
        let Some(constructors) = found.and_then(|t| t.constructors.as_mut()) else {
            let message = format!("the constructor {} is not of a datatype", f.name);
            self.errors.push(Error::new(f.pos, message));
            return;
        };
        let fields = f.params.iter().zip(params).enumerate();
        let fields: Vec<(String, Type)> = fields
            .map(|(i, ((name, _), ty))| {
                let field = name.clone().unwrap_or_else(|| i.to_string());
                (format!("{field}#{}", f.name), ty.clone())
            })
            .collect();
        constructors.push(Constructor {
            name: f.name.clone(),
            fields: fields.clone(),
        });
        let tester = format!("(_ is {})", quoted(&f.name));
        let made = std::iter::once((format!("is#{}", f.name), Type::Bool, tester));
        let selectors = fields.into_iter().map(|(name, ty)| {
            let builtin = quoted(&name);
            (name, ty, builtin)
        });
        for (name, ty, builtin) in made.chain(selectors) {
            let number = self.number();
            self.add_function(Function {
                name,
                pos: f.pos,
                type_params: Vec::new(),
                params: vec![(number, result.clone())],
                result: ty,
                body: None,
                builtin: Some(builtin),
            });
        }
    }
}
