//! Expressions, by the grammar of *This is Boogie 2* §4 with the precedence of the tool:
//! `<==>`, then `==>` and `<==`, then `&&` or `||` (never mixed without parentheses), comparisons (no chains),
//! `++`, `+ -`, `* div mod /`, `**`, `is`, unary operators, coercions, access to maps, bitvectors and fields.

use super::*;

/// An operator between operands.
#[derive(Clone, Copy, PartialEq)]
enum BoogieOperator {
    Binary(BinOp),
    /// With its symbol.
    Chain(ChainOp, &'static str),
}

const IFF: u8 = 1;
const IMPLIES: u8 = 2;
const LOGICAL: u8 = 3;
const RELATION: u8 = 4;

/// How it is written, what it is, how tightly it binds.
const OPERATORS: &[(&str, BoogieOperator, u8)] = &[
    ("<==>", BoogieOperator::Binary(BinOp::Iff), IFF),
    ("==>", BoogieOperator::Binary(BinOp::Implies), IMPLIES),
    ("<==", BoogieOperator::Binary(BinOp::Explies), IMPLIES),
    ("&&", BoogieOperator::Chain(ChainOp::And, "&&"), LOGICAL),
    ("||", BoogieOperator::Chain(ChainOp::Or, "||"), LOGICAL),
    ("==", BoogieOperator::Binary(BinOp::Eq), RELATION),
    ("!=", BoogieOperator::Binary(BinOp::Ne), RELATION),
    ("<", BoogieOperator::Binary(BinOp::Lt), RELATION),
    ("<=", BoogieOperator::Binary(BinOp::Le), RELATION),
    (">", BoogieOperator::Binary(BinOp::Gt), RELATION),
    (">=", BoogieOperator::Binary(BinOp::Ge), RELATION),
    ("<:", BoogieOperator::Binary(BinOp::Subtype), RELATION),
    ("++", BoogieOperator::Binary(BinOp::Concat), 5),
    ("+", BoogieOperator::Binary(BinOp::Add), 6),
    ("-", BoogieOperator::Binary(BinOp::Sub), 6),
    ("*", BoogieOperator::Binary(BinOp::Mul), 7),
    ("div", BoogieOperator::Binary(BinOp::Div), 7),
    ("mod", BoogieOperator::Binary(BinOp::Mod), 7),
    ("/", BoogieOperator::Binary(BinOp::RealDiv), 7),
    ("**", BoogieOperator::Binary(BinOp::Pow), 8),
];

impl BoogieParser {
    pub(super) fn expr(&mut self) -> Parsed<BoogieExpr> {
        let pos = self.pos();
        let (expr, height) = self.measured(|p| p.nested(|p| p.operators(IFF)))?;
        self.grow(height + 1, pos)?;
        Ok(expr)
    }

    /// The operator that is next, and how tightly it binds.
    fn operator(&self) -> Option<(BoogieOperator, u8)> {
        let text = match self.peek() {
            BoogieToken::Sym(s) => *s,
            BoogieToken::Ident(s) => s.as_str(),
            _ => return None,
        };
        OPERATORS
            .iter()
            .find(|(t, ..)| *t == text)
            .map(|(_, op, level)| (*op, *level))
    }

    /// Operands with operators between that bind at least this tightly. The tree of a left-associative chain is as
    /// high as the chain is long.
    fn operators(&mut self, least: u8) -> Parsed<BoogieExpr> {
        let (mut left, mut height) = self.measured(|p| p.is_constructor())?;
        let mut last = None;
        while let Some((op, level)) = self.operator() {
            if level < least {
                break;
            }
            let pos = self.pos();
            // `a < b < c`, `a && b || c`, `a ==> b <== c`
            let clash = last.is_some_and(|(o, l)| l == level && (o != op || level == RELATION));
            if clash && (IMPLIES..=RELATION).contains(&level) {
                return self.clash(level);
            }
            let (joined, joined_height) = self.measured(|p| p.operation(left, op, level, pos))?;
            height = height.max(joined_height) + 1;
            self.grow(height, pos)?;
            left = joined;
            last = Some((op, level));
        }
        self.grow(height, Pos::default())?;
        Ok(left)
    }

