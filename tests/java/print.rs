//! A body as text, much like Java, for people; nothing reads it back.

use std::fmt::Write;

use tranquera::front::java::classfile::{
    ArithmeticOp, Comparison, InvokeKind, Monitor, PoolConstant, Relation,
};
use tranquera::front::java::tree::{
    BodyVariable, CallSite, Invocation, JavaCatch, JavaExpr, JavaStatement, JavaStep, JumpLabel,
    MethodBody, Role, StepKind, StringPart, VariableId,
};
use tranquera::front::java::types::{ClassName, JavaType};

/// The body of a method, a statement a line.
pub fn print(body: &MethodBody) -> String {
    let mut printer = TreePrinter {
        variables: &body.variables,
        text: String::new(),
        indent: 0,
    };
    printer.locals();
    printer.statements(&body.statements);
    printer.text
}

struct TreePrinter<'a> {
    variables: &'a [BodyVariable],
    text: String,
    indent: usize,
}

/// How tightly the parts of an expression bind, from `?:` to what needs no parentheses.
const CONDITIONAL: u8 = 1;
const OR: u8 = 2;
const AND: u8 = 3;
const BITS: u8 = 4;
const RELATION: u8 = 5;
const SUM: u8 = 6;
const PRODUCT: u8 = 7;
const UNARY: u8 = 8;
const ATOM: u8 = 9;

