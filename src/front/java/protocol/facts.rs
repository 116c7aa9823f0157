//! What a body throws and calls, and what that depends on: for each method by itself, so that it is worked out once,
//! whoever inherits the method.
//!
//! Dependence is that of slicing (M. Weiser, *Program slicing*, TSE 1984): by data, on what is assigned to a variable that
//! is looked at; by control, on the conditions that decide whether that is done. It does not look at the order of
//! assignments to one variable, so it may say too much, never too little; but for what is kept in memory between two
//! calls, which is followed only where it is kept in own fields, by their names.

use std::collections::{BTreeMap, BTreeSet};

use fixedbitset::FixedBitSet;

use crate::front::java::classfile::{InvokeKind, JavaFieldRef, MethodRef};
use crate::front::java::flow::dependence::ControlDependence;
use crate::front::java::flow::graph::{BlockExit, BlockHandler, BlockId, ControlFlowGraph};
use crate::front::java::tree::{CodePlace, JavaExpr, Role, StepKind, VariableId};
use crate::front::java::types::ClassName;

/// What something may depend on, outside of the body.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dependency {
    /// A field of the object itself.
    Field(JavaFieldRef),
    /// The parameter of that number.
    Parameter(u16),
    /// What a call gives, or whether it fails; by its number among the body's calls.
    Call(usize),
}

/// A set of sources.
pub type Dependencies = BTreeSet<Dependency>;

/// What a body throws and calls.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    /// The exceptions that it makes and throws.
    pub throws: Vec<Throw>,
    /// Its calls, in the order of its blocks.
    pub calls: Vec<CallFact>,
    /// The fields of the object itself that it assigns.
    pub assigns: BTreeSet<JavaFieldRef>,
    /// What its result depends on.
    pub result: Dependencies,
}

/// A new exception that is thrown.
#[derive(Clone, Debug)]
pub struct Throw {
    /// Where.
    pub place: CodePlace,
    /// Its class.
    pub class: ClassName,
    /// The handlers that it meets, in order.
    pub handlers: Vec<Meets>,
    /// What decides that it is thrown.
    pub because: Dependencies,
}

/// A call.
#[derive(Clone, Debug)]
pub struct CallFact {
    /// How the method is found.
    pub kind: InvokeKind,
    /// The method.
    pub method: MethodRef,
    /// Whether it is called on the object itself.
    pub on_this: bool,
    /// What its arguments depend on.
    pub arguments: Vec<Dependencies>,
    /// What the object that it is called on depends on.
    pub receiver: Dependencies,
    /// The handlers that its exceptions meet, in order.
    pub handlers: Vec<Meets>,
    /// What decides that it is made.
    pub because: Dependencies,
}

/// A handler that an exception may meet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meets {
    /// What it handles; nothing for everything.
    pub class: Option<ClassName>,
    /// Whether it may throw again what it caught.
    pub rethrows: bool,
}

/// Works out what a body throws and calls.
pub fn facts(flow: &ControlFlowGraph) -> Facts {
    let calls = calls(flow);
    let (made, rethrown) = (made(flow), rethrown(flow));
    let meets = |handlers: &[BlockHandler]| {
        let meets = handlers.iter().map(|handler| Meets {
            class: handler.class.clone(),
            rethrows: rethrown.contains(&handler.variable),
        });
        meets.collect::<Vec<Meets>>()
    };
    let graph = DependencyGraph::of(flow, &calls);
    let mut facts = Facts::default();
    for id in flow.order() {
        let block = flow.block(id);
        let because = graph.reached(graph.block(id));
        for step in &block.steps {
            // Another object of the class may be the object itself.
            if let StepKind::SetField(_, field, _) = &step.kind {
                facts.assigns.insert(field.clone());
            }
            let StepKind::Call(_, call) = &step.kind else {
                continue;
            };
            facts.calls.push(CallFact {
                kind: call.kind,
                method: call.method.clone(),
                on_this: call
                    .receiver
                    .as_ref()
                    .is_some_and(|object| object.is_this(&flow.variables)),
                arguments: call
                    .arguments
                    .iter()
                    .map(|argument| graph.of_expression(argument))
                    .collect(),
                receiver: call
                    .receiver
                    .iter()
                    .flat_map(|object| graph.of_expression(object))
                    .collect(),
                handlers: meets(&block.handlers),
                because: because.clone(),
            });
        }
        match &block.exit {
            BlockExit::Throw(place, JavaExpr::Variable(variable)) => {
                for class in made.get(variable).into_iter().flatten() {
                    facts.throws.push(Throw {
                        place: *place,
                        class: class.clone(),
                        handlers: meets(&block.handlers),
                        because: because.clone(),
                    });
                }
            }
            BlockExit::Return(_, value) => {
                facts.result.extend(because.iter().cloned());
                facts
                    .result
                    .extend(value.iter().flat_map(|value| graph.of_expression(value)));
            }
            _ => {}
        }
    }
    facts
}

