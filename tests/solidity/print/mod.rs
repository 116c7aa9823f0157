//! A flattened contract as text.
//!
//! It looks like Solidity. What is not: `+%` is addition that wraps around; `leave 'a` goes on behind what is labelled
//! `'a`; `ask` is a question to the outside; `?` behind it is where it says whether it succeeded. Names with `$` are not the
//! user's.

mod expr;
mod stmt;

use std::fmt::Write;

use tranquera::front::solidity::FileRange;
use tranquera::front::solidity::ast::Mutability;
use tranquera::front::solidity::flat::{
    Contract, EntryKind, EntryPoint, FlatRoutine, FlatType, Lifetime, LocalId, NotTaken,
};

/// Writes the parts of a contract.
struct FlatPrinter<'a> {
    contract: &'a Contract,
    routine: Option<&'a FlatRoutine>,
    /// Whether each statement says on which line it is.
    places: bool,
    out: String,
}

/// The whole contract; if `places`, each statement says on which line it is.
pub fn contract(contract: &Contract, places: bool) -> String {
    let mut printer = FlatPrinter {
        contract,
        routine: None,
        places,
        out: String::new(),
    };
    printer.types();
    printer.variables();
    printer.entry(&contract.constructor);
    for entry in &contract.entries {
        printer.entry(entry);
    }
    for routine in &contract.routines {
        printer.routine(routine);
    }
    printer.remarks();
    printer.out
}

