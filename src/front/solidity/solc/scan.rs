//! What a source text says before it is compiled: which versions it takes, and what it imports.

/// Pragmas and imports of a text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(in crate::front::solidity) struct Scanned {
    /// What stands behind each `pragma solidity`, with the byte range of the pragma.
    pub pragmas: Vec<(String, std::ops::Range<usize>)>,
    /// The path of each import, with the byte range of the path, quotes included.
    pub imports: Vec<(String, std::ops::Range<usize>)>,
}

/// Finds pragmas and imports. A text that is not Solidity gives something; the compiler then says what is wrong with it.
pub(in crate::front::solidity) fn scan(text: &str) -> Scanned {
    let mut scanner = Scanner { text, at: 0 };
    let mut scanned = Scanned::default();
    let mut depth = 0_usize;
    while let Some(token) = scanner.token() {
        match token {
            ScanToken::Symbol('{') => depth += 1,
            ScanToken::Symbol('}') => depth = depth.saturating_sub(1),
            ScanToken::Word("pragma") if depth == 0 => {
                let start = scanner.at - "pragma".len();
                if scanner.token() == Some(ScanToken::Word("solidity")) {
                    let requirement = scanner.up_to_semicolon();
                    scanned.pragmas.push((requirement, start..scanner.at));
                }
            }
            ScanToken::Word("import") if depth == 0 => scanned.imports.extend(scanner.import()),
            _ => {}
        }
    }
    scanned
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ScanToken<'a> {
    Word(&'a str),
    /// A string, without its quotes.
    Text(&'a str),
    Symbol(char),
}

struct Scanner<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Scanner<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The next token; blanks and comments are none.
    fn token(&mut self) -> Option<ScanToken<'a>> {
        self.pass_blanks();
        let rest = self.rest();
        let first = rest.chars().next()?;
        if first == '"' || first == '\'' {
            return Some(ScanToken::Text(self.string(first)));
        }
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$'));
        match end.unwrap_or(rest.len()) {
            0 => {
                self.at += first.len_utf8();
                Some(ScanToken::Symbol(first))
            }
            length => {
                self.at += length;
                Some(ScanToken::Word(rest.get(..length).unwrap_or_default()))
            }
        }
    }

    fn pass_blanks(&mut self) {
        loop {
            let rest = self.rest();
            let blanks = rest.len() - rest.trim_start().len();
            let rest = rest.trim_start();
            let comment = if rest.starts_with("//") {
                rest.find('\n').unwrap_or(rest.len())
            } else if rest.starts_with("/*") {
                rest.find("*/").map_or(rest.len(), |end| end + 2)
            } else {
                0
            };
            self.at += blanks + comment;
            if comment == 0 {
                return;
            }
        }
    }

    /// A string from its opening quote on. One that is not closed ends with its line.
    fn string(&mut self, quote: char) -> &'a str {
        self.at += quote.len_utf8();
        let rest = self.rest();
        let mut escaped = false;
        let ends = |c: char| {
            let ends = !escaped && (c == quote || c == '\n');
            escaped = !escaped && c == '\\';
            ends
        };
        let length = rest.find(ends).unwrap_or(rest.len());
        self.at = (self.at + length + 1).min(self.text.len());
        rest.get(..length).unwrap_or_default()
    }

    /// What is left of a pragma, without comments.
    fn up_to_semicolon(&mut self) -> String {
        let mut requirement = String::new();
        loop {
            self.pass_blanks();
            let rest = self.rest();
            let end = rest.find(|c: char| c == ';' || c == '/' || c.is_whitespace());
            let (word, after) = rest.split_at(end.unwrap_or(rest.len()));
            requirement.push_str(word);
            self.at += word.len();
            if after.is_empty() || after.starts_with(';') {
                return requirement.trim_end().to_owned();
            }
            if after.starts_with('/') && !after.starts_with("//") && !after.starts_with("/*") {
                self.at += 1;
            }
            requirement.push(' ');
        }
    }

    /// `import "p"`, `import "p" as x`, `import * as x from "p"`, `import { a, b as c } from "p"`.
    fn import(&mut self) -> Option<(String, std::ops::Range<usize>)> {
        while let Some(token) = self.token() {
            match token {
                ScanToken::Text(path) => {
                    let end = self.at;
                    let start = end.saturating_sub(path.len() + 2);
                    return Some((path.to_owned(), start..end));
                }
                ScanToken::Symbol(';') => return None,
                _ => {}
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> (Vec<String>, Vec<String>) {
        let scanned = scan(text);
        let only = |list: Vec<(String, _)>| list.into_iter().map(|(word, _)| word).collect();
        (only(scanned.pragmas), only(scanned.imports))
    }

    #[test]
    fn pragmas_and_imports_are_found() {
        let text = r#"// pragma solidity 0.1.0; import "no";
            /* import "no"; */ pragma solidity >=0.4.22 /* or */ <0.9.0;
            pragma abicoder v2;
            import "a.sol"; import './b.sol' as b;
            import * as c from "../c.sol"; import {X, Y as Z} from "@d/d.sol";
            contract C { string import_ = "import \"no\";"; function f() { import("no"); } }
            import "e.sol""#;
        let (pragmas, imports) = words(text);
        assert_eq!(pragmas, [">=0.4.22 <0.9.0"]);
        assert_eq!(
            imports,
            ["a.sol", "./b.sol", "../c.sol", "@d/d.sol", "e.sol"]
        );
        let scanned = scan(text);
        let at = |range: &std::ops::Range<usize>| &text[range.clone()];
        assert_eq!(at(&scanned.imports[1].1), "'./b.sol'");
        assert!(at(&scanned.pragmas[0].1).starts_with("pragma solidity >=0.4.22"));
    }

    #[test]
    fn any_text_can_be_scanned() {
        for text in [
            "",
            "pragma",
            "pragma solidity",
            "pragma solidity ^0.8.0 / 3",
            "import",
            "import \"",
            "import \"a\\",
            "/*",
            "'",
            "é import 'é'",
            "}}}} import 'x';",
        ] {
            scan(text);
        }
        assert_eq!(words("é import 'é'").1, ["é"]);
        assert_eq!(words("}} import 'x';").1, ["x"]);
    }
}
