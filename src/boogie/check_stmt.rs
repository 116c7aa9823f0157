//! Names and types of bodies, and structured statements to blocks.

use std::collections::HashMap;

use super::ast::{self, Access, Pos, StmtKind};
use super::check_expr::{Checked, ExprChecker, LocalName, of};
use super::error::Error;
use super::typed::{
    Block, Body, Call, ChainOp, Cmd, CmdKind, Code, Expr, ExprKind, GlobalName, Jump, Procedure,
    Type, Var,
};
use super::visible::has_flag;

/// The signatures of procedures: those of the program, and those of an entry added to it.
pub(super) struct Signatures<'p> {
    pub base: &'p [Procedure],
    pub added: &'p [Procedure],
    pub added_names: &'p HashMap<String, usize>,
}

impl<'p> Signatures<'p> {
    pub(super) fn get(&self, index: usize) -> Option<&'p Procedure> {
        match index.checked_sub(self.base.len()) {
            None => self.base.get(index),
            Some(i) => self.added.get(i),
        }
    }
}

/// Something that can be left by `break`.
struct Breakable {
    label: Option<String>,
    is_loop: bool,
    done: usize,
}

/// A block in the making.
struct Draft {
    block: Block,
    placed: bool,
    value: Option<Expr>,
}

/// Makes the blocks of a body.
pub(super) struct BodyChecker<'c, 'p> {
    pub exprs: &'c mut ExprChecker<'p>,
    pub signatures: &'c Signatures<'c>,
    /// All that is wrong so far; checking goes on behind a bad statement.
    pub errors: Vec<Error>,
    blocks: Vec<Draft>,
    labels: HashMap<String, usize>,
    breakables: Vec<Breakable>,
    current: Option<usize>,
    /// Numbers for plain blocks, and for the blocks of structured statements behind those.
    anon: u32,
    structured: u32,
    in_code: bool,
    /// The local variable that is true as long as `{:selective_checking}` makes assumptions of assertions.
    pub unchecked: Option<usize>,
}

impl<'c, 'p> BodyChecker<'c, 'p> {
    pub(super) fn new(exprs: &'c mut ExprChecker<'p>, signatures: &'c Signatures<'c>) -> Self {
        BodyChecker {
            exprs,
            signatures,
            errors: Vec::new(),
            blocks: Vec::new(),
            labels: HashMap::new(),
            breakables: Vec::new(),
            current: None,
            anon: 0,
            structured: 0,
            in_code: false,
            unchecked: None,
        }
    }

    /// The blocks of a body, whose locals are in scope already.
    pub(super) fn body(mut self, body: &ast::Body) -> Result<Body, Vec<Error>> {
        self.run(body);
        self.missing_labels();
        if !self.errors.is_empty() {
            return Err(self.errors);
        }
        let blocks = self.blocks.into_iter().map(|d| d.block).collect();
        Ok(Body {
            blocks,
            end: body.end,
        })
    }

    fn run(&mut self, body: &ast::Body) {
        self.structured = count_plain(&body.stmts);
        self.stmts(&body.stmts);
        self.seal(Jump::Return(body.end));
        if self.blocks.is_empty() {
            self.start("anon0".into(), body.end);
            self.seal(Jump::Return(body.end));
        }
    }

    fn draft(&mut self, label: String, pos: Pos) -> usize {
        self.blocks.push(Draft {
            block: Block {
                label,
                pos,
                cmds: Vec::new(),
                jump: Jump::Goto(Vec::new()),
            },
            placed: false,
            value: None,
        });
        self.blocks.len() - 1
    }

    /// Goes on in this block; what came before falls through to it.
    fn enter(&mut self, block: usize, pos: Pos) {
        self.seal(Jump::Goto(vec![block]));
        if let Some(draft) = self.blocks.get_mut(block) {
            draft.placed = true;
            draft.block.pos = pos;
        }
        self.current = Some(block);
    }