impl FlatPrinter<'_> {
    fn line(&mut self, depth: usize, text: impl AsRef<str>) {
        for _ in 0..depth {
            self.out.push_str("  ");
        }
        self.out.push_str(text.as_ref());
        self.out.push('\n');
    }

    fn types(&mut self) {
        let contract = self.contract;
        self.line(
            0,
            format!("contract {} // {}", contract.name, contract.version),
        );
        for structure in &contract.structs {
            let members = structure.members.iter();
            let members = members.map(|(name, ty)| format!("{} {name};", self.ty(ty)));
            let members: Vec<String> = members.collect();
            self.line(
                0,
                format!("struct {} {{ {} }}", structure.name, members.join(" ")),
            );
        }
        for enumeration in &contract.enums {
            let members = enumeration.members.join(", ");
            self.line(0, format!("enum {} {{ {members} }}", enumeration.name));
        }
        for alias in &contract.aliases {
            let underlying = self.ty(&alias.underlying);
            self.line(0, format!("type {} is {underlying}", alias.name));
        }
    }

    fn variables(&mut self) {
        let contract = self.contract;
        for variable in &contract.variables {
            let lifetime = match variable.lifetime {
                Lifetime::Storage => "",
                Lifetime::Immutable => "immutable ",
                Lifetime::Transient => "transient ",
            };
            let ty = self.ty(&variable.ty);
            self.line(0, format!("var {lifetime}{ty} {}", variable.name));
        }
        for constant in &contract.constants {
            let (ty, value) = (self.ty(&constant.ty), self.expr(&constant.value));
            self.line(0, format!("constant {ty} {} = {value}", constant.name));
        }
        for opaque in &contract.opaque {
            let list = |types: &[FlatType]| {
                let types: Vec<String> = types.iter().map(|ty| self.ty(ty)).collect();
                types.join(", ")
            };
            let pure = if opaque.is_pure { "pure " } else { "" };
            let (parameters, results) = (list(&opaque.parameters), list(&opaque.results));
            let text = format!(
                "opaque {pure}{}({parameters}) returns ({results})",
                opaque.name
            );
            self.line(0, text);
            self.refusals(&opaque.because);
        }
    }

    fn entry(&mut self, entry: &EntryPoint) {
        let kind = match entry.kind {
            EntryKind::Constructor => "create",
            EntryKind::Function => "call",
            EntryKind::Getter => "get",
            EntryKind::Receive => "receive",
            EntryKind::Fallback => "fallback",
        };
        let routine = self.contract.routine(entry.routine);
        let routine = routine.map_or("nothing", |routine| &routine.name);
        let mutability = mutability(entry.mutability);
        let text = format!(
            "{kind} {} // {}{mutability} is {routine}",
            entry.name, entry.signature
        );
        self.line(0, text);
    }

    fn routine(&mut self, routine: &FlatRoutine) {
        // The parts are printed with the names of the routine's variables.
        let contract = self.contract;
        let printed = contract
            .routines
            .iter()
            .find(|known| std::ptr::eq(*known, routine));
        self.routine = printed;
        let parameters = self.declared(&routine.parameters);
        let results = match routine.results.as_slice() {
            [] => String::new(),
            results => format!(" returns ({})", self.declared(results)),
        };
        let mutability = mutability(routine.mutability);
        self.out.push('\n');
        let head = format!(
            "routine {}({parameters}){mutability}{results} {{",
            routine.name
        );
        self.line(0, head);
        self.block(&routine.body, 1);
        self.line(0, "}");
        self.routine = None;
    }

    fn declared(&self, locals: &[LocalId]) -> String {
        let locals = locals.iter().map(|local| {
            let ty = self.local_type(*local);
            format!("{ty} {}", self.local(*local))
        });
        locals.collect::<Vec<_>>().join(", ")
    }

    fn local(&self, id: LocalId) -> &str {
        let local = self.routine.and_then(|routine| routine.local(id));
        local.map_or("?", |local| &local.name)
    }

    fn local_type(&self, id: LocalId) -> String {
        let local = self.routine.and_then(|routine| routine.local(id));
        local.map_or_else(String::new, |local| self.ty(&local.ty))
    }

    fn ty(&self, ty: &FlatType) -> String {
        let contract = self.contract;
        match ty {
            FlatType::Bool => "bool".to_owned(),
            FlatType::Int(int) => format!("{}int{}", if int.signed { "" } else { "u" }, int.bits),
            FlatType::Address => "address".to_owned(),
            FlatType::Contract(name) => name.to_string(),
            FlatType::FixedBytes(size) => format!("bytes{size}"),
            FlatType::Bytes => "bytes".to_owned(),
            FlatType::String => "string".to_owned(),
            FlatType::Enum(id) => named(contract.enums.get(id.index()).map(|known| &known.name)),
            FlatType::Alias(id) => named(contract.aliases.get(id.index()).map(|known| &known.name)),
            FlatType::Struct(id) => {
                named(contract.structs.get(id.index()).map(|known| &known.name))
            }
            FlatType::Array(element, None) => format!("{}[]", self.ty(element)),
            FlatType::Array(element, Some(length)) => format!("{}[{length}]", self.ty(element)),
            FlatType::Mapping(key, value) => {
                format!("mapping({} => {})", self.ty(key), self.ty(value))
            }
        }
    }

    fn remarks(&mut self) {
        let contract = self.contract;
        for refused in &contract.refused {
            self.line(0, format!("refused {}", refused.name));
            self.refusals(&refused.because);
        }
        for note in &contract.notes {
            let text = format!("note {}: {}", contract.files.show(note.place), note.what);
            self.line(0, text);
        }
    }

    fn refusals(&mut self, because: &[NotTaken]) {
        for refusal in because {
            let place = self.contract.files.show(refusal.place);
            let text = format!("{place}: {}", refusal.what);
            self.line(1, text);
        }
    }

    /// `  // 12`: the line of a statement.
    fn at(&self, place: FileRange) -> String {
        let file = self.contract.files.get(place.file);
        let line = file.and_then(|file| file.line_column(place.start));
        match line {
            Some((line, _)) if self.places => {
                let mut text = String::new();
                // Writing to a string does not fail.
                let _ = write!(text, "  // {line}");
                text
            }
            _ => String::new(),
        }
    }
}

fn named(name: Option<&String>) -> String {
    name.cloned().unwrap_or_else(|| "?".to_owned())
}

fn mutability(mutability: Mutability) -> &'static str {
    match mutability {
        Mutability::Pure => " pure",
        Mutability::View => " view",
        Mutability::Nonpayable => "",
        Mutability::Payable => " payable",
    }
}
