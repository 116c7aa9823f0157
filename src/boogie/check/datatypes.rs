//! Datatypes: `datatype D<a> { C(f: a), E() }`, or `type {:datatype} D a;` and `function {:constructor} C<a>(f: a): D a;`.
//!
//! A constructor `C` is a function, and with it come `is#C` and, for each field `f`, `f#C`. What else there is to say of
//! datatypes is said with these: `d is C`; `d->f`, the field of whichever constructor made `d`; `d->(f := e)`.

use super::Checker;
use super::expr::{CheckResult, ExprChecker, of};
use crate::boogie::ast::{self, Pos};
use crate::boogie::error::Error;
use crate::boogie::typed::{
    BoogieType, ConstructorField, DatatypeConstructor, FunctionId, SolverFunction, TypeId,
    TypedExpr, TypedExprKind, TypedFunction,
};
use crate::internal::{Sure, internal};

impl Checker<'_> {
    /// The constructors of a `datatype`.
    pub(super) fn datatype(&mut self, d: &ast::DatatypeDecl) {
        let Some(con) = self.type_con(&d.name) else {
            return;
        };
        let params: Vec<u32> = d.params.iter().map(|_| self.number()).collect();
        for c in &d.constructors {
            let mut exprs = self.global_exprs();
            exprs.scope.push(&d.params, &params);
            let fields = c.fields.iter().map(|f| exprs.resolve_type(&f.ty));
            let fields: CheckResult<Vec<BoogieType>> = fields.collect();
            let Some(types) = self.note(fields) else {
                continue;
            };
            let result =
                BoogieType::Con(con, params.iter().map(|p| BoogieType::Param(*p)).collect());
            let numbers: Vec<u32> = types.iter().map(|_| self.number()).collect();
            let Some(index) = self.note(self.constructors(con)) else {
                continue;
            };
            let (function, new) = self.add_function(TypedFunction {
                name: c.name.clone(),
                pos: c.pos,
                type_params: params.clone(),
                params: numbers.into_iter().zip(types.clone()).collect(),
                result: result.clone(),
                body: None,
                builtin: Some(SolverFunction::Constructor(index)),
            });
            let names = c.fields.iter().map(|f| f.name.clone());
            let fields: Vec<(String, BoogieType)> = names.zip(types).collect();
            if new {
                let added = self.add_constructor(function, &result, fields);
                self.note(added);
            }
        }
        self.shared_fields(d);
    }

    /// A `{:constructor}` function, which has the number that comes next. Tells which constructor of its datatype it is.
    pub(super) fn constructor_function(
        &mut self,
        f: &ast::FunctionDecl,
        result: &BoogieType,
    ) -> Option<SolverFunction> {
        let con = match result {
            BoogieType::Con(con, args) => {
                let distinct = |(i, t): (usize, &BoogieType)| {
                    matches!(t, BoogieType::Param(_)) && !args.iter().take(i).any(|u| u == t)
                };
                let generic = args.iter().enumerate().all(distinct);
                (generic && f.type_params.len() == args.len()).then_some(*con)
            }
            _ => None,
        };
        match con.map(|con| self.constructors(con)) {
            Some(Ok(so_far)) => Some(SolverFunction::Constructor(so_far)),
            _ => {
                let message = format!("the constructor {} is not of a datatype", f.name);
                self.errors.push(Error::new(f.pos, message));
                None
            }
        }
    }

    /// How many constructors the datatype has so far; it must be one.
    fn constructors(&self, con: TypeId) -> CheckResult<usize> {
        let all = self.program.types.at(con)?.constructors.as_ref();
        Ok(all.sure()?.len())
    }

    /// What comes with a constructor of the type `result`, made by a function that is there already.
    pub(super) fn add_constructor(
        &mut self,
        function: FunctionId,
        result: &BoogieType,
        fields: Vec<(String, BoogieType)>,
    ) -> CheckResult<()> {
        let BoogieType::Con(con, args) = result else {
            return Err(internal("a constructor makes a value of a datatype").into());
        };
        let f = self.program.functions.at(function)?;
        let (name, pos) = (f.name.clone(), f.pos);
        let params: Vec<u32> = args
            .iter()
            .filter_map(|t| match t {
                BoogieType::Param(n) => Some(*n),
                _ => None,
            })
            .collect();
        let index = self.constructors(*con)?;
        let mut helper = |name: String, ty: BoogieType, builtin: SolverFunction| {
            let number = self.number();
            let (helper, _) = self.add_function(TypedFunction {
                name,
                pos,
                type_params: params.clone(),
                params: vec![(number, result.clone())],
                result: ty,
                body: None,
                builtin: Some(builtin),
            });
            helper
        };
        let tester = helper(
            format!("is#{name}"),
            BoogieType::Bool,
            SolverFunction::Tester(index),
        );
        let fields: Vec<ConstructorField> = fields
            .into_iter()
            .enumerate()
            .map(|(i, (field, ty))| {
                let builtin = SolverFunction::Selector(index, i);
                ConstructorField {
                    selector: helper(format!("{field}#{name}"), ty.clone(), builtin),
                    name: field,
                    ty,
                }
            })
            .collect();
        let constructor = DatatypeConstructor {
            name,
            params,
            function,
            tester,
            fields,
        };
        let all = self.program.types.at_mut(*con)?.constructors.as_mut();
        all.sure()?.push(constructor);
        Ok(())
    }

    /// A field that two constructors of a datatype have must be of one type.
    fn shared_fields(&mut self, d: &ast::DatatypeDecl) {
        let con = self.type_con(&d.name);
        let con = con.sure().and_then(|con| self.program.types.at(con));
        let con = match con {
            Ok(con) => con,
            Err(bug) => return self.errors.push(bug.into()),
        };
        let constructors = con.constructors.iter().flatten();
        let fields = constructors.flat_map(|c| c.fields.iter().map(move |f| (c, f)));
        let differ = fields.clone().find(|(c, f)| {
            !fields
                .clone()
                .all(|(d, g)| f.name != g.name || same_type(c, f, d, g))
        });
        if let Some((_, field)) = differ {
            let message = format!("the field {} of {} has several types", field.name, d.name);
            self.errors.push(Error::new(d.pos, message));
        }
    }
}