    fn start(&mut self, label: String, pos: Pos) -> usize {
        let block = self.draft(label, pos);
        self.enter(block, pos);
        block
    }

    /// Ends the current block, if there is one.
    fn seal(&mut self, jump: Jump) {
        if let Some(draft) = self.current.take().and_then(|b| self.blocks.get_mut(b)) {
            draft.block.jump = jump;
        }
    }

    fn push(&mut self, pos: Pos, kind: CmdKind) {
        if self.current.is_none() {
            let label = self.plain_label();
            self.start(label, pos);
        }
        if let Some(draft) = self.current.and_then(|b| self.blocks.get_mut(b)) {
            draft.block.cmds.push(Cmd { pos, kind });
        }
    }

    fn plain_label(&mut self) -> String {
        self.anon += 1;
        format!("anon{}", self.anon - 1)
    }

    fn structured_number(&mut self) -> u32 {
        self.structured += 1;
        self.structured - 1
    }

    fn label_block(&mut self, name: &str) -> usize {
        if let Some(block) = self.labels.get(name) {
            return *block;
        }
        let block = self.draft(name.to_string(), Pos::default());
        self.labels.insert(name.to_string(), block);
        block
    }

    /// A list of statements: a sequence of Boogie's "big blocks".
    fn stmts(&mut self, stmts: &[ast::Stmt]) {
        let mut label: Option<&str> = None;
        let mut fresh = true;
        for stmt in stmts {
            let structured = matches!(stmt.kind, StmtKind::If(..) | StmtKind::While(..));
            if fresh && !matches!(stmt.kind, StmtKind::Label(_)) {
                // The blocks of a branch begin inside the branch's own block.
                if self.current.is_none() {
                    let name = self.plain_label();
                    self.start(name, stmt.pos);
                } else {
                    self.anon += 1;
                }
            }
            fresh = structured;
            if let Err(error) = self.stmt(stmt, label.take()) {
                self.errors.push(error);
            }
            match &stmt.kind {
                StmtKind::Label(name) => label = Some(name),
                StmtKind::Goto(_) | StmtKind::Return(_) | StmtKind::Break(_) => fresh = true,
                _ => {}
            }
        }
        if stmts.is_empty() {
            self.anon += 1;
        }
    }

