//! `tranquera new`

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::{Path, PathBuf};

use heck::ToUpperCamelCase;

use crate::front::tq::{self, Draft, DraftMethod};
use crate::words::counted;

use super::output::{self, Colour};
use super::{Failure, epa};

#[derive(Debug, clap::Args)]
pub(super) struct NewArguments {
    /// The file to be made, or its name without `.tq`; the class is called after it: `src/gate.tq` is of the class `Gate`
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// What can be called: `open`, `put(x: int)`; and right after which calls, where not always: `read:open,read`, `open:new`
    /// for a new object. Without any, it is asked in the terminal
    #[arg(value_name = "METHOD[:AFTER,…]")]
    methods: Vec<String>,
    /// The name of the class
    #[arg(long, value_name = "NAME")]
    class: Option<String>,
    /// Go on with a page beside the file, which is drawn again on every save; Ctrl-C ends
    #[arg(long)]
    watch: bool,
}

pub(super) fn run(arguments: &NewArguments) -> Result<(), Failure> {
    let file = arguments.file();
    if file.exists() {
        let file = file.display();
        return Err(Failure::BadInput(format!(
            "error: {file} is there already\nhelp: `tranquera epa {file}` shows its EPA"
        )));
    }
    let class = arguments.class(&file)?;
    let draft = Draft::new(&class, arguments.methods()?).map_err(wrong)?;
    let text = draft.text();
    // What is no class is not written: a word for a type in a parameter, two methods for which the same value would stand.
    let name = file.display().to_string();
    let complaint = |wrong| Colour::Auto.complaint(&wrong);
    tq::parse_text(&name, &text).map_err(complaint)?;
    let text = tq::format(&name, &text, tq::LINE_WIDTH).map_err(complaint)?;
    output::write(Some(&file), &text)?;
    let methods = counted(draft.methods().len() as u64, "action");
    let page = file.with_extension("html");
    let told = format!("{}: the class {class}, {methods}\n", file.display());
    output::write(None, &told)?;
    if arguments.watch {
        output::write(None, &format!("{}: its page\n", page.display()))?;
        return epa::watched_page(&file, &page);
    }
    output::complain(&format!(
        "help: `tranquera epa {0} --watch --format html --output {1}` draws a page, again on every save",
        file.display(),
        page.display()
    ));
    Ok(())
}

fn wrong(why: String) -> Failure {
    Failure::BadInput(format!("error: {why}"))
}

impl NewArguments {
    fn file(&self) -> PathBuf {
        match self.file.extension() {
            Some(ending) if ending == "tq" => self.file.clone(),
            _ => {
                let mut name = self.file.clone().into_os_string();
                name.push(".tq");
                name.into()
            }
        }
    }

    fn class(&self, file: &Path) -> Result<String, Failure> {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let name = match &self.class {
            Some(name) => name.clone(),
            None => stem.to_upper_camel_case(),
        };
        if tq::is_name(&name) {
            return Ok(name);
        }
        Err(Failure::BadInput(format!(
            "error: no class can be called `{name}`\nhelp: `--class NAME` says how it is called"
        )))
    }

    fn methods(&self) -> Result<Vec<DraftMethod>, Failure> {
        let read = |text: &String| DraftMethod::read(text).map_err(wrong);
        if !self.methods.is_empty() {
            return self.methods.iter().map(read).collect();
        }
        if !io::stdin().is_terminal() {
            let help =
                "help: name them behind the file: `tranquera new gate lift:new,lower lower:lift`";
            return Err(Failure::BadInput(format!("error: which methods?\n{help}")));
        }
        asked(&mut io::stdin().lock(), &mut io::stderr())
    }
}

/// The methods, from the answers to a question or two.
fn asked(answers: &mut impl BufRead, to: &mut impl Write) -> Result<Vec<DraftMethod>, Failure> {
    let named = ask("What can be called? (open read close)", answers, to)?;
    let mut methods = Vec::new();
    for word in words(&named) {
        let mut method = DraftMethod::read(&word).map_err(wrong)?;
        if method.after.is_empty() {
            let question = format!(
                "Right after which calls can `{}` be made? (`new`: of a new object; nothing: always)",
                method.name
            );
            method.after = tq::draft_names(&ask(&question, answers, to)?);
        }
        methods.push(method);
    }
    Ok(methods)
}

fn ask(question: &str, answers: &mut impl BufRead, to: &mut impl Write) -> Result<String, Failure> {
    let unheard = |error: io::Error| Failure::BadInput(format!("error: no answer: {error}"));
    write!(to, "{question}\n> ")
        .and_then(|()| to.flush())
        .map_err(unheard)?;
    let mut answer = String::new();
    match answers.read_line(&mut answer).map_err(unheard)? {
        0 => Err(Failure::BadInput("error: no answer".to_owned())),
        _ => Ok(answer.trim().to_owned()),
    }
}

/// Methods with blanks or commas between them, where none stand in parentheses or behind a `:`.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let (mut open, mut after) = (0_usize, false);
    for letter in text.chars() {
        match letter {
            '(' => open += 1,
            ')' => open = open.saturating_sub(1),
            ':' if open == 0 => after = true,
            _ => {}
        }
        let ends = open == 0 && (letter.is_whitespace() || letter == ',' && !after);
        if ends {
            after = false;
            words.push(String::new());
        } else if let Some(word) = words.last_mut() {
            word.push(letter);
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answered(answers: &str) -> (Result<Vec<DraftMethod>, Failure>, String) {
        let mut asked_for = Vec::new();
        let methods = asked(&mut answers.as_bytes(), &mut asked_for);
        (methods, String::from_utf8(asked_for).expect("UTF-8"))
    }

    #[test]
    fn a_question_or_two() {
        let (methods, questions) = answered("open, put(x: int, y: int) close:open\nnew close\n\n");
        let text = Draft::new("File", methods.expect("methods")).expect("a class");
        insta::assert_snapshot!(format!("{questions}\n{}", text.text()));
    }

    #[test]
    fn an_answer_that_does_not_come() {
        for answers in ["", "open\n"] {
            let (methods, _) = answered(answers);
            assert!(matches!(methods, Err(Failure::BadInput(_))), "{answers:?}");
        }
    }
}
