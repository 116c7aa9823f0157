//! Files, declarations, and the members of classes.

use super::super::ast::{
    ClassSyntax, ContractClause, ExprSyntax, FieldPath, FileSyntax, FunctionSyntax, Ident,
    ItemSyntax, Member, ParamSyntax, RoutineSyntax, SplitSyntax, TypeSyntax,
};
use super::gap::Sep;
use super::{Doc, INDENT, TokenLayout};

impl<'a> TokenLayout<'a> {
    pub(super) fn file(&mut self, file: &FileSyntax) -> Doc<'a> {
        let mut doc = self.nil();
        for item in &file.items {
            doc = doc.append(self.gap(Sep::Row)).append(self.item(item));
        }
        doc.append(self.gap(Sep::LastRow))
    }

    fn item(&mut self, item: &ItemSyntax) -> Doc<'a> {
        match item {
            ItemSyntax::Enum { members, .. } => self.enumeration(members),
            ItemSyntax::Class(class) => self.class(class),
            ItemSyntax::Opaque { values, .. } => {
                let mut line = self.word().append(self.word_after(Sep::Space));
                if !values.is_empty() {
                    line = line.append(self.word_after(Sep::Space));
                }
                for (i, _) in values.iter().enumerate() {
                    if i > 0 {
                        line = line.append(self.word());
                    }
                    line = line.append(self.word_after(Sep::Space));
                }
                line.append(self.word())
            }
            ItemSyntax::Exception { shown, .. } => {
                let word = self.word();
                let mut line = word.append(self.word_after(Sep::Space));
                if shown.is_some() {
                    line = line.append(self.gap(Sep::Space)).append(self.shown());
                }
                line.append(self.word())
            }
        }
    }

    /// An enum on one line, or its values on several: as the author grouped them.
    fn enumeration(&mut self, values: &[Ident]) -> Doc<'a> {
        let head = self.word().append(self.word_after(Sep::Space));
        let head = head.append(self.gap(Sep::Space));
        let broken = !self.on_one_line(self.end_of_block(self.at));
        let open = self.word();
        let mut inside = self.nil();
        for (i, _) in values.iter().enumerate() {
            let sep = match i {
                0 if broken => Sep::FirstRow,
                0 => Sep::Line,
                _ if broken && self.at_line_start() => Sep::Row,
                _ => Sep::Fill,
            };
            inside = inside.append(self.word_after(sep));
            if i + 1 < values.len() {
                inside = inside.append(self.word());
            } else {
                self.omit(",");
            }
        }
        let end = match (values.is_empty(), broken) {
            (true, _) => Sep::Space,
            (false, true) => Sep::LastRow,
            (false, false) => Sep::Line,
        };
        head.append(self.closed(open, inside, end).group())
    }

    /// `open`, what is inside it, further to the right, and the next token, which closes it.
    pub(super) fn closed(&mut self, open: Doc<'a>, inside: Doc<'a>, sep: Sep) -> Doc<'a> {
        let (comments, end) = self.closing_gap(sep);
        let inside = inside.append(comments).nest(INDENT);
        open.append(inside).append(end).append(self.word())
    }

    fn class(&mut self, class: &ClassSyntax) -> Doc<'a> {
        let head = self.word().append(self.word_after(Sep::Space));
        let head = head.append(self.gap(Sep::Space));
        let broken = !self.on_one_line(self.end_of_block(self.at));
        let open = self.word();
        let mut inside = self.nil();
        for (i, member) in class.members.iter().enumerate() {
            let sep = if i == 0 { Sep::FirstRow } else { Sep::Row };
            inside = inside.append(self.gap(sep)).append(self.member(member));
        }
        let rows = broken || !class.members.is_empty();
        let end = if rows { Sep::LastRow } else { Sep::Space };
        head.append(self.closed(open, inside, end))
    }

    fn member(&mut self, member: &Member) -> Doc<'a> {
        match member {
            Member::Const { ty, value, .. } | Member::Var { ty, value, .. } => {
                let word = self.word();
                let declared = self.typed(ty);
                let value = match value {
                    Some(value) => self.value(value),
                    None => self.nil(),
                };
                word.append(declared).append(value).append(self.word())
            }
            Member::Invariant(e) | Member::Fact(e) | Member::Initially(e) => {
                self.word_and(e).append(self.word())
            }
            Member::Routine(routine) => self.routine(routine),
            Member::Function(function) => self.function(function),
            Member::State {
                enabled, assumes, ..
            } => self.state(enabled, assumes),
        }
    }

    /// ` name: T`
    pub(super) fn typed(&mut self, ty: &TypeSyntax) -> Doc<'a> {
        let name = self.word_after(Sep::Space).append(self.word());
        name.append(self.gap(Sep::Space)).append(self.ty(ty))
    }

    /// ` := e`
    pub(super) fn value(&mut self, e: &ExprSyntax) -> Doc<'a> {
        let sign = self.word_after(Sep::Space);
        sign.append(self.gap(Sep::Space)).append(self.expr(e))
    }

    /// A word and an expression.
    pub(super) fn word_and(&mut self, e: &ExprSyntax) -> Doc<'a> {
        let word = self.word();
        word.append(self.gap(Sep::Space)).append(self.expr(e))
    }

    fn state(&mut self, enabled: &[Ident], assumes: &ExprSyntax) -> Doc<'a> {
        let word = self.word().append(self.gap(Sep::Space));
        let open = self.word();
        let sep = if enabled.is_empty() {
            Sep::Space
        } else {
            Sep::Line
        };
        let names = self.listed(enabled.len(), Sep::Line, |layout, _| layout.word());
        let set = self.closed(open, names, sep).group();
        let assumes = self.gap(Sep::Space).append(self.word_and(assumes));
        word.append(set).append(assumes).append(self.word())
    }

    /// So many things with commas between them, `first` before the first; as many on a line as fit.
    pub(super) fn listed(
        &mut self,
        count: usize,
        first: Sep,
        mut one: impl FnMut(&mut Self, usize) -> Doc<'a>,
    ) -> Doc<'a> {
        let mut doc = self.nil();
        for i in 0..count {
            if i > 0 {
                doc = doc.append(self.word());
            }
            doc = doc.append(self.gap(if i == 0 { first } else { Sep::Fill }));
            doc = doc.append(one(self, i));
        }
        doc
    }

    fn function(&mut self, function: &FunctionSyntax) -> Doc<'a> {
        let head = self.word().append(self.word_after(Sep::Space));
        let head = head
            .append(self.params(&function.params))
            .append(self.word());
        let head = head
            .append(self.gap(Sep::Space))
            .append(self.ty(&function.result));
        let head = head.append(self.gap(Sep::Space));
        let broken = !self.on_one_line(self.end_of_block(self.at));
        let open = self.word();
        let (before, behind) = if broken {
            (Sep::FirstRow, Sep::LastRow)
        } else {
            (Sep::Line, Sep::Line)
        };
        let body = self.gap(before).append(self.whole_body(&function.body));
        head.append(self.closed(open, body, behind).group())
    }

    /// A routine is one line, or its clauses and its body stand below its head.
    fn routine(&mut self, routine: &RoutineSyntax) -> Doc<'a> {
        let one_line = self.on_one_line(self.end_of_routine(routine));
        let head = self.routine_head(routine);
        let mut clauses = self.nil();
        for (i, clause) in routine.contract.iter().enumerate() {
            let sep = match i {
                _ if one_line => Sep::Line,
                0 => Sep::FirstRow,
                _ => Sep::Row,
            };
            clauses = clauses.append(self.gap(sep)).append(self.clause(clause));
            self.omit(";");
        }
        let head = head.append(clauses.nest(INDENT));
        let end = if let Some(body) = &routine.body {
            let before = self.gap(if one_line { Sep::Line } else { Sep::LastRow });
            before.append(self.one_line_block(body))
        } else {
            self.end_without_body(routine.contract.is_empty())
        };
        head.append(end).group()
    }

    /// Where the routine ends that starts with the next token.
    fn end_of_routine(&self, routine: &RoutineSyntax) -> usize {
        if routine.body.is_none() {
            return routine.span.end as usize;
        }
        let body = (self.at..self.tokens.len()).find(|i| self.word_at(*i) == "{");
        self.end_of_block(body.unwrap_or(self.at))
    }

    /// From the modifiers to the outcomes.
    fn routine_head(&mut self, routine: &RoutineSyntax) -> Doc<'a> {
        let mut head = self.word();
        while self.token().is_some() && !self.is("(") {
            head = head.append(self.word_after(Sep::Space));
        }
        head = head.append(self.params(&routine.params));
        loop {
            if self.is("returns") {
                let word = self.word_after(Sep::Space).append(self.gap(Sep::Space));
                head = head.append(word).append(self.params(&routine.returns));
            } else if self.is("outcomes") {
                let word = self.word_after(Sep::Space);
                let names = self.listed(routine.outcomes.len(), Sep::Space, |l, _| l.word());
                head = head.append(word).append(names.nest(INDENT));
            } else {
                return head;
            }
        }
    }

    /// Behind a routine without a body there is a `;`, unless the last line is a clause.
    fn end_without_body(&mut self, no_clauses: bool) -> Doc<'a> {
        self.omit(";");
        let semicolon = self.text(";");
        if no_clauses {
            semicolon
        } else {
            self.nil().flat_alt(semicolon)
        }
    }

    fn clause(&mut self, clause: &ContractClause) -> Doc<'a> {
        match clause {
            ContractClause::Requires(e) | ContractClause::Ensures(e) => self.word_and(e),
            ContractClause::Throws(_) => self.word().append(self.word_after(Sep::Space)),
            ContractClause::Modifies(paths) => {
                let word = self.word();
                let path = |layout: &mut Self, i: usize| layout.path(&paths[i]);
                let paths = self.listed(paths.len(), Sep::Space, path);
                word.append(paths.nest(INDENT))
            }
            ContractClause::Enabled(split) => self.split(split),
            ContractClause::Shown(_) => self.shown(),
        }
    }

    /// `shown as "text"`
    fn shown(&mut self) -> Doc<'a> {
        let words = self.word().append(self.word_after(Sep::Space));
        words.append(self.word_after(Sep::Space))
    }

    fn path(&mut self, path: &FieldPath) -> Doc<'a> {
        let first = self.word();
        if path.class.is_none() {
            return first;
        }
        first.append(self.word()).append(self.word())
    }

    /// `enabled when e`, and behind it or below it `with p := f`.
    fn split(&mut self, split: &SplitSyntax) -> Doc<'a> {
        let claim = self.word().append(self.gap(Sep::Space));
        let claim = claim.append(self.word_and(&split.condition));
        if split.with.is_empty() {
            return claim;
        }
        let with = self.word_after(Sep::Line);
        let values = self.listed(split.with.len(), Sep::Space, |layout, i| {
            let name = layout.word();
            name.append(layout.value(&split.with[i].1))
        });
        let with = with.append(values.nest(INDENT));
        claim.append(with.nest(INDENT)).group()
    }

    /// `(x: T, y: U)`
    pub(super) fn params(&mut self, params: &[ParamSyntax]) -> Doc<'a> {
        self.bracketed(params.len(), |layout, i| layout.param(&params[i]))
    }

    pub(super) fn param(&mut self, param: &ParamSyntax) -> Doc<'a> {
        let hidden = match param.hidden {
            true => self.word().append(self.gap(Sep::Space)),
            false => self.nil(),
        };
        let name = hidden.append(self.word()).append(self.word());
        name.append(self.gap(Sep::Space)).append(self.ty(&param.ty))
    }

    pub(super) fn ty(&mut self, ty: &TypeSyntax) -> Doc<'a> {
        match ty {
            TypeSyntax::Name(_) => self.word(),
            TypeSyntax::Within(_) => {
                let int = self.word().append(self.word_after(Sep::Space));
                int.append(self.word_after(Sep::Space))
            }
            TypeSyntax::Nullable(inner) => self.ty(inner).append(self.word()),
            TypeSyntax::Array(element) => {
                let open = self.word().append(self.word());
                open.append(self.ty(element)).append(self.word())
            }
            TypeSyntax::Map(key, value) => self.map_type(key, value),
        }
    }

    /// `map<K, V>`
    pub(super) fn map_type(&mut self, key: &TypeSyntax, value: &TypeSyntax) -> Doc<'a> {
        let open = self.word().append(self.word());
        let key = self.ty(key).append(self.word());
        let value = self.gap(Sep::Space).append(self.ty(value));
        open.append(key).append(value).append(self.word())
    }

    /// `(`, so many things with commas between them, and `)`: on one line; or inside on a line of its own; or each.
    pub(super) fn bracketed(
        &mut self,
        count: usize,
        mut one: impl FnMut(&mut Self, usize) -> Doc<'a>,
    ) -> Doc<'a> {
        let open = self.word();
        if count == 0 {
            return self.closed(open, self.nil(), Sep::None);
        }
        let start = self.gap(Sep::SoftLine);
        let mut inside = self.nil();
        for i in 0..count {
            if i > 0 {
                inside = inside.append(self.gap(Sep::Line));
            }
            inside = inside.append(one(self, i));
            if i + 1 < count {
                inside = inside.append(self.word());
            } else {
                self.omit(",");
            }
        }
        let inside = start.append(inside.group());
        self.closed(open, inside, Sep::SoftLine).group()
    }
}