    fn stmt(&mut self, stmt: &ast::Stmt, label: Option<&str>) -> Checked<()> {
        let pos = stmt.pos;
        match &stmt.kind {
            StmtKind::Label(name) => {
                let block = self.label_block(name);
                if self.blocks.get(block).is_some_and(|d| d.placed) {
                    return Err(Error::new(
                        pos,
                        format!("the label {name} is declared twice"),
                    ));
                }
                self.enter(block, pos);
            }
            StmtKind::Assume(attrs, e) => {
                let e = self.exprs.of_type(e, &Type::Bool, "an assumption")?;
                self.push(pos, CmdKind::Assume(e));
                if let (Some(unchecked), true) =
                    (self.unchecked, has_flag(attrs, "start_checking_here"))
                {
                    let checked = Expr::bool(ExprKind::Bool(false));
                    self.push(pos, CmdKind::Assign(vec![(Var::Local(unchecked), checked)]));
                }
            }
            StmtKind::Assert(attrs, e) => {
                let mut text = String::from("assert ");
                attrs.iter().for_each(|a| text.push_str(&format!("{a} ")));
                text.push_str(&format!("{e};"));
                let e = self.exprs.of_type(e, &Type::Bool, "an assertion")?;
                self.assertion(pos, attrs, e, text)?;
            }
            StmtKind::Assign(lhs, rhs) => {
                let pairs = self.assign(lhs, rhs)?;
                self.push(pos, CmdKind::Assign(pairs));
            }
            StmtKind::Unpack(constructor, targets, value) => {
                self.unpack(constructor, targets, value, pos)?;
            }
            StmtKind::Show(_) => {}
            StmtKind::Havoc(names) => {
                let vars = names
                    .iter()
                    .map(|(name, pos)| Ok(self.target(name, *pos)?.0))
                    .collect::<Checked<Vec<_>>>()?;
                self.push(pos, CmdKind::Havoc(vars));
            }
            StmtKind::Call(call) => {
                let call = self.call(call, pos)?;
                self.push(pos, CmdKind::Call(call));
            }
            StmtKind::Goto(names) => {
                let targets = names.iter().map(|(name, pos)| self.goto_target(name, *pos));
                let targets = targets.collect();
                self.ensure_block(pos);
                self.seal(Jump::Goto(targets));
            }
            StmtKind::Return(value) => {
                self.ensure_block(pos);
                match (value, self.in_code) {
                    (None, false) => {}
                    (Some(e), true) => {
                        let e =
                            self.exprs
                                .of_type(e, &Type::Bool, "the value of a code expression")?;
                        if let Some(draft) = self.current.and_then(|b| self.blocks.get_mut(b)) {
                            draft.value = Some(e);
                        }
                    }
                    (Some(_), false) => {
                        return Err(Error::new(
                            pos,
                            "`return` with a value belongs in a code expression",
                        ));
                    }
                    (None, true) => {
                        return Err(Error::new(pos, "a code expression must return a value"));
                    }
                }
                self.seal(Jump::Return(pos));
            }
            StmtKind::Break(label) => {
                let found = self.breakables.iter().rev().find(|b| match label {
                    Some(_) => b.label == *label,
                    None => b.is_loop,
                });
                let Some(done) = found.map(|b| b.done) else {
                    return Err(Error::new(
                        pos,
                        "this `break` is not inside what it would leave",
                    ));
                };
                self.ensure_block(pos);
                self.seal(Jump::Goto(vec![done]));
            }
            StmtKind::If(arms, otherwise) => self.if_stmt(pos, label, arms, otherwise.as_deref()),
            StmtKind::While(guard, invariants, body) => {
                self.while_stmt(pos, label, guard, invariants, body)
            }
        }
        Ok(())
    }

    /// Asserts what need not be verified under certain circumstances, and goes on with it.
    fn assertion(
        &mut self,
        pos: Pos,
        attrs: &[ast::Attribute],
        e: Expr,
        text: String,
    ) -> Checked<()> {
        match self.verified_under(attrs)? {
            Some(verified) => {
                let either = ExprKind::Chain(ChainOp::Or, vec![verified, e.clone()]);
                self.push(pos, CmdKind::Assert(Expr::bool(either), text));
                self.push(pos, CmdKind::Assume(e));
            }
            None => self.push(pos, CmdKind::Assert(e, text)),
        }
        Ok(())
    }

    /// When something need not be verified: `{:verified_under e}`, and before `{:start_checking_here}`.
    fn verified_under(&mut self, attrs: &[ast::Attribute]) -> Checked<Option<Expr>> {
        let mut all = Vec::new();
        let attr = attrs.iter().find(|a| a.name == "verified_under");
        if let Some(ast::AttrArg::Expr(e)) = attr.and_then(|a| a.args.first()) {
            all.push(self.exprs.of_type(e, &Type::Bool, "`verified_under`")?);
        }
        all.extend(
            self.unchecked
                .map(|v| Expr::bool(ExprKind::Var(Var::Local(v)))),
        );
        Ok(match all.len() {
            0 => None,
            _ => Some(Expr::bool(ExprKind::Chain(ChainOp::Or, all))),
        })
    }

    /// The place of a label's own mention in a `goto`, in case the label is missing.
    fn goto_target(&mut self, name: &str, pos: Pos) -> usize {
        let block = self.label_block(name);
        if let Some(draft) = self.blocks.get_mut(block)
            && !draft.placed
        {
            draft.block.pos = pos;
        }
        block
    }

