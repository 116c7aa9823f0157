//! Expressions of random contracts.

use super::{INTEGERS, Ty, Writer};

impl Writer {
    pub fn leaf(&mut self, ty: Ty) -> String {
        let locals = self.locals.iter().filter(|(_, known)| *known == ty);
        let locals: Vec<String> = locals.map(|(name, _)| name.clone()).collect();
        if !locals.is_empty() && self.rng.one_in(2) {
            return self.rng.pick(&locals).clone();
        }
        match (ty, self.rng.below(3)) {
            (Ty::Bool, 0) => (*self.rng.pick(&["true", "false"])).to_owned(),
            (Ty::Bool, 1) => "k.r".to_owned(),
            (Ty::Enum, 0) => (*self.rng.pick(&["E.A", "E.B", "E.C"])).to_owned(),
            (Ty::Enum, 1) => "k.s".to_owned(),
            (Ty::Address, 0) => "msg.sender".to_owned(),
            (Ty::U8, 0) => format!("uint8({})", self.rng.pick(&[0, 1, 2, 7, 255])),
            (Ty::I8, 0) => format!("int8({})", self.rng.pick(&[0, 1, -1, 127, -128])),
            (Ty::I16, 0) => format!("int16({})", self.rng.pick(&[0, 3, -2, 300])),
            (Ty::I16, 1) => "k.q".to_owned(),
            (Ty::U256, 0) => "block.timestamp".to_owned(),
            (Ty::U256, 1) => "k.t".to_owned(),
            _ => ty.state().to_owned(),
        }
    }

    pub fn expr(&mut self, ty: Ty, depth: usize) -> String {
        if depth == 0 || self.rng.one_in(4) {
            return self.leaf(ty);
        }
        let next = depth - 1;
        if self.rng.one_in(8) {
            let (c, x, y) = (
                self.expr(Ty::Bool, next),
                self.expr(ty, next),
                self.expr(ty, next),
            );
            return format!("({c} ? {x} : {y})");
        }
        if self.rng.one_in(10) {
            return format!("({} = {})", ty.state(), self.expr(ty, next));
        }
        match ty {
            Ty::Bool => self.truth(next),
            Ty::Enum => {
                let number = self.expr(Ty::U8, next);
                if self.rng.one_in(3) {
                    format!("E({number})")
                } else {
                    format!("E({number} % 3)")
                }
            }
            Ty::Address => {
                let (x, y) = (self.leaf(Ty::Address), self.leaf(Ty::Address));
                format!("({} ? {x} : {y})", self.expr(Ty::Bool, next))
            }
            _ => self.integer(ty, next),
        }
    }

    fn truth(&mut self, depth: usize) -> String {
        match self.rng.below(6) {
            0 => format!("!{}", self.leaf(Ty::Bool)),
            1 => format!(
                "({} && {})",
                self.expr(Ty::Bool, depth),
                self.expr(Ty::Bool, depth)
            ),
            2 => format!(
                "({} || {})",
                self.expr(Ty::Bool, depth),
                self.expr(Ty::Bool, depth)
            ),
            3 => {
                let ty = *self.rng.pick(&[Ty::Enum, Ty::Address]);
                let op = *self.rng.pick(&["==", "!="]);
                format!("({} {op} {})", self.expr(ty, depth), self.expr(ty, depth))
            }
            _ => {
                let ty = *self.rng.pick(&INTEGERS);
                let op = *self.rng.pick(&["==", "!=", "<", "<=", ">", ">="]);
                format!("({} {op} {})", self.expr(ty, depth), self.expr(ty, depth))
            }
        }
    }

    fn integer(&mut self, ty: Ty, depth: usize) -> String {
        let name = ty.name();
        match self.rng.below(12) {
            0..5 => {
                let op = *self.rng.pick(&["+", "-", "*", "/", "%", "&", "|", "^"]);
                format!("({} {op} {})", self.expr(ty, depth), self.expr(ty, depth))
            }
            5 => {
                let op = *self.rng.pick(&["<<", ">>"]);
                format!(
                    "({} {op} {})",
                    self.expr(ty, depth),
                    self.expr(Ty::U8, depth)
                )
            }
            6 => {
                let op = *self.rng.pick(&["++", "--"]);
                let target = self.same_target(ty).unwrap_or_default();
                if self.rng.one_in(2) {
                    format!("{target}{op}")
                } else {
                    format!("{op}{target}")
                }
            }
            7 if self.callable > 0 => {
                let number = self.rng.below(self.callable);
                let (x, y) = (self.expr(Ty::U8, depth), self.expr(Ty::I16, depth));
                self.cast(ty, Ty::U8, &format!("f{number}({x}, {y})"))
            }
            8 => {
                let from = *self.rng.pick(&INTEGERS);
                let inner = self.expr(from, depth);
                self.cast(ty, from, &inner)
            }
            9 if ty == Ty::U8 => format!("uint8({})", self.leaf(Ty::Enum)),
            9 if ty == Ty::I16 => format!("m[{}]", self.expr(Ty::U8, depth)),
            9 if ty == Ty::U256 => "xs.length".to_owned(),
            10 => format!("~{}", self.leaf(ty)),
            11 if matches!(ty, Ty::I8 | Ty::I16) => format!("(-{})", self.leaf(ty)),
            _ => format!("{name}({})", self.leaf(ty)),
        }
    }

    /// A conversion between integers, in steps of one kind each.
    fn cast(&self, to: Ty, from: Ty, inner: &str) -> String {
        match (from, to) {
            _ if from == to => inner.to_owned(),
            (Ty::U8, Ty::I8) => format!("int8({inner})"),
            (Ty::I8, Ty::U8) => format!("uint8({inner})"),
            (Ty::U8, _) if to == Ty::I16 => format!("int16(uint16({inner}))"),
            (Ty::I16, Ty::U8) => format!("uint8(uint16({inner}))"),
            (Ty::I16, Ty::I8) => format!("int8({inner})"),
            (Ty::I8, Ty::I16) => format!("int16({inner})"),
            (Ty::U256, Ty::U8) => format!("uint8({inner})"),
            (Ty::U256, Ty::I8) => format!("int8(uint8({inner}))"),
            (Ty::U256, _) => format!("int16(uint16({inner}))"),
            (Ty::U8, _) => format!("uint256({inner})"),
            (_, _) => format!("uint256(int256({inner}))"),
        }
    }
}
