//! All executions of a program whose only arbitrary values are Booleans, one by one: independent of the engine, down to
//! the values.

use std::collections::BTreeMap;

use tranquera::boogie::ast::QuantKind;
use tranquera::boogie::typed::{
    BinOp, BlockId, BoogieType, ChainOp, CmdKind, GlobalId, Jump, LocalId, ProcedureId, TypedExpr,
    TypedExprKind, TypedProcedure, TypedProgram, VariableRef,
};
use tranquera::ids::{Id, Table};
use tranquera::internal::Internal;

#[derive(Clone, Debug, PartialEq)]
enum Value {
    Int(i64),
    Bool(bool),
    Map(BTreeMap<i64, i64>),
}

#[derive(Debug, PartialEq)]
pub enum Outcome {
    /// An assertion fails in some execution.
    Fails,
    /// In none.
    Holds,
    /// There are too many executions, or something arbitrary that is not a Boolean.
    TooMany,
}

#[derive(Clone)]
struct Frame {
    procedure: ProcedureId,
    locals: Table<LocalId, Option<Value>>,
    block: BlockId,
    cmd: usize,
}

#[derive(Clone)]
struct State {
    globals: Table<GlobalId, Option<Value>>,
    frames: Vec<Frame>,
}

/// Something that is not a value: unknown.
struct Unknown;

impl From<Internal> for Unknown {
    fn from(bug: Internal) -> Self {
        panic!("{bug}")
    }
}

struct Explorer<'a> {
    program: &'a TypedProgram,
    steps: u32,
}

pub fn explore(program: &TypedProgram, entry: &str, steps: u32) -> Outcome {
    let Some(procedure) = program.procedure(entry) else {
        return Outcome::TooMany;
    };
    let mut explorer = Explorer { program, steps };
    let start = State {
        globals: Table::like(&program.globals, None),
        frames: vec![explorer.frame(procedure)],
    };
    let mut work = vec![start];
    while let Some(state) = work.pop() {
        match explorer.step(state, &mut work) {
            Ok(false) => {}
            Ok(true) => return Outcome::Fails,
            Err(Unknown) => return Outcome::TooMany,
        }
        if explorer.steps == 0 || work.len() > 100_000 {
            return Outcome::TooMany;
        }
    }
    Outcome::Holds
}