    fn clash<T>(&self, level: u8) -> Parsed<T> {
        let what = match level {
            LOGICAL => "`&&` and `||`",
            IMPLIES => "`==>` and `<==`",
            _ => "comparisons",
        };
        Err(Error::new(
            self.pos(),
            format!("{what} need parentheses between them"),
        ))
    }

    /// The operator that is next, and its right operand or operands.
    fn operation(
        &mut self,
        left: BoogieExpr,
        op: BoogieOperator,
        level: u8,
        pos: Pos,
    ) -> Parsed<BoogieExpr> {
        let kind = match op {
            BoogieOperator::Chain(op, symbol) => {
                let mut operands = vec![left];
                while self.eat(symbol) {
                    operands.push(self.operators(level + 1)?);
                }
                BoogieExprKind::Chain(op, operands)
            }
            BoogieOperator::Binary(op) => {
                self.at += 1;
                let right = match op {
                    BinOp::Implies | BinOp::Pow => self.nested(|p| p.operators(level))?,
                    _ => self.operators(level + 1)?,
                };
                BoogieExprKind::Binary(op, Box::new(left), Box::new(right))
            }
        };
        Ok(BoogieExpr::new(pos, kind))
    }

    /// `d is C`
    fn is_constructor(&mut self) -> Parsed<BoogieExpr> {
        let (value, height) = self.measured(|p| p.unary())?;
        self.grow(height + 1, Pos::default())?;
        let pos = self.pos();
        match self.eat_word("is") {
            true => {
                let constructor = self.name()?;
                let kind = BoogieExprKind::Is(Box::new(value), constructor);
                Ok(BoogieExpr::new(pos, kind))
            }
            false => Ok(value),
        }
    }

    fn unary(&mut self) -> Parsed<BoogieExpr> {
        let pos = self.pos();
        if let (true, BoogieToken::Float(text)) = (self.is("-"), self.peek_at(1))
            && text.starts_with("0x")
        {
            let kind = BoogieExprKind::Float(format!("-{text}"));
            self.at += 2;
            return Ok(BoogieExpr::new(pos, kind));
        }
        let op = if self.eat("!") {
            UnOp::Not
        } else if self.eat("-") {
            UnOp::Neg
        } else {
            return self.coercion();
        };
        let operand = self.nested(|p| p.unary())?;
        Ok(BoogieExpr::new(
            pos,
            BoogieExprKind::Unary(op, Box::new(operand)),
        ))
    }

    fn coercion(&mut self) -> Parsed<BoogieExpr> {
        let mut expr = self.access()?;
        while self.is(":") && !matches!(self.peek_at(1), BoogieToken::Int(_)) {
            let pos = self.pos();
            self.at += 1;
            let ty = self.ty()?;
            // Each makes the tree higher.
            self.grow(self.height + 1, pos)?;
            expr = BoogieExpr::new(pos, BoogieExprKind::Coerce(Box::new(expr), ty));
        }
        Ok(expr)
    }

    fn access(&mut self) -> Parsed<BoogieExpr> {
        let (mut expr, mut height) = self.measured(|p| p.atom())?;
        while self.is("[") || self.is("->") {
            let pos = self.pos();
            let into_map = self.is("[");
            self.at += 1;
            let (accessed, indices_height) = self.measured(|p| match into_map {
                true => p.access_behind(expr, pos),
                false => p.field_behind(expr, pos),
            })?;
            expr = accessed;
            height = height.max(indices_height) + 1;
            self.grow(height, pos)?;
        }
        self.grow(height, Pos::default())?;
        Ok(expr)
    }

