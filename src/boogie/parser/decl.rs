//! Declarations.

use super::*;

impl BoogieParser {
    pub(super) fn program(&mut self) -> Parsed<BoogieProgram> {
        let mut decls = Vec::new();
        while *self.peek() != BoogieToken::End {
            self.decl(&mut decls)?;
        }
        Ok(BoogieProgram { decls })
    }

    fn decl(&mut self, decls: &mut Vec<Decl>) -> Parsed<()> {
        let word = match self.peek() {
            BoogieToken::Ident(word) => word.clone(),
            _ => return self.unexpected("a declaration"),
        };
        let pos = self.pos();
        self.at += 1;
        match word.as_str() {
            "type" => self.type_decls(decls),
            "const" => self.const_decls(decls),
            "datatype" => {
                let datatype = self.datatype()?;
                decls.push(Decl::Datatype(datatype));
                Ok(())
            }
            "function" => self.function(decls),
            // Which functions and axioms Boogie shows its prover unasked: no concern of what they mean.
            "revealed" => {
                self.expect_word("function")?;
                self.function(decls)
            }
            "hideable" => {
                self.expect_word("axiom")?;
                self.axiom(pos, decls)
            }
            "axiom" => self.axiom(pos, decls),
            "var" => {
                let vars = self.var_lists()?;
                decls.extend(vars.into_iter().map(Decl::Var));
                Ok(())
            }
            // A pure procedure modifies nothing, which its body shows.
            "pure" if self.is_word("procedure") => {
                self.at += 1;
                let procedure = self.procedure()?;
                decls.push(Decl::Procedure(procedure));
                Ok(())
            }
            "procedure" => {
                let procedure = self.procedure()?;
                decls.push(Decl::Procedure(procedure));
                Ok(())
            }
            "implementation" => {
                let implementation = self.implementation()?;
                decls.push(Decl::Implementation(implementation));
                Ok(())
            }
            "yield" => Err(Error::unsupported(
                pos,
                "a yielding procedure (concurrency)",
                SEQUENTIAL,
            )),
            "async" | "atomic" | "left" | "right" | "both" | "action" | "pure" => {
                let what = "an atomic action (concurrency)";
                Err(Error::unsupported(pos, what, SEQUENTIAL))
            }
            _ => {
                self.at -= 1;
                self.unexpected("a declaration")
            }
        }
    }

    fn type_decls(&mut self, decls: &mut Vec<Decl>) -> Parsed<()> {
        let attrs = self.attributes()?;
        // Boogie reads the word and thinks no more of it.
        if self.is_word("finite") && matches!(self.peek_at(1), BoogieToken::Ident(_)) {
            self.at += 1;
        }
        loop {
            let (name, pos) = self.name_at()?;
            let mut params = Vec::new();
            while self.is_name() {
                params.push(self.name()?);
            }
            let synonym = match self.eat("=") {
                true => Some(self.ty()?),
                false => None,
            };
            decls.push(Decl::Type(TypeDecl {
                pos,
                attrs: attrs.clone(),
                name,
                params,
                synonym,
            }));
            if !self.eat(",") {
                return self.expect(";");
            }
        }
    }

    /// Behind `datatype`.
    fn datatype(&mut self) -> Parsed<DatatypeDecl> {
        let attrs = self.attributes()?;
        let (name, pos) = self.name_at()?;
        let params = self.type_params()?;
        self.expect("{")?;
        let constructors = self.list(|p| {
            let (name, pos) = p.name_at()?;
            p.expect("(")?;
            let fields = p.list_until(")", |p| p.vars_of_type())?.concat();
            match fields.iter().find(|f| f.where_.is_some()) {
                Some(f) => Err(Error::new(f.pos, "a field has no where clause")),
                None => Ok(ConstructorDecl { pos, name, fields }),
            }
        })?;
        self.expect("}")?;
        Ok(DatatypeDecl {
            pos,
            attrs,
            name,
            params,
            constructors,
        })
    }

    /// Behind `axiom`.
    fn axiom(&mut self, pos: Pos, decls: &mut Vec<Decl>) -> Parsed<()> {
        let attrs = self.attributes()?;
        let expr = self.expr()?;
        self.expect(";")?;
        decls.push(Decl::Axiom(AxiomDeclaration { pos, attrs, expr }));
        Ok(())
    }

    /// `uses { axiom e; … }`: axioms that Boogie shows its prover where the declaration before is used.
    fn uses(&mut self, decls: &mut Vec<Decl>) -> Parsed<bool> {
        if !self.is_uses() {
            return Ok(false);
        }
        self.at += 2;
        while !self.eat("}") {
            self.eat_word("hideable");
            let pos = self.pos();
            self.expect_word("axiom")?;
            self.axiom(pos, decls)?;
        }
        Ok(true)
    }

    fn const_decls(&mut self, decls: &mut Vec<Decl>) -> Parsed<()> {
        let attrs = self.attributes()?;
        let unique = self.eat_word("unique");
        let names = self.names_at()?;
        self.expect(":")?;
        let ty = self.ty()?;
        let order = self.order()?;
        let mut axioms = Vec::new();
        if !self.uses(&mut axioms)? {
            self.expect(";")?;
        }
        decls.extend(names.into_iter().map(|(name, pos)| {
            Decl::Const(ConstDecl {
                pos,
                attrs: attrs.clone(),
                unique,
                name,
                ty: ty.clone(),
                order: order.clone(),
            })
        }));
        decls.append(&mut axioms);
        Ok(())
    }

