//! Indented lines of text.

/// Text that grows line by line.
#[derive(Clone, Debug, Default)]
pub(super) struct TextLines {
    text: String,
    depth: usize,
}

impl TextLines {
    /// Empty text whose lines start `depth` steps in.
    pub(super) fn indented(depth: usize) -> Self {
        TextLines {
            text: String::new(),
            depth,
        }
    }

    /// Adds a line.
    pub(super) fn line(&mut self, line: &str) {
        for _ in 0..self.depth {
            self.text.push_str("  ");
        }
        self.text.push_str(line);
        self.text.push('\n');
    }

    /// The next lines are one step further in.
    pub(super) fn indent(&mut self) {
        self.depth += 1;
    }

    /// The next lines are one step further out.
    pub(super) fn dedent(&mut self) {
        self.depth = self.depth.saturating_sub(1);
    }

    /// The text.
    pub(super) fn finish(self) -> String {
        self.text
    }
}
