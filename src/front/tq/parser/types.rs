//! Types and parameters.

use super::super::ast::{ParamSyntax, TypeSyntax};
use super::super::token::TokenKind;
use super::{Parsed, Parser};

/// How many suffixes of other languages are read behind one type: nobody means more.
const MOST_SUFFIXES: usize = 3;

impl Parser<'_> {
    pub(super) fn ty(&mut self) -> Parsed<TypeSyntax> {
        let start = self.span();
        let mut ty = self.element_type()?;
        for _ in 0..MOST_SUFFIXES {
            match self.other_suffix(start, &ty) {
                Some(other) => ty = other?,
                None => break,
            }
        }
        Ok(ty)
    }

    /// A type that is no array by what stands behind it.
    pub(super) fn element_type(&mut self) -> Parsed<TypeSyntax> {
        let ty = self.nested(Self::plain_type)?;
        Ok(if self.eat("?") {
            TypeSyntax::Nullable(Box::new(ty))
        } else {
            ty
        })
    }

    fn plain_type(&mut self) -> Parsed<TypeSyntax> {
        if !self.is_name() {
            return self.other_prefix();
        }
        let name = self.name("a type")?;
        if name.name == "array" && self.eat("<") {
            let element = self.ty()?;
            self.close_angle("an array has one type of elements: write `array<T>`")?;
            return Ok(TypeSyntax::Array(Box::new(element)));
        }
        if name.name == "map" && self.eat("<") {
            let key = self.ty()?;
            if !self.eat(",") {
                let help = "a map has a type of keys and one of values: write `map<K, V>`";
                return Err(self.expected_with("`,`", help));
            }
            let value = self.ty()?;
            self.close_angle("a map has two types: write `map<K, V>`")?;
            return Ok(TypeSyntax::Map(Box::new(key), Box::new(value)));
        }
        if name.name == "int" && self.eat_word("in") {
            return Ok(TypeSyntax::Within(self.name("a machine integer type")?));
        }
        self.other_type(name)
    }

    fn close_angle(&mut self, help: &str) -> Parsed<()> {
        if self.eat(">") {
            return Ok(());
        }
        if self.is(",") {
            return Err(self.expected_with("`>`", help));
        }
        Err(self.expected("`>`"))
    }

    /// `(x: T, y: U)`
    pub(super) fn params(&mut self) -> Parsed<Vec<ParamSyntax>> {
        self.params_with(Self::param)
    }

    fn params_with(
        &mut self,
        one: fn(&mut Self) -> Parsed<ParamSyntax>,
    ) -> Parsed<Vec<ParamSyntax>> {
        self.expect("(")?;
        let mut params = Vec::new();
        if !self.is(")") {
            params.push(one(self)?);
            while self.eat(",") {
                if self.is(")") {
                    let help = "leave out the `,` before it";
                    return Err(self.expected_with("the name of a variable", help));
                }
                params.push(one(self)?);
            }
        }
        self.other_end_of_param(&params)?;
        self.expect(")")?;
        Ok(params)
    }

    /// `(x: T, hidden y: U)`
    pub(super) fn inputs(&mut self) -> Parsed<Vec<ParamSyntax>> {
        self.params_with(Self::input)
    }

    fn input(&mut self) -> Parsed<ParamSyntax> {
        // `hidden: T` is one that is called so.
        let hidden = self.is_word("hidden") && self.ahead(1).kind == TokenKind::Name;
        if hidden {
            self.bump();
        }
        let param = self.param()?;
        Ok(ParamSyntax { hidden, ..param })
    }

    pub(super) fn param(&mut self) -> Parsed<ParamSyntax> {
        self.skip_word_before_param();
        let name = self.name("the name of a variable")?;
        if !self.is(":") {
            return self.other_param(name);
        }
        self.bump();
        let ty = self.ty()?;
        Ok(ParamSyntax::new(name, ty))
    }
}