    /// `extends unique p, q complete`
    fn order(&mut self) -> Parsed<Option<ConstOrder>> {
        if !self.eat_word("extends") {
            return Ok(None);
        }
        let parents = match self.is(";") || self.is_word("complete") {
            true => Vec::new(),
            false => self.list(|p| {
                let unique = p.eat_word("unique");
                let (name, pos) = p.name_at()?;
                Ok(Parent { unique, name, pos })
            })?,
        };
        let complete = self.eat_word("complete");
        Ok(Some(ConstOrder { parents, complete }))
    }

    /// Behind `function`.
    fn function(&mut self, decls: &mut Vec<Decl>) -> Parsed<()> {
        let attrs = self.attributes()?;
        let (name, pos) = self.name_at()?;
        let type_params = self.type_params()?;
        self.expect("(")?;
        let mut params = self.list_until(")", |p| p.var_or_type())?;
        share_types(&mut params);
        let (result_name, result) = if self.eat_word("returns") {
            self.expect("(")?;
            let result = self.var_or_type()?;
            self.expect(")")?;
            result
        } else {
            self.expect(":")?;
            (None, self.ty()?)
        };
        let mut axioms = Vec::new();
        let body = if self.eat("{") {
            let body = self.expr()?;
            self.expect("}")?;
            self.uses(&mut axioms)?;
            Some(body)
        } else {
            if !self.uses(&mut axioms)? {
                self.expect(";")?;
            }
            None
        };
        decls.push(Decl::Function(FunctionDecl {
            pos,
            attrs,
            name,
            type_params,
            params,
            result_name,
            result,
            body,
        }));
        decls.append(&mut axioms);
        Ok(())
    }

    fn var_or_type(&mut self) -> Parsed<(Option<String>, TypeExpr)> {
        self.attributes()?;
        let name = match (self.is_name(), self.peek_at(1)) {
            (true, BoogieToken::Sym(":")) => {
                let name = self.name()?;
                self.at += 1;
                Some(name)
            }
            _ => None,
        };
        Ok((name, self.ty()?))
    }

    /// Behind `var`, up to and with the `;`.
    fn var_lists(&mut self) -> Parsed<Vec<VarDecl>> {
        let attrs = self.attributes()?;
        let mut vars = self.list(|p| p.vars_of_type())?.concat();
        for var in &mut vars {
            var.attrs = attrs.iter().chain(&var.attrs).cloned().collect();
        }
        self.expect(";")?;
        Ok(vars)
    }

    fn signature(&mut self) -> Parsed<ProcedureSignature> {
        let type_params = self.type_params()?;
        self.expect("(")?;
        let ins = self.list_until(")", |p| p.vars_of_type())?.concat();
        let outs = match self.eat_word("returns") {
            true => {
                self.expect("(")?;
                self.list_until(")", |p| p.vars_of_type())?.concat()
            }
            false => Vec::new(),
        };
        Ok(ProcedureSignature {
            type_params,
            ins,
            outs,
        })
    }

    fn procedure(&mut self) -> Parsed<ProcedureDeclaration> {
        let attrs = self.attributes()?;
        let (name, pos) = self.name_at()?;
        let signature = self.signature()?;
        let bodiless = self.eat(";");
        let mut specs = Vec::new();
        while let Some(spec) = self.spec()? {
            specs.push(spec);
        }
        let body = match bodiless {
            true => None,
            false => Some(self.body()?),
        };
        Ok(ProcedureDeclaration {
            pos,
            attrs,
            name,
            signature,
            specs,
            body,
        })
    }

    fn implementation(&mut self) -> Parsed<Implementation> {
        let attrs = self.attributes()?;
        let (name, pos) = self.name_at()?;
        let signature = self.signature()?;
        let body = self.body()?;
        Ok(Implementation {
            pos,
            attrs,
            name,
            signature,
            body,
        })
    }

    fn spec(&mut self) -> Parsed<Option<Spec>> {
        if self.eat_word("modifies") {
            let names = match self.is_name() {
                true => self.names_at()?,
                false => Vec::new(),
            };
            self.expect(";")?;
            return Ok(Some(Spec::Modifies(names)));
        }
        let pos = self.pos();
        let free = self.eat_word("free");
        let requires = if self.eat_word("requires") {
            true
        } else if self.eat_word("ensures") {
            false
        } else if free {
            return self.unexpected("`requires` or `ensures`");
        } else {
            return Ok(None);
        };
        let attrs = self.attributes()?;
        let expr = self.expr()?;
        self.expect(";")?;
        let condition = SpecCondition {
            pos,
            free,
            attrs,
            expr,
        };
        Ok(Some(match requires {
            true => Spec::Requires(condition),
            false => Spec::Ensures(condition),
        }))
    }

    /// `{ var …; statements }`
    pub(super) fn body(&mut self) -> Parsed<ProcedureBody> {
        self.expect("{")?;
        self.body_until("}")
    }

    /// The rest of a body, up to its closing brace.
    pub(super) fn body_until(&mut self, close: &str) -> Parsed<ProcedureBody> {
        let mut locals = Vec::new();
        while self.eat_word("var") {
            locals.extend(self.var_lists()?);
        }
        let stmts = self.stmts()?;
        let end = self.pos();
        self.expect(close)?;
        Ok(ProcedureBody { locals, stmts, end })
    }
}

/// In `f(x, y: int)`, `x` is a parameter too, of the type that follows.
fn share_types(params: &mut [(Option<String>, TypeExpr)]) {
    let mut following: Option<TypeExpr> = None;
    for (name, ty) in params.iter_mut().rev() {
        match (&name, &ty.kind, &following) {
            (Some(_), ..) => following = Some(ty.clone()),
            (None, TypeKind::Named(word, args), Some(shared)) if args.is_empty() => {
                *name = Some(word.clone());
                *ty = shared.clone();
            }
            _ => {}
        }
    }
}