/// The variables whose exceptions are thrown, copies included.
fn rethrown(flow: &ControlFlowGraph) -> BTreeSet<VariableId> {
    let mut found = BTreeSet::new();
    for id in flow.order() {
        if let BlockExit::Throw(_, JavaExpr::Variable(variable)) = &flow.block(id).exit {
            found.insert(*variable);
        }
    }
    for (to, from) in copies(flow).into_iter().rev() {
        if found.contains(&to) {
            found.insert(from);
        }
    }
    found
}

/// The assignments of one variable's value to another, in the order in which they stand; parts of an expression count.
fn copies(flow: &ControlFlowGraph) -> Vec<(VariableId, VariableId)> {
    let mut found = Vec::new();
    for id in flow.order() {
        for step in &flow.block(id).steps {
            let StepKind::Assign(variable, value) = &step.kind else {
                continue;
            };
            value.visit(&mut |part| {
                if let JavaExpr::Variable(from) = part {
                    found.push((*variable, *from));
                }
            });
        }
    }
    found
}

/// The numbers of the calls, by where they stand.
fn calls(flow: &ControlFlowGraph) -> BTreeMap<(BlockId, usize), usize> {
    let mut found = BTreeMap::new();
    for id in flow.order() {
        for (position, step) in flow.block(id).steps.iter().enumerate() {
            if matches!(step.kind, StepKind::Call(..)) {
                found.insert((id, position), found.len());
            }
        }
    }
    found
}

/// The classes of the objects that are made for each variable, copies included.
fn made(flow: &ControlFlowGraph) -> BTreeMap<VariableId, BTreeSet<ClassName>> {
    let mut found: BTreeMap<VariableId, BTreeSet<ClassName>> = BTreeMap::new();
    for step in flow.blocks.iter().flat_map(|block| &block.steps) {
        if let StepKind::New(variable, new) = &step.kind {
            found
                .entry(*variable)
                .or_default()
                .insert(new.class.clone());
        }
    }
    let copies = copies(flow);
    // A copy of a copy is rare, and of a copy of that no program has one.
    for _ in 0..3 {
        for (to, from) in &copies {
            let classes = found.get(from).cloned().unwrap_or_default();
            if !classes.is_empty() {
                found.entry(*to).or_default().extend(classes);
            }
        }
    }
    found
}

/// What depends on what: variables, blocks and sources are nodes, and an edge leads to what is depended on.
struct DependencyGraph<'a> {
    flow: &'a ControlFlowGraph,
    sources: Vec<Dependency>,
    numbers: BTreeMap<Dependency, usize>,
    /// Of each variable and then of each block: the nodes that it depends on, and the sources.
    edges: Vec<Vec<usize>>,
    direct: Vec<BTreeSet<usize>>,
    /// The sources that each depends on in the end.
    reached: Vec<FixedBitSet>,
}