impl TreePrinter<'_> {
    fn line(&mut self, line: &str) {
        let blanks = "  ".repeat(self.indent);
        // Writing to a string does not fail.
        let _ = writeln!(self.text, "{blanks}{line}");
    }

    fn locals(&mut self) {
        for variable in self.variables {
            if matches!(variable.role, Role::Local | Role::Temporary) {
                self.line(&format!("{} {};", short(&variable.ty), variable.name));
            }
        }
    }

    fn block(&mut self, head: &str, statements: &[JavaStatement]) {
        self.line(head);
        self.indent += 1;
        self.statements(statements);
        self.indent -= 1;
    }

    fn statements(&mut self, statements: &[JavaStatement]) {
        for statement in statements {
            self.statement(statement);
        }
    }

    fn statement(&mut self, statement: &JavaStatement) {
        match statement {
            JavaStatement::Step(step) => {
                let line = self.step(step);
                self.line(&line);
            }
            JavaStatement::If {
                condition,
                then,
                otherwise,
                ..
            } => {
                self.condition("if", condition, then, otherwise);
            }
            JavaStatement::Switch {
                value,
                cases,
                default,
                ..
            } => {
                self.switch(value, cases, default);
            }
            JavaStatement::Loop {
                label,
                condition,
                body,
            } => {
                let condition = condition.as_ref().map(|(_, condition)| self.top(condition));
                let condition = condition.unwrap_or_else(|| "true".to_owned());
                let head = format!("{}while ({condition}) {{", self.label(*label, body));
                self.block(&head, body);
                self.line("}");
            }
            JavaStatement::Labelled { label, body } => {
                self.block(&format!("{}{{", self.label(*label, body)), body);
                self.line("}");
            }
            JavaStatement::Break(label) => self.line(&format!("break {};", name_of(*label))),
            JavaStatement::Continue(label) => self.line(&format!("continue {};", name_of(*label))),
            JavaStatement::Return(_, None) => self.line("return;"),
            JavaStatement::Return(_, Some(value)) => {
                self.line(&format!("return {};", self.top(value)));
            }
            JavaStatement::Throw(_, value) => self.line(&format!("throw {};", self.top(value))),
            JavaStatement::Try { body, catches } => self.guarded(body, catches),
        }
    }

    /// A label, where something in the body speaks of it.
    fn label(&self, label: JumpLabel, body: &[JavaStatement]) -> String {
        let mut used = false;
        for statement in body {
            statement.visit(&mut |part| {
                used |= matches!(part, JavaStatement::Break(l) | JavaStatement::Continue(l) if *l == label);
            });
        }
        if used {
            format!("{}: ", name_of(label))
        } else {
            String::new()
        }
    }

    fn condition(
        &mut self,
        word: &str,
        condition: &JavaExpr,
        then: &[JavaStatement],
        rest: &[JavaStatement],
    ) {
        let head = format!("{word} ({}) {{", self.top(condition));
        self.block(&head, then);
        match rest {
            [] => self.line("}"),
            [
                JavaStatement::If {
                    condition,
                    then,
                    otherwise,
                    ..
                },
            ] => {
                self.condition("} else if", condition, then, otherwise);
            }
            rest => {
                self.block("} else {", rest);
                self.line("}");
            }
        }
    }

    fn switch(
        &mut self,
        value: &JavaExpr,
        cases: &[(Vec<i32>, Vec<JavaStatement>)],
        rest: &[JavaStatement],
    ) {
        self.line(&format!("switch ({}) {{", self.top(value)));
        for (values, body) in cases {
            let values: Vec<String> = values.iter().map(i32::to_string).collect();
            self.block(&format!("case {} -> {{", values.join(", ")), body);
            self.line("}");
        }
        self.block("default -> {", rest);
        self.line("}");
        self.line("}");
    }

    fn guarded(&mut self, body: &[JavaStatement], catches: &[JavaCatch]) {
        self.block("try {", body);
        for catch in catches {
            let classes: Vec<&str> = catch.classes.iter().map(ClassName::simple).collect();
            let classes = if classes.is_empty() {
                "*".to_owned()
            } else {
                classes.join(" | ")
            };
            let head = format!("}} catch ({classes} {}) {{", self.name(catch.variable));
            self.block(&head, &catch.body);
        }
        self.line("}");
    }

    fn step(&self, step: &JavaStep) -> String {
        match &step.kind {
            StepKind::Assign(variable, value) => {
                format!("{} = {};", self.name(*variable), self.top(value))
            }
            StepKind::SetField(object, field, value) => {
                let object = self.expression(object, ATOM);
                format!("{object}.{} = {};", field.name, self.top(value))
            }
            StepKind::SetStatic(field, value) => {
                format!(
                    "{}.{} = {};",
                    field.class.simple(),
                    field.name,
                    self.top(value)
                )
            }
            StepKind::SetElement(array, index, value, _) => {
                let (array, index) = (self.expression(array, ATOM), self.top(index));
                format!("{array}[{index}] = {};", self.top(value))
            }
            StepKind::Call(result, call) => format!("{}{};", self.result(*result), self.call(call)),
            StepKind::New(result, new) => {
                let arguments = self.list(&new.arguments);
                format!(
                    "{} = new {}({arguments});",
                    self.name(*result),
                    new.class.simple()
                )
            }
            StepKind::NewArray(result, ty, lengths) => {
                format!("{} = new {};", self.name(*result), self.array(ty, lengths))
            }
            StepKind::Dynamic(result, call) => {
                format!(
                    "{}{};",
                    self.result(*result),
                    self.site(&call.site, &call.arguments)
                )
            }
            StepKind::Monitor(Monitor::Enter, object) => format!("enter({});", self.top(object)),
            StepKind::Monitor(Monitor::Exit, object) => format!("exit({});", self.top(object)),
            StepKind::Evaluate(value) => format!("{};", self.top(value)),
        }
    }

    fn name(&self, variable: VariableId) -> &str {
        self.variables
            .get(variable.index())
            .map_or("?", |variable| &variable.name)
    }

    fn result(&self, variable: Option<VariableId>) -> String {
        variable.map_or_else(String::new, |variable| {
            format!("{} = ", self.name(variable))
        })
    }

    fn call(&self, call: &Invocation) -> String {
        let arguments = self.list(&call.arguments);
        let method = &call.method;
        let Some(receiver) = &call.receiver else {
            return format!("{}.{}({arguments})", short(&method.owner), method.name);
        };
        let receiver = self.expression(receiver, ATOM);
        // Which of several methods of that name is meant, the class says.
        let exactly = match call.kind {
            InvokeKind::Special => format!("{}::", short(&method.owner)),
            _ => String::new(),
        };
        format!("{receiver}.{exactly}{}({arguments})", method.name)
    }

    fn site(&self, site: &CallSite, arguments: &[JavaExpr]) -> String {
        match site {
            CallSite::Lambda {
                interface, target, ..
            } => {
                let captured = self.list(arguments);
                format!("{}::{target}[{captured}]", short(interface))
            }
            CallSite::Concat(parts) => self.concat(parts, arguments),
            CallSite::Record(name) => format!("record {name}({})", self.list(arguments)),
            CallSite::Switch(_) => format!("case of ({})", self.list(arguments)),
            CallSite::Other {
                bootstrap, name, ..
            } => {
                format!("dynamic {bootstrap} {name}({})", self.list(arguments))
            }
        }
    }

    fn concat(&self, parts: &[StringPart], arguments: &[JavaExpr]) -> String {
        let mut arguments = arguments.iter();
        let parts = parts.iter().map(|part| match part {
            StringPart::Text(text) => format!("{text:?}"),
            StringPart::Constant(value) => constant(value),
            StringPart::Argument => arguments
                .next()
                .map_or_else(String::new, |a| self.expression(a, PRODUCT)),
        });
        parts.collect::<Vec<String>>().join(" + ")
    }

    fn array(&self, ty: &JavaType, lengths: &[JavaExpr]) -> String {
        let mut element = ty;
        let mut brackets = String::new();
        for length in lengths {
            let _ = write!(brackets, "[{}]", self.top(length));
            element = element.element().unwrap_or(element);
        }
        let mut open = String::new();
        while let Some(inner) = element.element() {
            open.push_str("[]");
            element = inner;
        }
        format!("{}{brackets}{open}", short(element))
    }

    fn list(&self, expressions: &[JavaExpr]) -> String {
        let expressions = expressions.iter().map(|part| self.top(part));
        expressions.collect::<Vec<String>>().join(", ")
    }

    fn top(&self, expression: &JavaExpr) -> String {
        self.expression(expression, 0)
    }

    /// An expression that stands beside operators that bind so tightly.
    fn expression(&self, expression: &JavaExpr, around: u8) -> String {
        let (text, own) = self.with_precedence(expression);
        if own < around {
            format!("({text})")
        } else {
            text
        }
    }

    fn with_precedence(&self, expression: &JavaExpr) -> (String, u8) {
        let binary = |symbol: &str, own: u8, a: &JavaExpr, b: &JavaExpr| {
            let (a, b) = (self.expression(a, own), self.expression(b, own + 1));
            (format!("{a} {symbol} {b}"), own)
        };
        let prefix =
            |symbol: &str, a: &JavaExpr| (format!("{symbol}{}", self.expression(a, UNARY)), UNARY);
        match expression {
            JavaExpr::Constant(value) => (constant(value), ATOM),
            JavaExpr::Boolean(value) => (value.to_string(), ATOM),
            JavaExpr::Variable(variable) => (self.name(*variable).to_owned(), ATOM),
            JavaExpr::Field(object, field) => (
                format!("{}.{}", self.expression(object, ATOM), field.name),
                ATOM,
            ),
            JavaExpr::Static(field) => (format!("{}.{}", field.class.simple(), field.name), ATOM),
            JavaExpr::Element(array, index, _) => (
                format!("{}[{}]", self.expression(array, ATOM), self.top(index)),
                ATOM,
            ),
            JavaExpr::Length(array) => (format!("{}.length", self.expression(array, ATOM)), ATOM),
            JavaExpr::Binary(operator, _, a, b) | JavaExpr::Logic(operator, a, b) => {
                let symbol = arithmetic_symbol(*operator);
                let own = match symbol {
                    "+" | "-" => SUM,
                    "*" | "/" | "%" => PRODUCT,
                    _ => BITS,
                };
                // The reader should not have to know how bit operations bind.
                let inner = if own == BITS { UNARY } else { own };
                let a = self.expression(a, inner);
                let b = self.expression(b, if own == BITS { UNARY } else { own + 1 });
                (format!("{a} {symbol} {b}"), own)
            }
            JavaExpr::Relation(relation, _, a, b) => {
                binary(relation_symbol(*relation), RELATION, a, b)
            }
            JavaExpr::And(a, b) => binary("&&", AND, a, b),
            JavaExpr::Or(a, b) => binary("||", OR, a, b),
            JavaExpr::Not(a) => prefix("!", a),
            JavaExpr::Negate(_, a) => prefix("-", a),
            JavaExpr::Convert(_, ty, a) | JavaExpr::Cast(ty, a) => {
                prefix(&format!("({})", short(ty)), a)
            }
            JavaExpr::FromBoolean(a) => (format!("int({})", self.top(a)), ATOM),
            JavaExpr::ToBoolean(a) => (format!("odd({})", self.top(a)), ATOM),
            JavaExpr::InstanceOf(ty, a) => (
                format!("{} instanceof {}", self.expression(a, RELATION), short(ty)),
                RELATION,
            ),
            JavaExpr::Compare(comparison, a, b) => {
                let name = match comparison {
                    Comparison::FloatGreater | Comparison::DoubleGreater => "compareg",
                    _ => "compare",
                };
                (format!("{name}({}, {})", self.top(a), self.top(b)), ATOM)
            }
            JavaExpr::Conditional(condition, a, b) => {
                let condition = self.expression(condition, CONDITIONAL + 1);
                let (a, b) = (
                    self.expression(a, CONDITIONAL),
                    self.expression(b, CONDITIONAL),
                );
                (format!("{condition} ? {a} : {b}"), CONDITIONAL)
            }
        }
    }
}

