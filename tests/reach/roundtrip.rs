//! Printing a Boogie program and parsing it again gives the same tree: on random trees, and on every `.bpl` file of the
//! project that is a whole program.

use std::path::{Path, PathBuf};

use tranquera::boogie::ast::*;
use tranquera::boogie::{parse, parse_with};

/// Pseudo-random choices (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) % n
    }

    fn flag(&mut self) -> bool {
        self.below(2) == 0
    }

    fn many<T>(&mut self, least: u64, most: u64, mut one: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let n = least + self.below(most - least + 1);
        (0..n).map(|_| one(self)).collect()
    }

    fn maybe<T>(&mut self, one: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.flag().then(|| one(self))
    }

    fn name(&mut self) -> String {
        const NAMES: &[&str] = &[
            "x",
            "y",
            "m",
            "C.s",
            "$Alloc",
            "a#b",
            "\\assume",
            "async",
            "_",
            "p'",
            "T@U",
            "q?1",
            "is",
            "hide",
            "pure",
            "RNE",
            "float24e8",
        ];
        // `@` belongs to no name.
        NAMES[self.below(NAMES.len() as u64) as usize].replace('@', "")
    }

    fn named(&mut self) -> (String, Pos) {
        (self.name(), Pos::default())
    }

    fn ty(&mut self, depth: u32) -> TypeExpr {
        let kind = match self.below(if depth == 0 { 5 } else { 7 }) {
            0 => TypeKind::Bool,
            1 => TypeKind::Int,
            2 => TypeKind::Real,
            3 => TypeKind::Bv(self.below(65) as u32),
            4 => TypeKind::Named(self.name(), Vec::new()),
            5 => {
                let args = self.many(1, 3, |r| r.ty(depth - 1));
                TypeKind::Named(self.name(), args)
            }
            _ => {
                let params = self.many(0, 2, Random::name);
                let domain = self.many(0, 2, |r| r.ty(depth - 1));
                TypeKind::Map(params, domain, Box::new(self.ty(depth - 1)))
            }
        };
        TypeExpr {
            pos: Pos::default(),
            kind,
        }
    }

    fn attrs(&mut self) -> Vec<Attribute> {
        if self.below(4) > 0 {
            return Vec::new();
        }
        self.many(1, 2, |r| Attribute {
            name: r.name(),
            args: r.many(0, 2, |r| match r.flag() {
                true => AttrArg::Str("a b\\\"c".into()),
                false => match r.expr(1) {
                    // A string by itself is no expression here.
                    BoogieExpr {
                        kind: BoogieExprKind::Str(text),
                        ..
                    } => AttrArg::Str(text),
                    e => AttrArg::Expr(e),
                },
            }),
        })
    }

    fn var(&mut self) -> VarDecl {
        VarDecl {
            pos: Pos::default(),
            attrs: self.attrs(),
            name: self.name(),
            ty: self.ty(2),
            where_: None,
        }
    }

    fn boxed(&mut self, depth: u32) -> Box<BoogieExpr> {
        Box::new(self.expr(depth))
    }

    fn expr(&mut self, depth: u32) -> BoogieExpr {
        const BINARY: &[BinOp] = &[
            BinOp::Iff,
            BinOp::Implies,
            BinOp::Explies,
            BinOp::Eq,
            BinOp::Ne,
            BinOp::Lt,
            BinOp::Le,
            BinOp::Gt,
            BinOp::Ge,
            BinOp::Subtype,
            BinOp::Concat,
            BinOp::Add,
            BinOp::Sub,
            BinOp::Mul,
            BinOp::Div,
            BinOp::Mod,
            BinOp::RealDiv,
            BinOp::Pow,
        ];
        let d = depth.saturating_sub(1);
        const FLOATS: &[&str] = &[
            "0x1.8e0f24e8",
            "-0x1.fe-2f53e11",
            "0NaN24e8",
            "0+oo24e8",
            "0-oo8e3",
        ];
        let kind = match self.below(if depth == 0 { 6 } else { 22 }) {
            0 => BoogieExprKind::Bool(self.flag()),
            1 => BoogieExprKind::Int(self.below(1 << 40).into()),
            2 => BoogieExprKind::Real("2.5e-3".into()),
            3 => BoogieExprKind::Bv(self.below(16).into(), 4),
            4 => BoogieExprKind::Var(self.name()),
            5 => match self.flag() {
                true => {
                    BoogieExprKind::Float(FLOATS[self.below(FLOATS.len() as u64) as usize].into())
                }
                false => BoogieExprKind::Str("a \\\"b".into()),
            },
            20 => {
                let args = self.many(0, 3, |r| r.expr(d));
                BoogieExprKind::Call(self.name(), args)
            }
            21 => match self.below(3) {
                0 => BoogieExprKind::Field(self.boxed(d), self.name()),
                1 => BoogieExprKind::Update(self.boxed(d), self.name(), self.boxed(d)),
                _ => BoogieExprKind::Is(self.boxed(d), self.name()),
            },
            6 => BoogieExprKind::Old(self.boxed(d)),
            7 => {
                let op = if self.flag() { UnOp::Not } else { UnOp::Neg };
                BoogieExprKind::Unary(op, self.boxed(d))
            }
            8..=11 => {
                let op = BINARY[self.below(BINARY.len() as u64) as usize];
                BoogieExprKind::Binary(op, self.boxed(d), self.boxed(d))
            }
            12 => {
                let op = if self.flag() {
                    ChainOp::And
                } else {
                    ChainOp::Or
                };
                BoogieExprKind::Chain(op, self.many(2, 4, |r| r.expr(d)))
            }
            13 => BoogieExprKind::Ite(self.boxed(d), self.boxed(d), self.boxed(d)),
            14 => BoogieExprKind::Select(self.boxed(d), self.many(0, 2, |r| r.expr(d))),
            15 => {
                BoogieExprKind::Store(self.boxed(d), self.many(0, 2, |r| r.expr(d)), self.boxed(d))
            }
            16 => BoogieExprKind::Extract(self.boxed(d), 8, 4),
            17 => {
                const KINDS: [QuantKind; 3] =
                    [QuantKind::Forall, QuantKind::Exists, QuantKind::Lambda];
                let type_params = self.many(0, 1, Random::name);
                let least = u64::from(type_params.is_empty());
                BoogieExprKind::Quantified(Box::new(QuantifiedExpr {
                    kind: KINDS[self.below(3) as usize],
                    type_params,
                    vars: self.many(least, 2, Random::var),
                    attrs: self.attrs(),
                    triggers: self.many(0, 2, |r| r.many(1, 2, |r| r.expr(d))),
                    body: self.expr(d),
                }))
            }
            18 => {
                let names = self.many(1, 2, Random::name);
                let values = names.iter().map(|_| self.expr(d)).collect();
                BoogieExprKind::Let(names, values, self.boxed(d))
            }
            _ => match self.below(4) {
                0 => BoogieExprKind::ToInt(self.boxed(d)),
                1 => BoogieExprKind::ToReal(self.boxed(d)),
                2 => BoogieExprKind::Code(Box::new(self.body(0))),
                _ => match self.expr(d) {
                    // A coercion of a coercion is not in the language.
                    e if matches!(e.kind, BoogieExprKind::Coerce(..)) => e.kind,
                    e => BoogieExprKind::Coerce(Box::new(e), self.ty(1)),
                },
            },
        };
        BoogieExpr::new(Pos::default(), kind)
    }

    fn condition(&mut self) -> SpecCondition {
        SpecCondition {
            pos: Pos::default(),
            free: self.flag(),
            attrs: self.attrs(),
            expr: self.expr(2),
        }
    }

    fn stmt(&mut self, depth: u32) -> BoogieStmt {
        let d = depth.saturating_sub(1);
        let kind = match self.below(if depth == 0 { 11 } else { 13 }) {
            9 => BoogieStmtKind::Unpack(self.name(), self.many(0, 2, Random::named), self.expr(2)),
            10 => BoogieStmtKind::Show(match self.below(4) {
                0 => Show::Hide(self.maybe(Random::name)),
                1 => Show::Reveal(self.maybe(Random::name)),
                2 => Show::Push,
                _ => Show::Pop,
            }),
            0 => BoogieStmtKind::Label(self.name()),
            1 => BoogieStmtKind::Assume(self.attrs(), self.expr(2)),
            2 => BoogieStmtKind::Assert(self.attrs(), self.expr(2)),
            3 => {
                let lhs = self.many(1, 2, |r| Lhs {
                    pos: Pos::default(),
                    name: r.name(),
                    path: r.many(0, 2, |r| match r.below(3) {
                        0 => AccessPath::Field(r.name()),
                        _ => AccessPath::Index(r.many(0, 2, |r| r.expr(1))),
                    }),
                });
                let rhs = lhs.iter().map(|_| self.expr(2)).collect();
                BoogieStmtKind::Assign(lhs, rhs)
            }
            4 => BoogieStmtKind::Havoc(self.many(1, 2, Random::named)),
            5 => BoogieStmtKind::Call(BoogieCall {
                free: self.flag(),
                attrs: self.attrs(),
                outs: self.many(0, 2, |r| r.maybe(Random::named)),
                name: "P".into(),
                args: self.many(0, 2, |r| r.maybe(|r| r.expr(2))),
            }),
            6 => BoogieStmtKind::Break(self.maybe(Random::name)),
            7 => BoogieStmtKind::Return(self.maybe(|r| r.expr(1))),
            8 => BoogieStmtKind::Goto(self.many(1, 2, Random::named)),
            11 => {
                let arms = self.many(1, 3, |r| {
                    (r.maybe(|r| r.expr(2)), r.many(0, 2, |r| r.stmt(d)))
                });
                BoogieStmtKind::If(arms, self.maybe(|r| r.many(0, 2, |r| r.stmt(d))))
            }
            _ => BoogieStmtKind::While(
                self.maybe(|r| r.expr(2)),
                self.many(0, 2, Random::condition),
                self.many(0, 2, |r| r.stmt(d)),
            ),
        };
        BoogieStmt {
            pos: Pos::default(),
            kind,
        }
    }

    fn body(&mut self, depth: u32) -> ProcedureBody {
        ProcedureBody {
            locals: self.many(0, 2, |r| VarDecl {
                where_: r.maybe(|r| r.expr(1)),
                ..r.var()
            }),
            stmts: self.many(0, 4, |r| r.stmt(depth)),
            end: Pos::default(),
        }
    }

    fn signature(&mut self) -> ProcedureSignature {
        let mut param = |r: &mut Self| VarDecl {
            where_: r.maybe(|r| r.expr(1)),
            ..r.var()
        };
        ProcedureSignature {
            type_params: self.many(0, 2, Random::name),
            ins: self.many(0, 3, &mut param),
            outs: self.many(0, 2, &mut param),
        }
    }

    fn decl(&mut self) -> Decl {
        let pos = Pos::default();
        match self.below(9) {
            8 => Decl::Datatype(DatatypeDecl {
                pos,
                attrs: self.attrs(),
                name: self.name(),
                params: self.many(0, 2, Random::name),
                constructors: self.many(1, 3, |r| ConstructorDecl {
                    pos: Pos::default(),
                    name: r.name(),
                    fields: r.many(0, 2, Random::var),
                }),
            }),
            0 => Decl::Type(TypeDecl {
                pos,
                attrs: self.attrs(),
                name: self.name(),
                params: self.many(0, 2, |_| "a".into()),
                synonym: self.maybe(|r| r.ty(3)),
            }),
            1 => Decl::Const(ConstDecl {
                pos,
                attrs: self.attrs(),
                unique: self.flag(),
                name: self.name(),
                ty: self.ty(2),
                order: self.maybe(|r| ConstOrder {
                    parents: r.many(0, 2, |r| Parent {
                        unique: r.flag(),
                        name: r.name(),
                        pos: Pos::default(),
                    }),
                    complete: r.flag(),
                }),
            }),
            2 => Decl::Function(FunctionDecl {
                pos,
                attrs: self.attrs(),
                name: self.name(),
                type_params: self.many(0, 2, Random::name),
                // One with a name gives its type to those without before it.
                params: match self.flag() {
                    true => self.many(0, 3, |r| (None, r.ty(2))),
                    false => self.many(0, 3, |r| (Some(r.name()), r.ty(2))),
                },
                result_name: self.maybe(Random::name),
                result: self.ty(2),
                body: self.maybe(|r| r.expr(3)),
            }),
            3 => Decl::Axiom(AxiomDeclaration {
                pos,
                attrs: self.attrs(),
                expr: self.expr(5),
            }),
            4 => Decl::Var(VarDecl {
                where_: self.maybe(|r| r.expr(2)),
                ..self.var()
            }),
            5 => Decl::Implementation(Implementation {
                pos,
                attrs: self.attrs(),
                name: self.name(),
                signature: self.signature(),
                body: self.body(2),
            }),
            _ => Decl::Procedure(ProcedureDeclaration {
                pos,
                attrs: self.attrs(),
                name: self.name(),
                signature: self.signature(),
                specs: self.many(0, 3, |r| match r.below(3) {
                    0 => Spec::Requires(r.condition()),
                    1 => Spec::Ensures(r.condition()),
                    _ => Spec::Modifies(r.many(0, 2, Random::named)),
                }),
                body: self.maybe(|r| r.body(3)),
            }),
        }
    }
}