impl Explorer<'_> {
    fn procedure(&self, id: ProcedureId) -> &TypedProcedure {
        self.program.procedures.at(id).expect("a procedure")
    }

    fn frame(&self, procedure: ProcedureId) -> Frame {
        Frame {
            procedure,
            locals: Table::like(&self.procedure(procedure).vars, None),
            block: BlockId::new(0),
            cmd: 0,
        }
    }

    /// One step; true if an assertion fails.
    fn step(&mut self, mut state: State, work: &mut Vec<State>) -> Result<bool, Unknown> {
        if state.frames.len() > 60 {
            return Err(Unknown);
        }
        loop {
            self.steps = self.steps.saturating_sub(1);
            if self.steps == 0 {
                return Err(Unknown);
            }
            let frame = state.frames.last().expect("a frame").clone();
            let procedure = self.program.procedures.at(frame.procedure)?;
            let body = procedure.body.as_ref().ok_or(Unknown)?;
            let block = body.blocks.at(frame.block)?;
            let Some(cmd) = block.cmds.get(frame.cmd) else {
                match &block.jump {
                    Jump::Goto(targets) => {
                        for target in targets {
                            let mut next = state.clone();
                            let top = next.frames.last_mut().expect("a frame");
                            (top.block, top.cmd) = (*target, 0);
                            work.push(next);
                        }
                        return Ok(false);
                    }
                    Jump::Return(_) => {
                        state.frames.pop();
                        let Some(caller) = state.frames.last() else {
                            return Ok(false);
                        };
                        let program = self.program;
                        let calling = program.procedures.at(caller.procedure)?;
                        let body = calling.body.as_ref().ok_or(Unknown)?;
                        let block = body.blocks.at(caller.block)?;
                        let CmdKind::Call(call) = &block.cmds[caller.cmd].kind else {
                            return Err(Unknown);
                        };
                        for (result, out) in procedure.results().zip(&call.outs) {
                            let value = frame.locals.at(result)?.clone();
                            if let Some(out) = out {
                                set(&mut state, *out, value)?;
                            }
                        }
                        state.frames.last_mut().expect("a frame").cmd += 1;
                        continue;
                    }
                }
            };
            match &cmd.kind {
                CmdKind::Assume(e) => {
                    if !self.truth(&state, e)? {
                        return Ok(false);
                    }
                }
                CmdKind::Assert(e, _) => {
                    if !self.truth(&state, e)? {
                        return Ok(true);
                    }
                }
                CmdKind::Assign(pairs) => {
                    let values = pairs.iter().map(|(v, e)| Ok((*v, self.value(&state, e)?)));
                    for (var, value) in values.collect::<Result<Vec<_>, Unknown>>()? {
                        set(&mut state, var, Some(value))?;
                    }
                }
                CmdKind::Havoc(vars) => {
                    let mut states = vec![state];
                    for var in vars {
                        let ty = match var {
                            VariableRef::Global(i) => &self.program.globals.at(*i)?.ty,
                            VariableRef::Local(i) => &procedure.vars.at(*i)?.ty,
                        };
                        if *ty != BoogieType::Bool {
                            return Err(Unknown);
                        }
                        let both = states
                            .iter()
                            .flat_map(|s| [true, false].map(|b| (s.clone(), b)));
                        let mut chosen = Vec::new();
                        for (mut s, b) in both {
                            set(&mut s, *var, Some(Value::Bool(b)))?;
                            chosen.push(s);
                        }
                        states = chosen;
                    }
                    for mut s in states {
                        s.frames.last_mut().expect("a frame").cmd += 1;
                        work.push(s);
                    }
                    return Ok(false);
                }
                CmdKind::Call(call) => {
                    let mut callee = self.frame(call.callee);
                    for (param, arg) in self.procedure(call.callee).params().zip(&call.args) {
                        let value = self.value(&state, arg.as_ref().ok_or(Unknown)?)?;
                        *callee.locals.at_mut(param)? = Some(value);
                    }
                    state.frames.push(callee);
                    if state.frames.len() > 60 {
                        return Err(Unknown);
                    }
                    continue;
                }
            }
            state.frames.last_mut().expect("a frame").cmd += 1;
        }
    }

    fn truth(&self, state: &State, e: &TypedExpr) -> Result<bool, Unknown> {
        match self.value(state, e)? {
            Value::Bool(b) => Ok(b),
            _ => Err(Unknown),
        }
    }

    fn value(&self, state: &State, e: &TypedExpr) -> Result<Value, Unknown> {
        self.bound_value(state, e, &BTreeMap::new())
    }

    fn bound_value(
        &self,
        state: &State,
        e: &TypedExpr,
        bound: &BTreeMap<u32, Value>,
    ) -> Result<Value, Unknown> {
        let value = |e: &TypedExpr| self.bound_value(state, e, bound);
        let int = |e: &TypedExpr| match value(e)? {
            Value::Int(n) if n.abs() < 1 << 40 => Ok(n),
            _ => Err(Unknown),
        };
        let truth = |e: &TypedExpr| match value(e)? {
            Value::Bool(b) => Ok(b),
            _ => Err(Unknown),
        };
        Ok(match &e.kind {
            TypedExprKind::Bool(b) => Value::Bool(*b),
            TypedExprKind::Int(n) => Value::Int(i64::try_from(n).map_err(|_| Unknown)?),
            TypedExprKind::Var(VariableRef::Global(i)) => {
                state.globals.at(*i)?.clone().ok_or(Unknown)?
            }
            TypedExprKind::Var(VariableRef::Local(i)) => {
                let frame = state.frames.last().ok_or(Unknown)?;
                frame.locals.at(*i)?.clone().ok_or(Unknown)?
            }
            TypedExprKind::Bound(n) => bound.get(n).cloned().ok_or(Unknown)?,
            TypedExprKind::Not(e) => Value::Bool(!truth(e)?),
            TypedExprKind::Neg(e) => Value::Int(-int(e)?),
            TypedExprKind::Chain(op, es) => {
                let all = es.iter().map(truth).collect::<Result<Vec<_>, _>>()?;
                Value::Bool(match op {
                    ChainOp::And => all.iter().all(|b| *b),
                    ChainOp::Or => all.iter().any(|b| *b),
                })
            }
            TypedExprKind::Ite(c, a, b) => match truth(c)? {
                true => value(a)?,
                false => value(b)?,
            },
            TypedExprKind::Call(f, _, args) => {
                let function = self.program.functions.at(*f)?;
                let body = function.body.as_ref().ok_or(Unknown)?;
                let mut bound = BTreeMap::new();
                for ((n, _), arg) in function.params.iter().zip(args) {
                    bound.insert(*n, value(arg)?);
                }
                self.bound_value(state, body, &bound)?
            }
            // An element that was never written is arbitrary.
            TypedExprKind::Select(m, i, _) => match (value(m)?, int(&i[0])?) {
                (Value::Map(m), i) => Value::Int(*m.get(&i).ok_or(Unknown)?),
                _ => return Err(Unknown),
            },
            TypedExprKind::Store(m, i, e, _) => {
                let mut map = match &m.kind {
                    TypedExprKind::Var(VariableRef::Global(g)) => {
                        match state.globals.at(*g)?.clone() {
                            Some(Value::Map(map)) => map,
                            _ => BTreeMap::new(),
                        }
                    }
                    _ => return Err(Unknown),
                };
                map.insert(int(&i[0])?, int(e)?);
                Value::Map(map)
            }
            TypedExprKind::Binary(op, l, r) => match op {
                BinOp::Iff => Value::Bool(truth(l)? == truth(r)?),
                BinOp::Implies => Value::Bool(!truth(l)? || truth(r)?),
                BinOp::Eq => Value::Bool(value(l)? == value(r)?),
                BinOp::Ne => Value::Bool(value(l)? != value(r)?),
                BinOp::Lt => Value::Bool(int(l)? < int(r)?),
                BinOp::Le => Value::Bool(int(l)? <= int(r)?),
                BinOp::Gt => Value::Bool(int(l)? > int(r)?),
                BinOp::Ge => Value::Bool(int(l)? >= int(r)?),
                BinOp::Add => Value::Int(int(l)? + int(r)?),
                BinOp::Sub => Value::Int(int(l)? - int(r)?),
                BinOp::Mul => Value::Int(int(l)?.checked_mul(int(r)?).ok_or(Unknown)?),
                BinOp::Div => Value::Int(int(l)?.div_euclid(int(r)?)),
                BinOp::Mod => Value::Int(int(l)?.rem_euclid(int(r)?)),
                _ => return Err(Unknown),
            },
            TypedExprKind::Quantified(q) if q.kind == QuantKind::Forall => return Err(Unknown),
            _ => return Err(Unknown),
        })
    }
}

fn set(state: &mut State, var: VariableRef, value: Option<Value>) -> Result<(), Unknown> {
    match var {
        VariableRef::Global(i) => *state.globals.at_mut(i)? = value,
        VariableRef::Local(i) => {
            let frame = state.frames.last_mut().ok_or(Unknown)?;
            *frame.locals.at_mut(i)? = value;
        }
    }
    Ok(())
}