    fn ensure_block(&mut self, pos: Pos) {
        if self.current.is_none() {
            let label = self.plain_label();
            self.start(label, pos);
        }
    }

    fn condition(&mut self, guard: &ast::Guard) -> Option<Expr> {
        let guard = guard.as_ref()?;
        match self.exprs.of_type(guard, &Type::Bool, "a condition") {
            Ok(e) => Some(e),
            Err(error) => {
                self.errors.push(error);
                None
            }
        }
    }

    /// A branch: a block that assumes the condition, the statements, and on to `done`.
    fn branch(
        &mut self,
        name: String,
        pos: Pos,
        guard: Option<Expr>,
        stmts: Option<&[ast::Stmt]>,
        done: usize,
    ) -> usize {
        let start = match (&guard, stmts.and_then(<[_]>::first)) {
            (None, Some(first)) => first.pos,
            _ => pos,
        };
        let block = self.start(name, start);
        if let Some(guard) = guard {
            self.push(pos, CmdKind::Assume(guard));
        }
        if let Some(stmts) = stmts {
            self.stmts(stmts);
        }
        self.seal(Jump::Goto(vec![done]));
        block
    }

    fn if_stmt(
        &mut self,
        pos: Pos,
        label: Option<&str>,
        arms: &[(ast::Guard, Vec<ast::Stmt>)],
        otherwise: Option<&[ast::Stmt]>,
    ) {
        let done = self.draft(String::new(), pos);
        self.breakables.push(Breakable {
            label: label.map(str::to_string),
            is_loop: false,
            done,
        });
        for (i, (guard, stmts)) in arms.iter().enumerate() {
            let number = self.structured_number();
            let guard = self.condition(guard);
            self.ensure_block(pos);
            let from = self.current.take();
            let negated = guard
                .clone()
                .map(|g| Expr::bool(ExprKind::Not(Box::new(g))));
            let then = self.branch(format!("anon{number}_Then"), pos, guard, Some(stmts), done);
            let name = format!("anon{number}_Else");
            let last = i + 1 == arms.len();
            let or_else = match last {
                true => self.branch(name, pos, negated, otherwise, done),
                false => {
                    let block = self.start(name, pos);
                    if let Some(negated) = negated {
                        self.push(pos, CmdKind::Assume(negated));
                    }
                    block
                }
            };
            if let Some(draft) = from.and_then(|b| self.blocks.get_mut(b)) {
                draft.block.jump = Jump::Goto(vec![then, or_else]);
            }
        }
        self.breakables.pop();
        self.go_on(done, pos);
    }

    /// Goes on behind a structured statement.
    fn go_on(&mut self, done: usize, pos: Pos) {
        self.enter(done, pos);
        let label = format!("anon{}", self.anon);
        if let Some(draft) = self.blocks.get_mut(done) {
            draft.block.label = label;
        }
    }

    fn while_stmt(
        &mut self,
        pos: Pos,
        label: Option<&str>,
        guard: &ast::Guard,
        invariants: &[ast::Condition],
        body: &[ast::Stmt],
    ) {
        let number = self.structured_number();
        let done = self.draft(String::new(), pos);
        let guard = self.condition(guard);
        let head = self.start(format!("anon{number}_LoopHead"), pos);
        for invariant in invariants {
            match self
                .exprs
                .of_type(&invariant.expr, &Type::Bool, "an invariant")
            {
                Ok(e) if invariant.free => self.push(invariant.pos, CmdKind::Assume(e)),
                Ok(e) => {
                    let text = format!("assert {};", invariant.expr);
                    let done = self.assertion(invariant.pos, &invariant.attrs, e, text);
                    self.errors.extend(done.err());
                }
                Err(error) => self.errors.push(error),
            }
        }
        let head_end = self.current.take();
        self.breakables.push(Breakable {
            label: label.map(str::to_string),
            is_loop: true,
            done,
        });
        let negated = guard
            .clone()
            .map(|g| Expr::bool(ExprKind::Not(Box::new(g))));
        let inside = self.branch(
            format!("anon{number}_LoopBody"),
            pos,
            guard,
            Some(body),
            head,
        );
        self.breakables.pop();
        let exit = self.branch(format!("anon{number}_LoopDone"), pos, negated, None, done);
        if let Some(draft) = head_end.and_then(|b| self.blocks.get_mut(b)) {
            draft.block.jump = Jump::Goto(vec![exit, inside]);
        }
        self.go_on(done, pos);
    }

