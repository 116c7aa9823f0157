//! Types and parameters.

use super::super::ast::{Param, Type};
use super::{Parsed, Parser};

impl Parser<'_> {
    pub(super) fn ty(&mut self) -> Parsed<Type> {
        let ty = self.nested(Self::plain_type)?;
        Ok(if self.eat("?") {
            Type::Nullable(Box::new(ty))
        } else {
            ty
        })
    }

    fn plain_type(&mut self) -> Parsed<Type> {
        let name = self.name("a type")?;
        if name.name == "array" && self.eat("<") {
            let element = self.ty()?;
            self.expect(">")?;
            return Ok(Type::Array(Box::new(element)));
        }
        if name.name == "map" && self.eat("<") {
            let key = self.ty()?;
            self.expect(",")?;
            let value = self.ty()?;
            self.expect(">")?;
            return Ok(Type::Map(Box::new(key), Box::new(value)));
        }
        Ok(Type::Name(name))
    }

    /// `(x: T, y: U)`
    pub(super) fn params(&mut self) -> Parsed<Vec<Param>> {
        self.expect("(")?;
        let mut params = Vec::new();
        if !self.is(")") {
            params.push(self.param()?);
            while self.eat(",") {
                params.push(self.param()?);
            }
        }
        self.expect(")")?;
        Ok(params)
    }

    pub(super) fn param(&mut self) -> Parsed<Param> {
        let name = self.name("the name of a variable")?;
        self.expect(":")?;
        let ty = self.ty()?;
        Ok(Param { name, ty })
    }
}