#[test]
fn random_trees() {
    for seed in 1..4000u64 {
        let mut random = Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1);
        let program = BoogieProgram {
            decls: random.many(1, 4, Random::decl),
        };
        let text = program.to_string();
        let again = parse(&text).unwrap_or_else(|e| panic!("seed {seed}: {e}\n{text}"));
        assert_eq!(program, again, "seed {seed}:\n{text}\nbecame\n{again}");
    }
}

/// The programs that the fixtures become, and the `.bpl` files among the tests.
fn texts() -> Vec<(PathBuf, String)> {
    let home = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut found = Vec::new();
    let mut folders = vec![home.join("tests"), home.join("fixtures")];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            let extension = path.extension().and_then(|e| e.to_str());
            match extension {
                _ if path.is_dir() => folders.push(path),
                // What is wrong on purpose need not be a program.
                Some("bpl") if !path.to_string_lossy().contains("/refused/") => {
                    let text = std::fs::read_to_string(&path).expect("a file");
                    found.push((path, text));
                }
                Some("tq") => {
                    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tranquera"));
                    let output = command
                        .args(["query", "--kind", "program"])
                        .arg(&path)
                        .output();
                    let output = output.expect("it runs");
                    if output.status.success() {
                        found.push((path, String::from_utf8(output.stdout).expect("text")));
                    }
                }
                _ => {}
            }
        }
    }
    found.sort();
    found
}