    fn target(&self, name: &str, pos: Pos) -> Checked<(Var, Type)> {
        if let Some(LocalName { index, ty }) = self.exprs.locals.get(name) {
            return Ok((Var::Local(*index), ty.clone()));
        }
        match self.exprs.program.names.vars.get(name) {
            Some(GlobalName::Global(i)) => {
                let ty = self
                    .exprs
                    .program
                    .globals
                    .get(*i)
                    .map_or(Type::Bool, |g| g.ty.clone());
                Ok((Var::Global(*i), ty))
            }
            Some(GlobalName::Const(_)) => Err(Error::new(
                pos,
                format!("the constant {name} cannot be assigned"),
            )),
            None => Err(Error::new(pos, format!("undeclared identifier: {name}"))),
        }
    }

    fn assign(&mut self, lhs: &[ast::Lhs], rhs: &[ast::Expr]) -> Checked<Vec<(Var, Expr)>> {
        let mut pairs: Vec<(Var, Expr)> = Vec::new();
        for (target, value) in lhs.iter().zip(rhs) {
            let (var, ty) = self.target(&target.name, target.pos)?;
            if pairs.iter().any(|(v, _)| *v == var) {
                return Err(Error::new(
                    target.pos,
                    format!("{} is assigned twice in one assignment", target.name),
                ));
            }
            self.exprs.metas = Default::default();
            let whole = of(ExprKind::Var(var), ty);
            let mut stored = self.stored(whole, &target.path, value, target)?;
            self.exprs.finish(&mut stored);
            pairs.push((var, stored));
        }
        Ok(pairs)
    }

    /// `map` with what is at the end of the path replaced: the value of `m[i][j] := e` is `m[i := m[i][j := e]]`.
    fn stored(
        &mut self,
        map: Expr,
        path: &[Access],
        value: &ast::Expr,
        lhs: &ast::Lhs,
    ) -> Checked<Expr> {
        let Some((first, rest)) = path.split_first() else {
            let typed = self.exprs.expr(value)?;
            if !self.exprs.metas.unify(&typed.ty, &map.ty) {
                let (found, wanted) = (self.exprs.show(&typed.ty), self.exprs.show(&map.ty));
                return Err(Error::new(
                    lhs.pos,
                    format!(
                        "mismatched types in assignment command (cannot assign {found} to {wanted})"
                    ),
                ));
            }
            return Ok(typed);
        };
        let first = match first {
            Access::Index(indices) => indices,
            Access::Field(field) => {
                let inner = self.exprs.field(map.clone(), field, lhs.pos)?;
                let inner = self.stored(inner, rest, value, lhs)?;
                return self.exprs.update(map, field, inner, lhs.pos);
            }
        };
        let (typed, args, range) = self.exprs.access(&map.ty, first, lhs.pos)?;
        let inner = of(
            ExprKind::Select(Box::new(map.clone()), typed.clone(), args.clone()),
            range,
        );
        let inner = self.stored(inner, rest, value, lhs)?;
        let ty = map.ty.clone();
        Ok(of(
            ExprKind::Store(Box::new(map), typed, Box::new(inner), args),
            ty,
        ))
    }

