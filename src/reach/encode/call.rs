//! Calls: a site of its own for each, or one for several that exclude each other.

use std::collections::BTreeSet;

use crate::boogie::ast::Pos;
use crate::boogie::typed::{BoogieType, GlobalId, TypedExpr, VariableRef};
use crate::ids::Id;
use crate::internal::{Internal, Sure, internal};
use crate::reach::effects::GlobalEffects;
use crate::reach::error::Result;
use crate::reach::faults::{self, Fault};
use crate::reach::graph::{NodeId, ProcId, Simple};
use crate::reach::shared::{CallPlace, SharedId};
use crate::reach::term::{Symbol, Template, Term, TermKind};

use super::encoder::{Encoder, SharedSite};
use super::names::{is_wide, written};
use super::passive::PassiveBlock;
use super::{InlineSite, SiteId, TraceEvent};

impl Encoder<'_> {
    /// A call.
    pub(super) fn call(
        &mut self,
        block: &mut PassiveBlock,
        pos: Option<Pos>,
        place: CallPlace,
        (callee, args, outs): (ProcId, &[Option<TypedExpr>], &[Option<VariableRef>]),
    ) -> Result<()> {
        let effects = self.callees.effects(callee)?;
        let given = self.given(block, callee, args)?;
        let site = match self.shared.place(place) {
            Some(number) => self.shared_site(block, (number, place), callee, given)?,
            None => self.own_site(block, place, callee, given)?,
        };
        let results = self.results.at(site)?.clone();
        let targets = targets(outs, effects);
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
        self.sources.calls.insert(place, site);
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
        place: CallPlace,
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
        self.site(place, callee, &guard, interface)
    }

    /// A site for several calls of which no execution makes more than one: each says what the callee is given.
    fn shared_site(
        &mut self,
        block: &mut PassiveBlock,
        (number, place): (SharedId, CallPlace),
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
                let site = self.site(place, callee, &guard, params.clone())?;
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

    /// The names that the results of a call, and of those it shares a site with, have where ways meet; none for those that
    /// have not all the same.
    fn result_names(&mut self, callee: ProcId, call: CallPlace) -> Result<Vec<Option<Term>>> {
        if !is_wide(self.callees.effects(callee)?) {
            return Ok(Vec::new());
        }
        let mut common: Option<Vec<Option<(NodeId, VariableRef)>>> = None;
        for place in self.shared.sharers(call) {
            let meetings = self.meetings_behind(place)?;
            common = Some(match common {
                None => meetings,
                Some(known) => {
                    let both = known.into_iter().zip(meetings);
                    both.map(|(a, b)| a.filter(|_| a == b)).collect()
                }
            });
        }
        let mut names = Vec::new();
        for meeting in common.unwrap_or_default() {
            names.push(match meeting {
                Some((n, var)) => Some(self.name_of_meeting(n, var)?),
                None => None,
            });
        }
        Ok(names)
    }

    /// For each result of a call the meeting whose name it will have, and the variable.
    fn meetings_behind(
        &self,
        (n, i): CallPlace,
    ) -> Result<Vec<Option<(NodeId, VariableRef)>>, Internal> {
        let cmds = &self.proc.nodes.at(n)?.cmds;
        let Simple::Call { callee, outs, .. } = &cmds.get(i).sure()?.kind else {
            return Err(internal("a call is none"));
        };
        let effects = self.callees.effects(*callee)?;
        let mut overwritten = BTreeSet::new();
        for later in cmds.iter().skip(i + 1) {
            overwritten.extend(written(&later.kind, &self.slots, self.callees)?);
        }
        let mut meetings = Vec::new();
        // Results by name are assigned behind the globals: of a variable that gets two, the first is overwritten.
        for (place, var) in targets(outs, effects).into_iter().enumerate() {
            let lost = place >= outs.len() && outs.contains(&var);
            meetings.push(match var {
                Some(var) if !lost && !overwritten.contains(&self.slot(var)?) => {
                    let meeting = self.names.behind(n, self.slot(var)?)?;
                    meeting.map(|n| (n, var))
                }
                _ => None,
            });
        }
        Ok(meetings)
    }

    /// Adds a site, with symbols for the results.
    fn site(
        &mut self,
        place: CallPlace,
        callee: ProcId,
        guard: &Term,
        mut interface: Vec<Term>,
    ) -> Result<SiteId> {
        let mut types = self.callees.result_types(callee)?;
        for global in &self.callees.effects(callee)?.writes {
            types.push(self.ty(VariableRef::Global(*global))?);
        }
        let mut names = self.result_names(callee, place)?.into_iter();
        let mut results = Vec::new();
        for ty in types {
            results.push(match names.next().flatten() {
                Some(name) => name,
                None => self.fresh_of(&ty)?,
            });
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

/// The variables that the results of a call go to: those by name, then the globals.
fn targets(outs: &[Option<VariableRef>], effects: &GlobalEffects) -> Vec<Option<VariableRef>> {
    let globals = effects.writes.iter().map(|g| Some(VariableRef::Global(*g)));
    outs.iter().copied().chain(globals).collect()
}

/// The symbol that a term is.
fn symbol(term: &Term) -> Result<Symbol, Internal> {
    match term.kind() {
        TermKind::Symbol(symbol) => Ok(*symbol),
        _ => Err(internal("the Boolean of a block or site is no symbol")),
    }
}
