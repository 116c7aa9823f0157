//! Calls: a site of its own for each, or one for several that exclude each other.

use crate::boogie::ast::Pos;
use crate::boogie::typed::{BoogieType, GlobalId, TypedExpr, VariableRef};
use crate::ids::Id;
use crate::internal::{Internal, Sure, internal};
use crate::reach::error::Result;
use crate::reach::faults::{self, Fault};
use crate::reach::graph::ProcId;
use crate::reach::shared::SharedId;
use crate::reach::term::{Symbol, Template, Term, TermKind};

use super::encoder::{Encoder, SharedSite};
use super::passive::PassiveBlock;
use super::{InlineSite, SiteId, TraceEvent};

impl Encoder<'_> {
    /// A call; `shared` is what it shares with others.
    pub(super) fn call(
        &mut self,
        block: &mut PassiveBlock,
        pos: Option<Pos>,
        shared: Option<SharedId>,
        (callee, args, outs): (ProcId, &[Option<TypedExpr>], &[Option<VariableRef>]),
    ) -> Result<()> {
        let effects = self.callees.effects(callee)?;
        let given = self.given(block, callee, args)?;
        let site = match shared {
            Some(number) => self.shared_site(block, number, callee, given)?,
            None => self.own_site(block, callee, given)?,
        };
        let results = self.results.at(site)?.clone();
        let globals = effects.writes.iter().map(|g| Some(VariableRef::Global(*g)));
        let targets: Vec<Option<VariableRef>> = outs.iter().copied().chain(globals).collect();
        if targets.len() != results.len() {
            return Err(internal("a call takes another number of results than there are").into());
        }
        // Results are assigned behind the call: where one goes to a global that the callee writes too, the result stays.
        let mut given_back: Vec<(Option<VariableRef>, Term)> =
            targets.into_iter().zip(results).collect();
        given_back.rotate_left(outs.len());
        for (var, symbol) in given_back {
            if let Some(var) = var {
                self.put(&mut block.env, var, symbol)?;
            }
        }
        let site = faults::at(Fault::UnknownSite, site, |_| SiteId::new(9_999));
        block.events.push(TraceEvent::Call(pos, site));
        Ok(())
    }

    /// What the callee is given, with its type: its parameters, then the globals it uses. None is any value.
    fn given(
        &mut self,
        block: &PassiveBlock,
        callee: ProcId,
        args: &[Option<TypedExpr>],
    ) -> Result<Vec<(Option<Term>, BoogieType)>> {
        let types = self.callees.param_types(callee)?;
        if types.len() != args.len() {
            return Err(internal("a call gives another number of arguments than are taken").into());
        }
        let mut given = Vec::new();
        for (arg, ty) in args.iter().zip(types) {
            let term = arg.as_ref().map(|e| self.term(&block.env, e)).transpose()?;
            given.push((term, ty));
        }
        for global in self.globals_used(callee)? {
            let var = VariableRef::Global(global);
            let value = block.env.at(self.slot(var)?)?.clone().sure()?;
            given.push((Some(value), self.ty(var)?));
        }
        Ok(given)
    }

    fn globals_used(&self, callee: ProcId) -> Result<Vec<GlobalId>, Internal> {
        Ok(self.callees.effects(callee)?.uses.iter().copied().collect())
    }

    /// A site for one call.
    fn own_site(
        &mut self,
        block: &mut PassiveBlock,
        callee: ProcId,
        given: Vec<(Option<Term>, BoogieType)>,
    ) -> Result<SiteId> {
        let mut interface = Vec::new();
        for (term, ty) in given {
            interface.push(match term {
                None => self.any_of(&ty)?,
                Some(term) => self.named(block, term, &ty, 1)?,
            });
        }
        // The block's own Boolean will do for a site; `true` will not, for a site can be blocked.
        let guard = match &block.guard {
            Some(guard) => guard.clone(),
            None => {
                let guard = self.fresh_bool();
                block.facts.push(guard.clone());
                guard
            }
        };
        self.site(callee, &guard, interface)
    }

    /// A site for several calls of which no execution makes more than one: each says what the callee is given.
    fn shared_site(
        &mut self,
        block: &mut PassiveBlock,
        number: SharedId,
        callee: ProcId,
        given: Vec<(Option<Term>, BoogieType)>,
    ) -> Result<SiteId> {
        let SharedSite {
            site,
            guard,
            params,
        } = match self.shared_sites.get(&number) {
            Some(known) => known.clone(),
            None => {
                let guard = self.fresh_bool();
                let mut params = Vec::new();
                for (_, ty) in &given {
                    params.push(self.fresh_of(ty)?);
                }
                let site = self.site(callee, &guard, params.clone())?;
                let made = SharedSite {
                    site,
                    guard,
                    params,
                };
                self.shared_sites.insert(number, made.clone());
                made
            }
        };
        block.facts.push(guard);
        for (param, (term, _)) in params.iter().zip(given) {
            block.facts.extend(term.map(|t| param.equal(&t)));
        }
        Ok(site)
    }

    /// Adds a site, with symbols for the results.
    fn site(&mut self, callee: ProcId, guard: &Term, mut interface: Vec<Term>) -> Result<SiteId> {
        let mut types = self.callees.result_types(callee)?;
        for global in &self.callees.effects(callee)?.writes {
            types.push(self.ty(VariableRef::Global(*global))?);
        }
        let mut results = Vec::new();
        for ty in types {
            results.push(self.fresh_of(&ty)?);
        }
        let results = faults::at(Fault::LostResult, results, |mut results| {
            results.pop();
            results
        });
        interface.extend(results.iter().cloned());
        let interface = faults::at(Fault::ShortInterface, interface, |mut interface| {
            interface.pop();
            interface
        });
        self.results.push(results);
        Ok(self.sites.push(InlineSite {
            callee,
            guard: symbol(guard)?,
            interface: interface.iter().map(Template::of).collect(),
        }))
    }
}

/// The symbol that a term is.
fn symbol(term: &Term) -> Result<Symbol, Internal> {
    match term.kind() {
        TermKind::Symbol(symbol) => Ok(*symbol),
        _ => Err(internal("the Boolean of a block or site is no symbol")),
    }
}