    /// `C(x, y) := e;` asserts that `C` made the value, and assigns its fields.
    fn unpack(
        &mut self,
        constructor: &str,
        targets: &[(String, Pos)],
        value: &ast::Expr,
        pos: Pos,
    ) -> Checked<()> {
        self.exprs.metas = Default::default();
        let text = format!("assert {value} is {constructor};");
        let value = self.exprs.expr(value)?;
        let (mut is, fields) = self.exprs.unpacked(constructor, &value, pos)?;
        if fields.len() != targets.len() {
            let (wanted, found) = (fields.len(), targets.len());
            let message = format!("{constructor} takes {wanted} arguments, not {found}");
            return Err(Error::new(pos, message));
        }
        let mut pairs: Vec<(Var, Expr)> = Vec::new();
        for ((name, pos), field) in targets.iter().zip(fields) {
            let (var, ty) = self.target(name, *pos)?;
            if pairs.iter().any(|(v, _)| *v == var) {
                let message =
                    format!("variable {name} is assigned more than once in unpack command");
                return Err(Error::new(*pos, message));
            }
            self.exprs.same(&field.ty, &ty, *pos, "the field")?;
            pairs.push((var, field));
        }
        self.exprs.finish(&mut is);
        pairs.iter_mut().for_each(|(_, e)| self.exprs.finish(e));
        self.push(pos, CmdKind::Assert(is, text));
        self.push(pos, CmdKind::Assign(pairs));
        Ok(())
    }

    fn call(&mut self, call: &ast::Call, pos: Pos) -> Checked<Call> {
        let names = &self.exprs.program.names.procedures;
        let found = self
            .signatures
            .added_names
            .get(&call.name)
            .or_else(|| names.get(&call.name));
        let Some((callee, signature)) = found.and_then(|i| Some((*i, self.signatures.get(*i)?)))
        else {
            return Err(Error::new(
                pos,
                format!("call to undeclared procedure: {}", call.name),
            ));
        };
        if signature.ins != call.args.len() {
            return Err(Error::new(
                pos,
                format!(
                    "{} takes {} arguments, not {}",
                    call.name,
                    signature.ins,
                    call.args.len()
                ),
            ));
        }
        if signature.outs != call.outs.len() {
            return Err(Error::new(
                pos,
                format!(
                    "{} has {} results, not {}",
                    call.name,
                    signature.outs,
                    call.outs.len()
                ),
            ));
        }
        self.exprs.metas = Default::default();
        let type_args: Vec<Type> = signature
            .type_params
            .iter()
            .map(|_| self.exprs.metas.fresh())
            .collect();
        let open = |ty: &Type| ty.substitute(&signature.type_params, &type_args);
        let mut args = Vec::new();
        for (arg, param) in call.args.iter().zip(&signature.vars) {
            args.push(match arg {
                None => None,
                Some(arg) => {
                    let e = self.exprs.expr(arg)?;
                    self.agree(&e.ty, &open(&param.ty), arg.pos, "an argument", &call.name)?;
                    Some(e)
                }
            });
        }
        let mut outs: Vec<Option<Var>> = Vec::new();
        for (out, result) in call
            .outs
            .iter()
            .zip(signature.vars.iter().skip(signature.ins))
        {
            outs.push(match out {
                None => None,
                Some((name, pos)) => {
                    let (var, ty) = self.target(name, *pos)?;
                    if outs.contains(&Some(var)) {
                        return Err(Error::new(
                            *pos,
                            format!("{name} gets two results of one call"),
                        ));
                    }
                    self.agree(&open(&result.ty), &ty, *pos, "a result", &call.name)?;
                    Some(var)
                }
            });
        }
        for arg in args.iter_mut().flatten() {
            self.exprs.finish(arg);
        }
        let settled = type_args.iter().map(|t| self.exprs.metas.settled(t));
        let type_args: Vec<Type> = settled.collect();
        let cexpr =
            call.attrs
                .iter()
                .find(|a| a.name == "cexpr")
                .and_then(|a| match a.args.first() {
                    Some(ast::AttrArg::Str(s)) => Some(s.clone()),
                    _ => None,
                });
        let verified_under = self.verified_under(&call.attrs)?;
        Ok(Call {
            verified_under,
            callee,
            type_args,
            args,
            outs,
            free: call.free,
            cexpr,
        })
    }