fn arithmetic_symbol(op: ArithmeticOp) -> &'static str {
    match op {
        ArithmeticOp::Add => "+",
        ArithmeticOp::Subtract => "-",
        ArithmeticOp::Multiply => "*",
        ArithmeticOp::Divide => "/",
        ArithmeticOp::Remainder => "%",
        ArithmeticOp::ShiftLeft => "<<",
        ArithmeticOp::ShiftRight => ">>",
        ArithmeticOp::ShiftRightUnsigned => ">>>",
        ArithmeticOp::And => "&",
        ArithmeticOp::Or => "|",
        ArithmeticOp::Xor => "^",
    }
}

fn relation_symbol(relation: Relation) -> &'static str {
    match relation {
        Relation::Equal => "==",
        Relation::NotEqual => "!=",
        Relation::Less => "<",
        Relation::AtLeast => ">=",
        Relation::Greater => ">",
        Relation::AtMost => "<=",
    }
}

fn name_of(label: JumpLabel) -> String {
    format!("l{}", label.0)
}

/// A type without its package.
fn short(ty: &JavaType) -> String {
    match ty {
        JavaType::Class(name) => name.simple().to_owned(),
        JavaType::Array(element) => format!("{}[]", short(element)),
        primitive => primitive.to_string(),
    }
}

fn constant(constant: &PoolConstant) -> String {
    match constant {
        PoolConstant::Null => "null".to_owned(),
        PoolConstant::Int(value) => value.to_string(),
        PoolConstant::Long(value) => format!("{value}L"),
        PoolConstant::Float(value) => format!("{value:?}f"),
        PoolConstant::Double(value) => format!("{value:?}"),
        PoolConstant::String(text) => format!("{:?}", text.shown()),
        PoolConstant::Class(ty) => format!("{}.class", short(ty)),
        PoolConstant::MethodType(signature) => format!("type {signature}"),
        PoolConstant::MethodHandle(handle) => format!("::{handle}"),
        PoolConstant::Dynamic(dynamic) => format!("dynamic {}", dynamic.name),
    }
}
