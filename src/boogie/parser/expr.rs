//! Expressions, by the grammar of *This is Boogie 2* §4 with the precedence of the tool:
//! `<==>`, then `==>` and `<==`, then `&&` or `||` (never mixed without parentheses), comparisons (no chains),
//! `++`, `+ -`, `* div mod /`, `**`, `is`, unary operators, coercions, access to maps, bitvectors and fields.

use super::*;

/// An operator between operands.
#[derive(Clone, Copy, PartialEq)]
enum Operator {
    Binary(BinOp),
    /// With its symbol.
    Chain(ChainOp, &'static str),
}

const IFF: u8 = 1;
const IMPLIES: u8 = 2;
const LOGICAL: u8 = 3;
const RELATION: u8 = 4;

/// How it is written, what it is, how tightly it binds.
const OPERATORS: &[(&str, Operator, u8)] = &[
    ("<==>", Operator::Binary(BinOp::Iff), IFF),
    ("==>", Operator::Binary(BinOp::Implies), IMPLIES),
    ("<==", Operator::Binary(BinOp::Explies), IMPLIES),
    ("&&", Operator::Chain(ChainOp::And, "&&"), LOGICAL),
    ("||", Operator::Chain(ChainOp::Or, "||"), LOGICAL),
    ("==", Operator::Binary(BinOp::Eq), RELATION),
    ("!=", Operator::Binary(BinOp::Ne), RELATION),
    ("<", Operator::Binary(BinOp::Lt), RELATION),
    ("<=", Operator::Binary(BinOp::Le), RELATION),
    (">", Operator::Binary(BinOp::Gt), RELATION),
    (">=", Operator::Binary(BinOp::Ge), RELATION),
    ("<:", Operator::Binary(BinOp::Subtype), RELATION),
    ("++", Operator::Binary(BinOp::Concat), 5),
    ("+", Operator::Binary(BinOp::Add), 6),
    ("-", Operator::Binary(BinOp::Sub), 6),
    ("*", Operator::Binary(BinOp::Mul), 7),
    ("div", Operator::Binary(BinOp::Div), 7),
    ("mod", Operator::Binary(BinOp::Mod), 7),
    ("/", Operator::Binary(BinOp::RealDiv), 7),
    ("**", Operator::Binary(BinOp::Pow), 8),
];

impl Parser {
    pub(super) fn expr(&mut self) -> Parsed<Expr> {
        let pos = self.pos();
        let (expr, height) = self.measured(|p| p.nested(|p| p.operators(IFF)))?;
        self.grow(height + 1, pos)?;
        Ok(expr)
    }

    /// The operator that is next, and how tightly it binds.
    fn operator(&self) -> Option<(Operator, u8)> {
        let text = match self.peek() {
            Token::Sym(s) => *s,
            Token::Ident(s) => s.as_str(),
            _ => return None,
        };
        OPERATORS
            .iter()
            .find(|(t, ..)| *t == text)
            .map(|(_, op, level)| (*op, *level))
    }