    /// One access to a field, behind its `->`.
    fn field_behind(&mut self, value: BoogieExpr, pos: Pos) -> Parsed<BoogieExpr> {
        let value = Box::new(value);
        let kind = match self.eat("(") {
            true => {
                let field = self.name()?;
                self.expect(":=")?;
                let new = Box::new(self.expr()?);
                self.expect(")")?;
                BoogieExprKind::Update(value, field, new)
            }
            false => BoogieExprKind::Field(value, self.name()?),
        };
        Ok(BoogieExpr::new(pos, kind))
    }

    /// One access to `map`, behind its `[`.
    fn access_behind(&mut self, expr: BoogieExpr, pos: Pos) -> Parsed<BoogieExpr> {
        let map = Box::new(expr);
        let kind = match (
            self.peek().clone(),
            self.peek_at(1),
            self.peek_at(2).clone(),
        ) {
            (BoogieToken::Int(high), BoogieToken::Sym(":"), BoogieToken::Int(low)) => {
                let bound = |n: num_bigint::BigInt| {
                    u32::try_from(n)
                        .map_err(|_| Error::new(pos, "this bitvector access is too wide"))
                };
                self.at += 3;
                BoogieExprKind::Extract(map, bound(high)?, bound(low)?)
            }
            (BoogieToken::Sym(":="), ..) => {
                self.at += 1;
                BoogieExprKind::Store(map, Vec::new(), Box::new(self.expr()?))
            }
            (BoogieToken::Sym("]"), ..) => BoogieExprKind::Select(map, Vec::new()),
            _ => {
                let indices = self.list(|p| p.expr())?;
                match self.eat(":=") {
                    true => BoogieExprKind::Store(map, indices, Box::new(self.expr()?)),
                    false => BoogieExprKind::Select(map, indices),
                }
            }
        };
        self.expect("]")?;
        Ok(BoogieExpr::new(pos, kind))
    }

    fn atom(&mut self) -> Parsed<BoogieExpr> {
        let pos = self.pos();
        let kind = match self.peek().clone() {
            BoogieToken::Int(n) => {
                self.at += 1;
                BoogieExprKind::Int(n)
            }
            BoogieToken::Real(r) => {
                self.at += 1;
                BoogieExprKind::Real(r)
            }
            BoogieToken::Bv(value, width) => {
                self.at += 1;
                if value.bits() > u64::from(width) {
                    return Err(Error::new(
                        pos,
                        format!("{value} does not fit into bv{width}"),
                    ));
                }
                BoogieExprKind::Bv(value, width)
            }
            BoogieToken::Float(text) => {
                self.at += 1;
                BoogieExprKind::Float(text)
            }
            BoogieToken::Str(text) => {
                self.at += 1;
                BoogieExprKind::Str(text)
            }
            BoogieToken::Sym("(") => {
                self.at += 1;
                let inner = self.parenthesised()?;
                self.expect(")")?;
                return Ok(inner);
            }
            BoogieToken::Sym("|{") => {
                self.at += 1;
                let body = self.nested(|p| p.body_until("}|"))?;
                BoogieExprKind::Code(Box::new(body))
            }
            BoogieToken::Ident(word) => return self.word(&word, pos),
            _ => return self.unexpected("an expression"),
        };
        Ok(BoogieExpr::new(pos, kind))
    }

    /// An atom that begins with a word.
    fn word(&mut self, word: &str, pos: Pos) -> Parsed<BoogieExpr> {
        let kind = match word {
            "true" | "false" => {
                self.at += 1;
                BoogieExprKind::Bool(word == "true")
            }
            "old" => {
                self.at += 1;
                BoogieExprKind::Old(Box::new(self.argument()?))
            }
            "int" => {
                self.at += 1;
                BoogieExprKind::ToInt(Box::new(self.argument()?))
            }
            "real" => {
                self.at += 1;
                BoogieExprKind::ToReal(Box::new(self.argument()?))
            }
            "if" => return self.conditional(),
            _ => {
                let name = match self.is_name() {
                    true => self.name()?,
                    false => return self.unexpected("an expression"),
                };
                match self.eat("(") {
                    true => BoogieExprKind::Call(name, self.list_until(")", |p| p.expr())?),
                    false => BoogieExprKind::Var(name),
                }
            }
        };
        Ok(BoogieExpr::new(pos, kind))
    }

