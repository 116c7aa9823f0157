//! Lines wrapped to a width, with colours where they are wanted.

use unicode_width::UnicodeWidthStr;

/// What a piece of text is, for its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::view) enum Style {
    Plain,
    Title,
    Heading,
    Faint,
    Warning,
    Added,
    Removed,
}

impl Style {
    /// The terminal's code for it.
    const fn code(self) -> &'static str {
        match self {
            Style::Plain => "",
            Style::Title => "1;36",
            Style::Heading => "1",
            Style::Faint => "2",
            Style::Warning => "33",
            Style::Added => "32",
            Style::Removed => "31",
        }
    }
}

/// The columns a text takes.
pub(in crate::view) fn columns(text: &str) -> usize {
    text.width()
}

/// A text under way.
pub(in crate::view) struct TextPage {
    text: String,
    width: usize,
    colour: bool,
}

/// The narrowest page worth wrapping to.
const NARROWEST: usize = 40;

impl TextPage {
    pub(in crate::view) fn new(width: usize, colour: bool) -> TextPage {
        TextPage {
            text: String::new(),
            width: width.max(NARROWEST),
            colour,
        }
    }

    pub(in crate::view) fn width(&self) -> usize {
        self.width
    }

    pub(in crate::view) fn finish(self) -> String {
        self.text
    }

    pub(in crate::view) fn blank(&mut self) {
        self.text.push('\n');
    }

    /// A line of pieces, as they are.
    pub(in crate::view) fn line(&mut self, pieces: &[(Style, &str)]) {
        for (style, text) in pieces {
            self.paint(*style, text);
        }
        self.text.push('\n');
    }

    /// Adds to the end of the last line.
    pub(in crate::view) fn append(&mut self, text: &str) {
        if self.text.ends_with('\n') {
            self.text.pop();
        }
        self.text.push_str(text);
        self.text.push('\n');
    }

    /// A line that begins with `head` and `open`, then items with a separator between. What does not fit goes into
    /// further lines, below the first item.
    pub(in crate::view) fn items(
        &mut self,
        head: &[(Style, String)],
        open: &str,
        items: &[(Style, String)],
        separator: &str,
    ) {
        for (style, text) in head {
            self.paint(*style, text);
            self.text.push(' ');
        }
        self.text.push_str(open);
        let start: usize = head
            .iter()
            .map(|(_, text)| columns(text) + 1)
            .sum::<usize>()
            + columns(open);
        // A long head leaves no room beside it: then the rest goes below it.
        let indent = if start > self.width * 2 / 3 { 4 } else { start };
        let mut column = start;
        for (i, (style, text)) in items.iter().enumerate() {
            let last = i + 1 == items.len();
            let wide = columns(text) + if last { 1 } else { columns(separator) };
            if i > 0 && column + 1 + wide <= self.width {
                self.text.push(' ');
                column += 1;
            } else if i > 0 || column + wide > self.width && column > indent {
                self.text.push('\n');
                self.text.push_str(&" ".repeat(indent));
                column = indent;
            }
            self.paint(*style, text);
            if !last {
                self.text.push_str(separator);
            }
            column += wide;
        }
        self.text.push('\n');
    }

    /// Texts below a heading, behind a blank line; nothing where there are none.
    pub(in crate::view) fn section(&mut self, heading: &str, texts: &[String]) {
        if texts.is_empty() {
            return;
        }
        self.blank();
        self.line(&[(Style::Heading, heading)]);
        for text in texts {
            self.words(&[(Style::Plain, " ".to_owned())], text);
        }
    }

    /// A head, then a text wrapped between its words.
    pub(in crate::view) fn words(&mut self, head: &[(Style, String)], text: &str) {
        let words: Vec<(Style, String)> = text
            .split(' ')
            .map(|word| (Style::Plain, word.to_owned()))
            .collect();
        self.items(head, "", &words, "");
    }

    fn paint(&mut self, style: Style, text: &str) {
        if self.colour && !style.code().is_empty() {
            self.text
                .push_str(&format!("\u{1b}[{}m{text}\u{1b}[0m", style.code()));
        } else {
            self.text.push_str(text);
        }
    }
}