    /// Operands with operators between that bind at least this tightly. The tree of a left-associative chain is as
    /// high as the chain is long.
    fn operators(&mut self, least: u8) -> Parsed<Expr> {
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
    fn operation(&mut self, left: Expr, op: Operator, level: u8, pos: Pos) -> Parsed<Expr> {
        let kind = match op {
            Operator::Chain(op, symbol) => {
                let mut operands = vec![left];
                while self.eat(symbol) {
                    operands.push(self.operators(level + 1)?);
                }
                ExprKind::Chain(op, operands)
            }
            Operator::Binary(op) => {
                self.at += 1;
                let right = match op {
                    BinOp::Implies | BinOp::Pow => self.nested(|p| p.operators(level))?,
                    _ => self.operators(level + 1)?,
                };
                ExprKind::Binary(op, Box::new(left), Box::new(right))
            }
        };
        Ok(Expr::new(pos, kind))
    }

    /// `d is C`
    fn is_constructor(&mut self) -> Parsed<Expr> {
        let (value, height) = self.measured(|p| p.unary())?;
        self.grow(height + 1, Pos::default())?;
        let pos = self.pos();
        match self.eat_word("is") {
            true => {
                let constructor = self.name()?;
                let kind = ExprKind::Is(Box::new(value), constructor);
                Ok(Expr::new(pos, kind))
            }
            false => Ok(value),
        }
    }

    fn unary(&mut self) -> Parsed<Expr> {
        let pos = self.pos();
        if let (true, Token::Float(text)) = (self.is("-"), self.peek_at(1))
            && text.starts_with("0x")
        {
            let kind = ExprKind::Float(format!("-{text}"));
            self.at += 2;
            return Ok(Expr::new(pos, kind));
        }
        let op = if self.eat("!") {
            UnOp::Not
        } else if self.eat("-") {
            UnOp::Neg
        } else {
            return self.coercion();
        };
        let operand = self.nested(|p| p.unary())?;
        Ok(Expr::new(pos, ExprKind::Unary(op, Box::new(operand))))
    }

    fn coercion(&mut self) -> Parsed<Expr> {
        let mut expr = self.access()?;
        while self.is(":") && !matches!(self.peek_at(1), Token::Int(_)) {
            let pos = self.pos();
            self.at += 1;
            let ty = self.ty()?;
            // A coercion of a coercion says nothing more and would make the tree as deep as the text is long.
            if matches!(expr.kind, ExprKind::Coerce(..)) {
                return Err(Error::new(pos, "a coercion of a coercion"));
            }
            expr = Expr::new(pos, ExprKind::Coerce(Box::new(expr), ty));
        }
        Ok(expr)
    }

    fn access(&mut self) -> Parsed<Expr> {
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
    fn field_behind(&mut self, value: Expr, pos: Pos) -> Parsed<Expr> {
        let value = Box::new(value);
        let kind = match self.eat("(") {
            true => {
                let field = self.name()?;
                self.expect(":=")?;
                let new = Box::new(self.expr()?);
                self.expect(")")?;
                ExprKind::Update(value, field, new)
            }
            false => ExprKind::Field(value, self.name()?),
        };
        Ok(Expr::new(pos, kind))
    }

    /// One access to `map`, behind its `[`.
    fn access_behind(&mut self, expr: Expr, pos: Pos) -> Parsed<Expr> {
        let map = Box::new(expr);
        let kind = match (
            self.peek().clone(),
            self.peek_at(1),
            self.peek_at(2).clone(),
        ) {
            (Token::Int(high), Token::Sym(":"), Token::Int(low)) => {
                let bound = |n: num_bigint::BigInt| {
                    u32::try_from(n)
                        .map_err(|_| Error::new(pos, "this bitvector access is too wide"))
                };
                self.at += 3;
                ExprKind::Extract(map, bound(high)?, bound(low)?)
            }
            (Token::Sym(":="), ..) => {
                self.at += 1;
                ExprKind::Store(map, Vec::new(), Box::new(self.expr()?))
            }
            (Token::Sym("]"), ..) => ExprKind::Select(map, Vec::new()),
            _ => {
                let indices = self.list(|p| p.expr())?;
                match self.eat(":=") {
                    true => ExprKind::Store(map, indices, Box::new(self.expr()?)),
                    false => ExprKind::Select(map, indices),
                }
            }
        };
        self.expect("]")?;
        Ok(Expr::new(pos, kind))
    }

    fn atom(&mut self) -> Parsed<Expr> {
        let pos = self.pos();
        let kind = match self.peek().clone() {
            Token::Int(n) => {
                self.at += 1;
                ExprKind::Int(n)
            }
            Token::Real(r) => {
                self.at += 1;
                ExprKind::Real(r)
            }
            Token::Bv(value, width) => {
                self.at += 1;
                if value.bits() > u64::from(width) {
                    return Err(Error::new(
                        pos,
                        format!("{value} does not fit into bv{width}"),
                    ));
                }
                ExprKind::Bv(value, width)
            }
            Token::Float(text) => {
                self.at += 1;
                ExprKind::Float(text)
            }
            Token::Str(text) => {
                self.at += 1;
                ExprKind::Str(text)
            }
            Token::Sym("(") => {
                self.at += 1;
                let inner = self.parenthesised()?;
                self.expect(")")?;
                return Ok(inner);
            }
            Token::Sym("|{") => {
                self.at += 1;
                let body = self.nested(|p| p.body_until("}|"))?;
                ExprKind::Code(Box::new(body))
            }
            Token::Ident(word) => return self.word(&word, pos),
            _ => return self.unexpected("an expression"),
        };
        Ok(Expr::new(pos, kind))
    }

    /// An atom that begins with a word.
    fn word(&mut self, word: &str, pos: Pos) -> Parsed<Expr> {
        let kind = match word {
            "true" | "false" => {
                self.at += 1;
                ExprKind::Bool(word == "true")
            }
            "old" => {
                self.at += 1;
                ExprKind::Old(Box::new(self.argument()?))
            }
            "int" => {
                self.at += 1;
                ExprKind::ToInt(Box::new(self.argument()?))
            }
            "real" => {
                self.at += 1;
                ExprKind::ToReal(Box::new(self.argument()?))
            }
            "if" => {
                self.at += 1;
                let condition = Box::new(self.expr()?);
                self.expect_word("then")?;
                let then = Box::new(self.expr()?);
                self.expect_word("else")?;
                ExprKind::Ite(condition, then, Box::new(self.expr()?))
            }
            _ => {
                let name = match self.is_name() {
                    true => self.name()?,
                    false => return self.unexpected("an expression"),
                };
                match self.eat("(") {
                    true => ExprKind::Call(name, self.list_until(")", |p| p.expr())?),
                    false => ExprKind::Var(name),
                }
            }
        };
        Ok(Expr::new(pos, kind))
    }

    fn argument(&mut self) -> Parsed<Expr> {
        self.expect("(")?;
        let argument = self.expr()?;
        self.expect(")")?;
        Ok(argument)
    }

    /// What may stand between parentheses: a quantifier, a lambda, a `var`, or an expression.
    fn parenthesised(&mut self) -> Parsed<Expr> {
        let pos = self.pos();
        let kind = match self.peek() {
            Token::Ident(word) => match word.as_str() {
                "forall" => QuantKind::Forall,
                "exists" => QuantKind::Exists,
                "lambda" if matches!(self.peek_at(1), Token::Ident(_) | Token::Sym("<" | "{")) => {
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

    fn quantified(&mut self, pos: Pos, kind: QuantKind) -> Parsed<Expr> {
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
        let quantified = Quantified {
            kind,
            type_params,
            vars,
            attrs,
            triggers,
            body,
        };
        Ok(Expr::new(pos, ExprKind::Quantified(Box::new(quantified))))
    }

    fn let_expr(&mut self) -> Parsed<Expr> {
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
        Ok(Expr::new(pos, ExprKind::Let(names, values, Box::new(body))))
    }
}