impl<'a> DependencyGraph<'a> {
    fn of(
        flow: &'a ControlFlowGraph,
        calls: &BTreeMap<(BlockId, usize), usize>,
    ) -> DependencyGraph<'a> {
        let nodes = flow.variables.len() + flow.blocks.len();
        let mut graph = DependencyGraph {
            flow,
            sources: Vec::new(),
            numbers: BTreeMap::new(),
            edges: vec![Vec::new(); nodes],
            direct: vec![BTreeSet::new(); nodes],
            reached: Vec::new(),
        };
        graph.parameters();
        let control = ControlDependence::of(flow);
        for id in flow.order() {
            graph.decisions(id, &control, calls);
            graph.definitions(id, calls);
        }
        graph.close();
        graph
    }

    fn block(&self, id: BlockId) -> usize {
        self.flow.variables.len() + id.index()
    }

    fn source(&mut self, source: Dependency) -> usize {
        let next = self.sources.len();
        let number = *self.numbers.entry(source.clone()).or_insert(next);
        if number == next {
            self.sources.push(source);
        }
        number
    }

    fn parameters(&mut self) {
        for variable in &self.flow.parameters {
            if let Role::Parameter(number) = self.flow.variables[variable.index()].role {
                let source = self.source(Dependency::Parameter(number));
                self.direct[variable.index()].insert(source);
            }
        }
    }

    /// What decides whether a block is run.
    fn decisions(
        &mut self,
        id: BlockId,
        control: &ControlDependence,
        calls: &BTreeMap<(BlockId, usize), usize>,
    ) {
        let node = self.block(id);
        for deciding in control.deciding(id) {
            let other = self.block(*deciding);
            self.edges[node].push(other);
            let block = self.flow.block(*deciding);
            if let Some(condition) = block.exit.expression() {
                self.depend(node, condition);
            }
            // A block that is guarded decides by what it calls.
            if !block.handlers.is_empty() {
                for (position, step) in block.steps.iter().enumerate() {
                    if let Some(number) = calls.get(&(*deciding, position)) {
                        let source = self.source(Dependency::Call(*number));
                        self.direct[node].insert(source);
                    } else if step.kind.may_raise(&self.flow.variables) {
                        for expression in step.kind.expressions() {
                            self.depend(node, expression);
                        }
                    }
                }
            }
        }
    }

    /// What is assigned in a block.
    fn definitions(&mut self, id: BlockId, calls: &BTreeMap<(BlockId, usize), usize>) {
        let block = self.block(id);
        for (position, step) in self.flow.block(id).steps.iter().enumerate() {
            let Some(variable) = step.kind.defines() else {
                continue;
            };
            self.edges[variable.index()].push(block);
            match calls.get(&(id, position)) {
                // What the result of a call depends on, who looks at the class says.
                Some(number) => {
                    let source = self.source(Dependency::Call(*number));
                    self.direct[variable.index()].insert(source);
                }
                None => {
                    for expression in step.kind.expressions() {
                        self.depend(variable.index(), expression);
                    }
                }
            }
        }
        for handler in &self.flow.block(id).handlers {
            self.edges[handler.variable.index()].push(block);
        }
    }

    /// A node depends on what an expression reads.
    fn depend(&mut self, node: usize, expression: &JavaExpr) {
        let mut fields = Vec::new();
        let mut variables = Vec::new();
        expression.visit(&mut |part| match part {
            JavaExpr::Variable(variable) => variables.push(variable.index()),
            JavaExpr::Field(object, field) if object.is_this(&self.flow.variables) => {
                fields.push(field.clone());
            }
            _ => {}
        });
        self.edges[node].extend(variables);
        for field in fields {
            let source = self.source(Dependency::Field(field));
            self.direct[node].insert(source);
        }
    }

    /// Follows the edges to the end.
    fn close(&mut self) {
        let count = self.sources.len();
        let with = |direct: &BTreeSet<usize>| {
            let mut bits = FixedBitSet::with_capacity(count);
            bits.extend(direct.iter().copied());
            bits
        };
        self.reached = self.direct.iter().map(with).collect();
        let mut behind: Vec<Vec<usize>> = vec![Vec::new(); self.edges.len()];
        for (node, edges) in self.edges.iter().enumerate() {
            for to in edges {
                behind[*to].push(node);
            }
        }
        let mut waiting = FixedBitSet::with_capacity(self.edges.len());
        let mut work: Vec<usize> = (0..self.edges.len()).collect();
        waiting.insert_range(..);
        while let Some(node) = work.pop() {
            waiting.set(node, false);
            let own = self.reached[node].clone();
            for dependent in &behind[node] {
                let before = self.reached[*dependent].count_ones(..);
                self.reached[*dependent].union_with(&own);
                let changed = self.reached[*dependent].count_ones(..) != before;
                if changed && !waiting.put(*dependent) {
                    work.push(*dependent);
                }
            }
        }
    }

    fn reached(&self, node: usize) -> Dependencies {
        self.reached[node]
            .ones()
            .filter_map(|number| self.sources.get(number).cloned())
            .collect()
    }

    fn of_expression(&self, expression: &JavaExpr) -> Dependencies {
        let mut found = Dependencies::new();
        expression.visit(&mut |part| match part {
            JavaExpr::Variable(variable) => found.extend(self.reached(variable.index())),
            JavaExpr::Field(object, field) if object.is_this(&self.flow.variables) => {
                found.insert(Dependency::Field(field.clone()));
            }
            _ => {}
        });
        found
    }
}