/// Have two fields the same type?
fn same_type(
    c: &DatatypeConstructor,
    f: &ConstructorField,
    d: &DatatypeConstructor,
    g: &ConstructorField,
) -> bool {
    let args: Vec<BoogieType> = c.params.iter().map(|p| BoogieType::Param(*p)).collect();
    g.ty.substitute(&d.params, &args) == f.ty
}

/// A constructor, and its field of a certain name.
type Owner = (DatatypeConstructor, ConstructorField);

impl ExprChecker<'_> {
    /// The constructors of the datatype that an expression is of, and what the datatype's parameters stand for.
    fn datatype_of(
        &self,
        e: &TypedExpr,
        pos: Pos,
        what: &str,
    ) -> CheckResult<(&'_ [DatatypeConstructor], Vec<BoogieType>)> {
        let ty = self.metas.head(&e.ty);
        let found = match &ty {
            BoogieType::Con(con, args) => {
                let constructors = self.program.types.at(*con)?.constructors.as_deref();
                constructors.map(|all| (all, args.clone()))
            }
            _ => None,
        };
        found.ok_or_else(|| {
            let ty = self.show(&ty);
            Error::new(
                pos,
                format!("{what} must be applied to a datatype, {ty} is not a datatype"),
            )
        })
    }

    /// The constructors with a field of that name.
    fn with_field(
        &self,
        e: &TypedExpr,
        name: &str,
        pos: Pos,
    ) -> CheckResult<(Vec<Owner>, Vec<BoogieType>)> {
        let (constructors, args) = self.datatype_of(e, pos, "field-access")?;
        let having = constructors.iter().filter_map(|c| {
            let field = c.fields.iter().find(|f| f.name == name)?;
            Some((c.clone(), field.clone()))
        });
        let having: Vec<Owner> = having.collect();
        let Some((c, f)) = having.first() else {
            let ty = self.show(&e.ty);
            return Err(Error::new(
                pos,
                format!("datatype {ty} does not have a field with name {name}"),
            ));
        };
        match having.iter().all(|(d, g)| same_type(c, f, d, g)) {
            true => Ok((having, args)),
            false => Err(Error::new(
                pos,
                format!("the field {name} has several types"),
            )),
        }
    }

    /// `d->f`: where several constructors have that field, that of the one that made the value.
    pub(super) fn field(
        &mut self,
        value: TypedExpr,
        name: &str,
        pos: Pos,
    ) -> CheckResult<TypedExpr> {
        let (having, args) = self.with_field(&value, name, pos)?;
        self.shared(having.len(), value, |_, value| {
            let mut ways = having.iter().map(|(c, field)| {
                let selected = apply(
                    field.selector,
                    &args,
                    value,
                    field.ty.substitute(&c.params, &args),
                );
                (c.tester, selected)
            });
            let (_, first) = ways.next().ok_or_else(|| no_field(pos))?;
            Ok(ways.fold(first, |other, (tester, selected)| {
                choice(
                    apply(tester, &args, value, BoogieType::Bool),
                    selected,
                    other,
                )
            }))
        })
    }

    /// `d->(f := new)`: the constructor that made the value, with that field replaced.
    pub(super) fn update(
        &mut self,
        value: TypedExpr,
        name: &str,
        new: TypedExpr,
        pos: Pos,
    ) -> CheckResult<TypedExpr> {
        let (having, args) = self.with_field(&value, name, pos)?;
        let field_type = |(c, f): &Owner| f.ty.substitute(&c.params, &args);
        let wanted = having.first().map_or(BoogieType::Bool, field_type);
        self.same(&new.ty, &wanted, pos, "the new value of the field")?;
        let uses = having.iter().map(|(c, _)| c.fields.len()).sum();
        self.shared(uses, value, |checker, value| {
            checker.shared(having.len(), new, |checker, new| {
                let mut ways = Vec::new();
                for (c, _) in &having {
                    let fields = c.fields.iter().map(|f| match f.name == name {
                        true => Ok(new.clone()),
                        false => checker.field(value.clone(), &f.name, pos),
                    });
                    let fields = fields.collect::<CheckResult<Vec<_>>>()?;
                    ways.push((c.tester, checker.made(c, &args, fields, &value.ty)?));
                }
                let mut ways = ways.into_iter();
                let (_, first) = ways.next().ok_or_else(|| no_field(pos))?;
                Ok(ways.fold(first, |other, (tester, made)| {
                    choice(apply(tester, &args, value, BoogieType::Bool), made, other)
                }))
            })
        })
    }

    /// A constructor applied.
    fn made(
        &self,
        c: &DatatypeConstructor,
        args: &[BoogieType],
        fields: Vec<TypedExpr>,
        ty: &BoogieType,
    ) -> CheckResult<TypedExpr> {
        let params = &self.program.functions.at(c.function)?.type_params;
        let stands_for = |p: &u32| {
            let at = c.params.iter().position(|q| p == q);
            Ok(at.and_then(|at| args.get(at)).sure()?.clone())
        };
        let types: CheckResult<Vec<BoogieType>> = params.iter().map(stands_for).collect();
        let kind = TypedExprKind::Call(c.function, types?, fields);
        Ok(of(kind, ty.clone()))
    }

    /// `d is C`.
    pub(super) fn is_constructor(
        &mut self,
        value: TypedExpr,
        name: &str,
        pos: Pos,
    ) -> CheckResult<TypedExpr> {
        let (constructors, args) = self.datatype_of(&value, pos, "is-constructor")?;
        match constructors.iter().find(|c| c.name == name) {
            Some(c) => Ok(apply(c.tester, &args, &value, BoogieType::Bool)),
            None => {
                let ty = self.show(&value.ty);
                Err(Error::new(
                    pos,
                    format!("datatype {ty} does not have a constructor with name {name}"),
                ))
            }
        }
    }

    /// What `C(x, y) := e` does: `e` must be made by `C`, and its fields are these.
    pub(super) fn unpacked(
        &mut self,
        name: &str,
        value: &TypedExpr,
        pos: Pos,
    ) -> CheckResult<(TypedExpr, Vec<TypedExpr>)> {
        let is = self.is_constructor(value.clone(), name, pos)?;
        let (constructors, args) = self.datatype_of(value, pos, "unpacking")?;
        let found = constructors.iter().find(|c| c.name == name);
        let fields = found
            .iter()
            .flat_map(|c| c.fields.iter().map(|f| (&c.params, f)));
        let select = |(params, f): (&Vec<u32>, &ConstructorField)| {
            apply(f.selector, &args, value, f.ty.substitute(params, &args))
        };
        Ok((is, fields.map(select).collect()))
    }

    /// What is made of a value that occurs in it so many times.
    fn shared(
        &mut self,
        uses: usize,
        value: TypedExpr,
        make: impl FnOnce(&mut Self, &TypedExpr) -> CheckResult<TypedExpr>,
    ) -> CheckResult<TypedExpr> {
        if uses < 2 || value.children().is_empty() {
            return make(self, &value);
        }
        let number = self.number();
        let bound = of(TypedExprKind::Bound(number), value.ty.clone());
        let body = make(self, &bound)?;
        let ty = body.ty.clone();
        Ok(of(
            TypedExprKind::Let(vec![(number, value)], Box::new(body)),
            ty,
        ))
    }
}

fn no_field(pos: Pos) -> Error {
    Error::new(pos, "no constructor has this field")
}

fn apply(
    function: FunctionId,
    types: &[BoogieType],
    value: &TypedExpr,
    ty: BoogieType,
) -> TypedExpr {
    of(
        TypedExprKind::Call(function, types.to_vec(), vec![value.clone()]),
        ty,
    )
}

fn choice(condition: TypedExpr, then: TypedExpr, otherwise: TypedExpr) -> TypedExpr {
    let ty = then.ty.clone();
    of(
        TypedExprKind::Ite(Box::new(condition), Box::new(then), Box::new(otherwise)),
        ty,
    )
}
