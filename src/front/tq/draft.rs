//! The first text of a class of which no more is known than its methods, and which of them come right after which.

use heck::ToUpperCamelCase;

use super::names::is_identifier;

/// What stands for "no call yet" among the calls.
const NEW: &str = "new";

/// A method, as one writes it down: `pop`, `put(x: int)`, `close:open,read`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DraftMethod {
    /// Its name.
    pub name: String,
    /// What stands between the parentheses.
    params: String,
    /// Right after which calls it can be made, `new` for a new object; none where it always can.
    pub after: Vec<String>,
}

impl DraftMethod {
    /// Reads a method.
    ///
    /// # Errors
    /// It is written in another way.
    pub fn read(text: &str) -> Result<DraftMethod, String> {
        let (name, rest) = text.split_at(text.find(['(', ':']).unwrap_or(text.len()));
        let (params, rest) = match rest.strip_prefix('(') {
            None => ("", rest),
            Some(inside) => inside
                .rsplit_once(')')
                .ok_or_else(|| format!("`{text}` has a `(` without a `)`"))?,
        };
        let after = match rest.strip_prefix(':') {
            None if rest.is_empty() => Vec::new(),
            None => return Err(format!("`{rest}` behind the method `{name}`")),
            Some(calls) => names(calls),
        };
        if !is_identifier(name) {
            return Err(format!(
                "`{name}` cannot be the name of a method: it is made of letters, digits and `_`, and no word of the language"
            ));
        }
        Ok(DraftMethod {
            name: name.to_owned(),
            params: params.trim().to_owned(),
            after,
        })
    }
}

/// Names with commas or blanks between them.
pub fn names(text: &str) -> Vec<String> {
    let names = text.split([',', ' ', '\t']).map(str::trim);
    names
        .filter(|name| !name.is_empty())
        .map(str::to_owned)
        .collect()
}

/// A class of which no more is known.
#[derive(Clone, Debug)]
pub struct Draft {
    class: String,
    methods: Vec<DraftMethod>,
}

impl Draft {
    /// A class with these methods.
    ///
    /// # Errors
    /// There are none, or one is there twice, or comes after one that is not there.
    pub fn new(class: &str, methods: Vec<DraftMethod>) -> Result<Draft, String> {
        if methods.is_empty() {
            return Err("a class without methods has no order of calls".to_owned());
        }
        for (index, method) in methods.iter().enumerate() {
            if methods
                .iter()
                .skip(index + 1)
                .any(|m| m.name == method.name)
            {
                return Err(format!("the method `{}` is named twice", method.name));
            }
            let is_known = |name: &String| name == NEW || methods.iter().any(|m| m.name == *name);
            if let Some(unknown) = method.after.iter().find(|name| !is_known(name)) {
                return Err(format!(
                    "`{}` cannot come after `{unknown}`: there is no such method, nor is it `{NEW}`",
                    method.name
                ));
            }
        }
        let class = class.to_owned();
        Ok(Draft { class, methods })
    }

    /// How many methods there are.
    pub fn methods(&self) -> &[DraftMethod] {
        &self.methods
    }

    /// Whether it matters to any method that this one was called last.
    fn is_told_apart(&self, method: &DraftMethod) -> bool {
        let named = |other: &DraftMethod| other.after.contains(&method.name);
        !method.after.is_empty() || self.methods.iter().any(named)
    }

    /// The text, which may need to be formatted.
    pub fn text(&self) -> String {
        let class = &self.class;
        let told_apart = self.methods.iter().filter(|m| self.is_told_apart(m));
        let calls: Vec<String> = told_apart.map(|m| value(&m.name)).collect();
        let about = "`requires` says when a call can be made, the body what it changes";
        if calls.is_empty() {
            let actions = self.methods.iter().map(|method| {
                let DraftMethod { name, params, .. } = method;
                format!("\n  action {name}({params}) {{ }}\n")
            });
            let actions: String = actions.collect();
            return format!(
                "// A first draft, in which each call can always be made: {about}.\n\nclass {class} {{\n  constructor() {{ }}\n{actions}}}\n"
            );
        }
        let actions: String = self.methods.iter().map(|m| self.action(m)).collect();
        let first = value(NEW);
        let calls = calls.join(", ");
        format!(
            "// A first draft, in which all depends on the last call: {about}.\n\nenum LastCall {{ {first}, {calls} }}\n\nclass {class} {{\n  var last: LastCall;\n\n  constructor() {{\n    last := {first};\n  }}\n{actions}}}\n"
        )
    }

    /// A method of a class in which the last call is known.
    fn action(&self, method: &DraftMethod) -> String {
        let DraftMethod {
            name,
            params,
            after,
        } = method;
        let cases: Vec<String> = after
            .iter()
            .map(|call| format!("last == {}", value(call)))
            .collect();
        let sets = match self.is_told_apart(method) {
            true => format!("{{\n    last := {};\n  }}", value(name)),
            false => "{ }".to_owned(),
        };
        match cases.is_empty() {
            true => format!("\n  action {name}({params}) {sets}\n"),
            false => format!(
                "\n  action {name}({params})\n    requires {}\n  {sets}\n",
                cases.join(" || ")
            ),
        }
    }
}

/// The value that stands for a call.
fn value(call: &str) -> String {
    call.to_upper_camel_case()
}