#[test]
fn every_program_at_hand() {
    let texts = texts();
    assert!(texts.len() > 15, "{}", texts.len());
    for (path, text) in texts {
        // As the only file of a command line, which conditional compilation may ask about.
        let program = parse_with(&text, 1, &["FILE_0".into()])
            .unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let again = parse(&program.to_string())
            .unwrap_or_else(|e| panic!("{}: {e}\n{program}", path.display()));
        assert_eq!(program, again, "{}", path.display());
    }
}

#[test]
fn no_text_makes_it_panic() {
    for seed in 1..1500u64 {
        let mut random = Random(seed.wrapping_mul(0xD134_2543_DE82_EF95) | 1);
        let program = BoogieProgram {
            decls: random.many(1, 3, Random::decl),
        };
        let mut words: Vec<String> = program
            .to_string()
            .split_inclusive(' ')
            .map(str::to_string)
            .collect();
        for _ in 0..1 + random.below(4) {
            let at = random.below(words.len() as u64) as usize;
            match random.below(3) {
                0 => words.truncate(at + 1),
                1 => {
                    words[at] = ["{", "(", "\"", "/*", "|{", "[", "é", "0x", "1e"]
                        [random.below(9) as usize]
                        .into()
                }
                _ => words.swap(at, 0),
            }
        }
        if let Ok(program) = parse(&words.concat()) {
            let _ = tranquera::boogie::check(&program);
        }
    }
}
