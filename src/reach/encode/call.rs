//! Calls: a site of its own for each, or one for several that exclude each other.

use crate::boogie::ast::Pos;
use crate::boogie::typed::{Expr, Type, Var};
use crate::reach::graph::Unsupported;
use crate::reach::term::{Kind, Template, Term};

use super::encoder::{Draft, Encoder};
use super::{Event, Site};

impl Encoder<'_> {
    /// A call; `shared` is the number of the site that it shares with others.
    pub(super) fn call(
        &mut self,
        draft: &mut Draft,
        pos: Option<Pos>,
        shared: Option<usize>,
        callee: usize,
        args: &[Option<Expr>],
        outs: &[Option<Var>],
    ) -> Result<(), Unsupported> {
        let effects = self.callees.effects(callee);
        let mut given: Vec<(Option<Term>, Type)> = Vec::new();
        for (arg, ty) in args.iter().zip(self.callees.param_types(callee)) {
            let term = arg.as_ref().map(|e| self.term(&draft.env, e)).transpose()?;
            given.push((term, ty));
        }
        for global in &effects.uses {
            let var = Var::Global(*global);
            let slot = self.slots.get(&var).and_then(|s| draft.env.get(*s));
            let term = slot.cloned().flatten().unwrap_or_else(|| Term::bool(false));
            given.push((Some(term), self.ty(var)));
        }
        let site = match shared {
            Some(number) => self.shared_site(draft, number, callee, given)?,
            None => self.own_site(draft, callee, given)?,
        };
        let Some(results) = self.results.get(site).cloned() else {
            return Ok(());
        };
        let by_name = outs.iter().copied();
        let globals = effects.writes.iter().map(|g| Some(Var::Global(*g)));
        for (var, symbol) in by_name.chain(globals).zip(results) {
            if let Some(var) = var {
                self.put(&mut draft.env, var, symbol);
            }
        }
        draft.events.push(Event::Call(pos, site));
        Ok(())
    }

    /// A site for one call.
    fn own_site(
        &mut self,
        draft: &mut Draft,
        callee: usize,
        given: Vec<(Option<Term>, Type)>,
    ) -> Result<usize, Unsupported> {
        let mut interface = Vec::new();
        for (term, ty) in given {
            interface.push(match term {
                None => self.fresh_of(&ty)?,
                Some(term) => self.named(draft, term, &ty, 1)?,
            });
        }
        // The node's own Boolean will do for a site; `true` will not, for a site can be blocked.
        let guard = match &draft.guard {
            Some(guard) => guard.clone(),
            None => {
                let guard = self.fresh_bool();
                draft.facts.push(guard.clone());
                guard
            }
        };
        self.site(callee, &guard, interface)
    }

    /// A site for several calls of which no execution makes more than one: each says what the callee is given.
    fn shared_site(
        &mut self,
        draft: &mut Draft,
        number: usize,
        callee: usize,
        given: Vec<(Option<Term>, Type)>,
    ) -> Result<usize, Unsupported> {
        let (site, guard, params) = match self.shared_sites.get(&number) {
            Some(known) => known.clone(),
            None => {
                let guard = self.fresh_bool();
                let mut params = Vec::new();
                for (_, ty) in &given {
                    params.push(self.fresh_of(ty)?);
                }
                let site = self.site(callee, &guard, params.clone())?;
                let made = (site, guard, params);
                self.shared_sites.insert(number, made.clone());
                made
            }
        };
        draft.facts.push(guard);
        for (param, (term, _)) in params.iter().zip(given) {
            draft.facts.extend(term.map(|t| param.equal(&t)));
        }
        Ok(site)
    }

    /// Adds a site, with symbols for the results.
    fn site(
        &mut self,
        callee: usize,
        guard: &Term,
        mut interface: Vec<Term>,
    ) -> Result<usize, Unsupported> {
        let mut types = self.callees.result_types(callee);
        let effects = self.callees.effects(callee);
        types.extend(effects.writes.iter().map(|g| self.ty(Var::Global(*g))));
        let mut results = Vec::new();
        for ty in types {
            results.push(self.fresh_of(&ty)?);
        }
        interface.extend(results.iter().cloned());
        let template = |t: &Term| {
            let mut template = Template::default();
            template.term(t);
            template
        };
        self.results.push(results);
        self.sites.push(Site {
            callee,
            guard: match guard.kind() {
                Kind::Symbol(n) => *n,
                _ => 0,
            },
            interface: interface.iter().map(template).collect(),
        });
        Ok(self.sites.len() - 1)
    }
}