    fn agree(
        &mut self,
        found: &Type,
        wanted: &Type,
        pos: Pos,
        what: &str,
        callee: &str,
    ) -> Checked<()> {
        if self.exprs.metas.unify(found, wanted) {
            return Ok(());
        }
        let (found, wanted) = (self.exprs.show(found), self.exprs.show(wanted));
        Err(Error::new(
            pos,
            format!("{what} of {callee} has type {found}, not {wanted}"),
        ))
    }

    /// Labels that are jumped to and nowhere declared.
    pub(super) fn missing_labels(&mut self) {
        let missing = self.labels.iter().filter_map(|(name, block)| {
            let draft = self.blocks.get(*block)?;
            (!draft.placed)
                .then(|| Error::new(draft.block.pos, format!("undeclared label: {name}")))
        });
        let mut missing: Vec<Error> = missing.collect();
        missing.sort_by_key(|e| (e.pos.line, e.pos.col));
        self.errors.extend(missing);
    }
}

/// How many of Boogie's plain blocks a list of statements makes.
fn count_plain(stmts: &[ast::Stmt]) -> u32 {
    let mut count = u32::from(stmts.is_empty());
    let mut fresh = true;
    for stmt in stmts {
        count += u32::from(fresh && !matches!(stmt.kind, StmtKind::Label(_)));
        fresh = false;
        match &stmt.kind {
            StmtKind::If(arms, otherwise) => {
                count += arms.iter().map(|(_, s)| count_plain(s)).sum::<u32>();
                count += otherwise.as_deref().map_or(0, count_plain);
                fresh = true;
            }
            StmtKind::While(_, _, body) => {
                count += count_plain(body);
                fresh = true;
            }
            StmtKind::Goto(_) | StmtKind::Return(_) | StmtKind::Break(_) => fresh = true,
            _ => {}
        }
    }
    count
}

impl ExprChecker<'_> {
    /// `|{ var x: T; A: …; return e; }|`
    pub(super) fn code(&mut self, body: &ast::Body, pos: Pos) -> Checked<Expr> {
        let outer = self.locals.clone();
        let metas = std::mem::take(&mut self.metas);
        let mut locals = Vec::new();
        for var in &body.locals {
            let ty = self.resolve_type(&var.ty)?;
            let index = self.first_code_local + self.code_locals.len();
            self.code_locals.push((var.name.clone(), ty.clone()));
            self.locals
                .insert(var.name.clone(), LocalName { index, ty });
            locals.push(index);
        }
        let empty = HashMap::new();
        let signatures = Signatures {
            base: &self.program.procedures,
            added: &[],
            added_names: &empty,
        };
        let mut checker = BodyChecker::new(self, &signatures);
        checker.in_code = true;
        checker.run(body);
        checker.missing_labels();
        let BodyChecker { errors, blocks, .. } = checker;
        let blocks: Vec<(Block, Option<Expr>)> =
            blocks.into_iter().map(|d| (d.block, d.value)).collect();
        self.locals = outer;
        self.metas = metas;
        if let Some(error) = errors.into_iter().next() {
            return Err(error);
        }
        if blocks
            .iter()
            .any(|(b, value)| matches!(b.jump, Jump::Return(_)) && value.is_none())
        {
            return Err(Error::new(
                pos,
                "a way through this code expression returns no value",
            ));
        }
        let code = Code {
            pos,
            locals,
            blocks,
        };
        Ok(of(ExprKind::Code(Box::new(code)), Type::Bool))
    }
}
