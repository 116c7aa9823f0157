//! Types as they are written.

use super::typed::{Type, TypeCon, TypeId};
use crate::ids::Table;

impl Type {
    /// The type as it is written, with numbers for type parameters.
    pub fn show(&self, cons: &Table<TypeId, TypeCon>) -> String {
        match self {
            Type::Bool => "bool".into(),
            Type::Int => "int".into(),
            Type::Real => "real".into(),
            Type::Bv(width) => format!("bv{width}"),
            Type::Float(significand, exponent) => format!("float{significand}e{exponent}"),
            Type::Rounding => "rmode".into(),
            Type::Str => "string".into(),
            Type::Regex => "regex".into(),
            Type::Con(con, args) => {
                // Only a bug of ours shows a type of another program.
                let con = cons.at(*con);
                let mut text = con.map_or_else(|bug| bug.to_string(), |c| c.name.clone());
                for arg in args {
                    let arg = arg.show(cons);
                    match arg.contains(' ') || arg.starts_with(['[', '<']) {
                        true => text.push_str(&format!(" ({arg})")),
                        false => text.push_str(&format!(" {arg}")),
                    }
                }
                text
            }
            Type::Map(m) => {
                let domain: Vec<String> = m.domain.iter().map(|t| t.show(cons)).collect();
                let params = match m.params {
                    0 => String::new(),
                    n => format!(
                        "<{}>",
                        (0..n)
                            .map(|i| format!("t{i}"))
                            .collect::<Vec<_>>()
                            .join(",")
                    ),
                };
                format!("{params}[{}]{}", domain.join(","), m.range.show(cons))
            }
            Type::Param(n) => format!("a{n}"),
            Type::Bound(0, i) => format!("t{i}"),
            Type::Bound(out, i) => format!("t{i}'{out}"),
            Type::Meta(_) => "?".into(),
        }
    }
}