    /// `if a then x else if b then y else z`, in a loop, so that a chain may be as long as trees may be high.
    fn conditional(&mut self) -> Parsed<BoogieExpr> {
        let mut arms = Vec::new();
        while self.is_word("if") {
            let pos = self.pos();
            self.at += 1;
            let condition = self.expr()?;
            self.expect_word("then")?;
            let then = self.expr()?;
            self.expect_word("else")?;
            arms.push((pos, condition, then));
            if arms.len() > MAX_HEIGHT as usize {
                self.grow(MAX_HEIGHT + 1, pos)?;
            }
        }
        let otherwise = self.expr()?;
        // What is highest may be in the last one.
        self.grow(self.height + arms.len() as u32, otherwise.pos)?;
        let chain = arms.into_iter().rev();
        Ok(chain.fold(otherwise, |otherwise, (pos, condition, then)| {
            let [condition, then, otherwise] = [condition, then, otherwise].map(Box::new);
            BoogieExpr::new(pos, BoogieExprKind::Ite(condition, then, otherwise))
        }))
    }

    fn argument(&mut self) -> Parsed<BoogieExpr> {
        self.expect("(")?;
        let argument = self.expr()?;
        self.expect(")")?;
        Ok(argument)
    }

    /// What may stand between parentheses: a quantifier, a lambda, a `var`, or an expression.
    fn parenthesised(&mut self) -> Parsed<BoogieExpr> {
        let pos = self.pos();
        let kind = match self.peek() {
            BoogieToken::Ident(word) => match word.as_str() {
                "forall" => QuantKind::Forall,
                "exists" => QuantKind::Exists,
                "lambda"
                    if matches!(
                        self.peek_at(1),
                        BoogieToken::Ident(_) | BoogieToken::Sym("<" | "{")
                    ) =>
                {
                    QuantKind::Lambda
                }
                "var" => return self.nested(|p| p.let_expr()),
                _ => return self.expr(),
            },
            _ => return self.expr(),
        };
        self.at += 1;
        self.nested(|p| p.quantified(pos, kind))
    }

    fn quantified(&mut self, pos: Pos, kind: QuantKind) -> Parsed<BoogieExpr> {
        let type_params = self.type_params()?;
        let vars = match self.is("::") {
            true if !type_params.is_empty() => Vec::new(),
            _ => self.list(|p| p.vars_of_type())?.concat(),
        };
        self.expect("::")?;
        let mut attrs = Vec::new();
        let mut triggers = Vec::new();
        while self.is("{") {
            self.at += 1;
            match self.eat(":") {
                true => attrs.push(self.attribute()?),
                false => triggers.push(self.list_until("}", |p| p.expr())?),
            }
        }
        let body = self.expr()?;
        let quantified = QuantifiedExpr {
            kind,
            type_params,
            vars,
            attrs,
            triggers,
            body,
        };
        Ok(BoogieExpr::new(
            pos,
            BoogieExprKind::Quantified(Box::new(quantified)),
        ))
    }

    fn let_expr(&mut self) -> Parsed<BoogieExpr> {
        let pos = self.pos();
        self.expect_word("var")?;
        let names = self.list(|p| {
            p.attributes()?;
            p.name()
        })?;
        self.expect(":=")?;
        let values = self.list(|p| p.expr())?;
        self.expect(";")?;
        self.attributes()?;
        if names.len() != values.len() {
            return Err(Error::new(
                pos,
                format!("{} names are given {} values", names.len(), values.len()),
            ));
        }
        let body = self.expr()?;
        Ok(BoogieExpr::new(
            pos,
            BoogieExprKind::Let(names, values, Box::new(body)),
        ))
    }
}
