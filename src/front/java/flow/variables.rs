//! Local variables of the machine into variables: one for each live range, named as in the source where that is known.
//!
//! Compilers use a local variable again where the one before is no longer needed. Definitions that one and the same use
//! can see belong together (a *web*); so do those of which the class file says that they are of one variable of the
//! source. All definitions of a web are in the same local variable, so that putting too many together would never be
//! wrong, only harder to read.

use std::collections::HashMap;

use super::blocks::Blocks;
use super::error::Refused;
use super::frames::{Frame, VerificationType};
use super::graph::BlockId;
use crate::front::java::classfile::{Code, Instruction, LocalSlot, LocalVariable, Method};
use crate::front::java::tree::{BodyVariable, Role, VariableId, of_kind};
use crate::front::java::types::{ClassName, ComputationalType, JavaType};

/// Local variables in all blocks together; the largest bodies of real programs have a few hundred thousand.
const MOST_BITS: usize = 4_000_000;

/// The variables of a body, and which one an instruction means.
pub(super) struct Variables {
    pub variables: Vec<BodyVariable>,
    /// `this`, if there is one, and the parameters.
    pub parameters: Vec<VariableId>,
    /// The variables of which the class file says no type.
    pub open: Vec<VariableId>,
    /// The variable of an instruction that reads or writes a local variable, by its number in the code.
    of: HashMap<usize, VariableId>,
}

impl Variables {
    /// The variable that an instruction reads or writes.
    pub(super) fn of(&self, instruction: usize) -> Option<VariableId> {
        self.of.get(&instruction).copied()
    }
}

/// What an instruction does to a local variable.
#[derive(Clone, Copy, Debug)]
struct Use {
    slot: LocalSlot,
    kind: ComputationalType,
    reads: bool,
    writes: bool,
}

fn use_of(instruction: &Instruction) -> Option<Use> {
    let (slot, kind, reads, writes) = match instruction {
        Instruction::Load(kind, slot) => (*slot, *kind, true, false),
        Instruction::Store(kind, slot) => (*slot, *kind, false, true),
        Instruction::Increment(slot, _) => (*slot, ComputationalType::Int, true, true),
        _ => return None,
    };
    Some(Use {
        slot,
        kind,
        reads,
        writes,
    })
}

/// Finds the variables of a method's body.
pub(super) fn variables(
    code: &Code,
    blocks: &Blocks,
    frames: &[Frame],
    method: &Method,
    class: &ClassName,
) -> Result<Variables, Refused> {
    let live = Live::of(code, blocks)?;
    let mut webs = Webs {
        code,
        live: &live,
        parents: Vec::new(),
        entries: HashMap::new(),
        named: HashMap::new(),
        of: HashMap::new(),
        defined: Vec::new(),
    };
    let parameters = webs.parameters(method);
    for (number, block) in blocks.blocks.iter().enumerate() {
        webs.block(
            BlockId(u32::try_from(number).unwrap_or(u32::MAX)),
            block,
            frames,
            &parameters,
        );
    }
    Ok(webs.finish(method, class, &parameters))
}

/// The local variables that are live at the beginning of blocks: that may still be read. What a handler reads is live
/// in all that it guards.
struct Live {
    words: usize,
    bits: Vec<u64>,
    slots: Vec<Vec<LocalSlot>>,
}

impl Live {
    fn of(code: &Code, blocks: &Blocks) -> Result<Live, Refused> {
        let words = usize::from(code.max_locals).div_ceil(64).max(1);
        let count = blocks.blocks.len();
        if words.saturating_mul(64).saturating_mul(count) > MOST_BITS {
            let message = format!("{} variables in {count} blocks", code.max_locals);
            return Err(Refused::TooLarge(message));
        }
        let mut before: Vec<Vec<usize>> = vec![Vec::new(); count];
        for (number, block) in blocks.blocks.iter().enumerate() {
            let handlers = block.handlers.iter().map(|(_, target)| target);
            for next in block.successors.iter().chain(handlers) {
                before[next.index()].push(number);
            }
        }
        let (bits, slots) = (vec![0; words * count], Vec::new());
        let mut live = Live { words, bits, slots };
        let mut waiting = vec![true; count];
        let mut work: Vec<usize> = (0..count).collect();
        while let Some(number) = work.pop() {
            waiting[number] = false;
            if live.update(code, blocks, number) {
                let again = before[number].iter().copied();
                work.extend(again.filter(|before| !std::mem::replace(&mut waiting[*before], true)));
            }
        }
        live.slots = (0..count).map(|number| live.collect(number)).collect();
        Ok(live)
    }

    fn at(&self, block: usize) -> &[u64] {
        &self.bits[block * self.words..(block + 1) * self.words]
    }

    fn update(&mut self, code: &Code, blocks: &Blocks, number: usize) -> bool {
        let block = &blocks.blocks[number];
        let mut now = vec![0; self.words];
        for next in &block.successors {
            union(&mut now, self.at(next.index()));
        }
        let instructions = code
            .instructions
            .get(block.range.clone())
            .unwrap_or_default();
        for (_, instruction) in instructions.iter().rev() {
            let Some(found) = use_of(instruction) else {
                continue;
            };
            let slot = usize::from(found.slot.0);
            let Some(word) = now.get_mut(slot / 64) else {
                continue;
            };
            if found.reads {
                *word |= 1 << (slot % 64);
            } else {
                *word &= !(1 << (slot % 64));
            }
        }
        for (_, handler) in &block.handlers {
            union(&mut now, self.at(handler.index()));
        }
        let own = &mut self.bits[number * self.words..(number + 1) * self.words];
        let changed = own != now;
        own.copy_from_slice(&now);
        changed
    }

    fn collect(&self, block: usize) -> Vec<LocalSlot> {
        let words = self.at(block).iter().enumerate();
        let slots = words.flat_map(|(number, word)| {
            let bits = (0..64).filter(move |bit| word >> bit & 1 == 1);
            bits.map(move |bit| number * 64 + bit)
        });
        slots
            .filter_map(|slot| u16::try_from(slot).ok().map(LocalSlot))
            .collect()
    }

    /// The local variables that are live at the beginning of a block, in order.
    fn slots(&self, block: BlockId) -> &[LocalSlot] {
        &self.slots[block.index()]
    }
}

fn union(own: &mut [u64], other: &[u64]) {
    for (own, other) in own.iter_mut().zip(other) {
        *own |= other;
    }
}

/// A definition: an assignment, a parameter, or what several ways bring to the beginning of a block.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Definition(usize);

struct Webs<'a> {
    code: &'a Code,
    live: &'a Live,
    /// Union and find: a definition that stands for this one, or itself.
    parents: Vec<usize>,
    /// What comes to a block in a local variable that is live there.
    entries: HashMap<(BlockId, LocalSlot), Definition>,
    /// What belongs to an entry of the table of names.
    named: HashMap<(usize, ComputationalType), Definition>,
    of: HashMap<usize, Definition>,
    /// The definitions that are assignments, with their kinds.
    defined: Vec<(Definition, ComputationalType)>,
}

impl Webs<'_> {
    fn new_definition(&mut self) -> Definition {
        let number = self.parents.len();
        self.parents.push(number);
        Definition(number)
    }

    fn find(&mut self, definition: Definition) -> usize {
        let mut root = definition.0;
        while self.parents[root] != root {
            // Halving the path keeps it short.
            self.parents[root] = self.parents[self.parents[root]];
            root = self.parents[root];
        }
        root
    }

    fn union(&mut self, a: Definition, b: Definition) {
        let (a, b) = (self.find(a), self.find(b));
        // The older one stands for both, so that parameters and what comes first keep their places.
        self.parents[a.max(b)] = a.min(b);
    }

    fn at_entry(&mut self, block: BlockId, slot: LocalSlot) -> Definition {
        if let Some(found) = self.entries.get(&(block, slot)) {
            return *found;
        }
        let made = self.new_definition();
        self.entries.insert((block, slot), made);
        made
    }

    /// `this` and the parameters with their local variables.
    fn parameters(&mut self, method: &Method) -> Vec<(Definition, LocalSlot, JavaType)> {
        let mut slot = 0;
        let mut found = Vec::new();
        let this = (!method.access.is_static()).then(JavaType::object);
        for ty in this.iter().chain(&method.signature.parameters) {
            let definition = self.new_definition();
            self.defined.push((definition, ty.kind()));
            self.name(0, LocalSlot(slot), ty.kind(), definition);
            found.push((definition, LocalSlot(slot), ty.clone()));
            slot = slot.saturating_add(ty.kind().width());
        }
        found
    }

    fn block(
        &mut self,
        id: BlockId,
        block: &super::blocks::RawBlock,
        frames: &[Frame],
        parameters: &[(Definition, LocalSlot, JavaType)],
    ) {
        let mut current: HashMap<LocalSlot, Definition> = HashMap::new();
        let live = self.live;
        for slot in live.slots(id) {
            let definition = self.at_entry(id, *slot);
            current.insert(*slot, definition);
        }
        if id == BlockId::ENTRY {
            // They come from outside, and in a loop also from inside.
            for (definition, slot, ty) in parameters {
                if let Some(entry) = current.get(slot).copied() {
                    let frame = &frames[0];
                    let same = frame
                        .locals
                        .get(usize::from(slot.0))
                        .and_then(VerificationType::kind);
                    if same == Some(ty.kind()) {
                        self.union(*definition, entry);
                    }
                }
                current.entry(*slot).or_insert(*definition);
            }
        }
        for (_, handler) in &block.handlers {
            self.flow(*handler, &current);
        }
        self.instructions(block, &mut current);
        for next in &block.successors {
            self.flow(*next, &current);
        }
    }

    fn instructions(
        &mut self,
        block: &super::blocks::RawBlock,
        current: &mut HashMap<LocalSlot, Definition>,
    ) {
        for number in block.range.clone() {
            let Some((pc, instruction)) = self.code.instructions.get(number) else {
                continue;
            };
            let Some(found) = use_of(instruction) else {
                continue;
            };
            let before = current.get(&found.slot).copied();
            let definition = match before {
                Some(definition) if !found.writes => definition,
                _ => self.new_definition(),
            };
            if found.reads
                && let Some(before) = before
            {
                self.union(before, definition);
            }
            if found.writes {
                self.defined.push((definition, found.kind));
            }
            self.of.insert(number, definition);
            let at = if found.writes {
                self.behind(number)
            } else {
                usize::from(pc.0)
            };
            self.name(at, found.slot, found.kind, definition);
            current.insert(found.slot, definition);
            if found.writes {
                for (_, handler) in &block.handlers {
                    if self.live.slots(*handler).binary_search(&found.slot).is_ok() {
                        let entry = self.at_entry(*handler, found.slot);
                        self.union(entry, definition);
                    }
                }
            }
        }
    }

    /// What belongs to one variable of the source belongs together.
    fn name(
        &mut self,
        at: usize,
        slot: LocalSlot,
        kind: ComputationalType,
        definition: Definition,
    ) {
        let mut entries = self.code.variables.iter().enumerate();
        let entry = entries.find(|(_, entry)| entry.lives(slot, at) && entry.ty.kind() == kind);
        let Some((entry, _)) = entry else { return };
        match self.named.get(&(entry, kind)).copied() {
            Some(other) => self.union(other, definition),
            None => {
                self.named.insert((entry, kind), definition);
            }
        }
    }

    /// The place behind an instruction, where the scope of what it assigns begins.
    fn behind(&self, number: usize) -> usize {
        let next = self.code.instructions.get(number + 1);
        next.map_or(self.code.end, |(pc, _)| usize::from(pc.0))
    }

    fn flow(&mut self, to: BlockId, current: &HashMap<LocalSlot, Definition>) {
        let live = self.live;
        for slot in live.slots(to) {
            if let Some(definition) = current.get(slot) {
                let entry = self.at_entry(to, *slot);
                self.union(entry, *definition);
            }
        }
    }

    /// Makes a variable of each web.
    fn finish(
        mut self,
        method: &Method,
        class: &ClassName,
        parameters: &[(Definition, LocalSlot, JavaType)],
    ) -> Variables {
        let mut made = Naming::default();
        let assigned = self.assignments();
        let mut ids: HashMap<usize, VariableId> = HashMap::new();
        let mut parameter_ids = Vec::new();
        let has_this = !method.access.is_static();
        for (number, (definition, slot, ty)) in parameters.iter().enumerate() {
            let root = self.find(*definition);
            let is_this = has_this && number == 0 && assigned.get(&root) == Some(&1);
            let position = number.saturating_sub(usize::from(has_this));
            let position = u16::try_from(position).unwrap_or(u16::MAX);
            let role = if is_this {
                Role::This
            } else {
                Role::Parameter(position)
            };
            let ty = if has_this && number == 0 {
                JavaType::Class(class.clone())
            } else {
                ty.clone()
            };
            let name = match role {
                Role::This => Some("this".to_owned()),
                _ => parameter_name(self.code, method, *slot, usize::from(position)),
            };
            let id = made.add(name, format!("arg{position}"), ty, role);
            parameter_ids.push(id);
            ids.insert(root, id);
        }
        let names = self.names();
        let mut uses: Vec<(usize, Definition)> = self.of.iter().map(|(n, d)| (*n, *d)).collect();
        uses.sort_unstable_by_key(|(number, _)| *number);
        let mut of = HashMap::new();
        let mut open = Vec::new();
        for (number, definition) in uses {
            let root = self.find(definition);
            let id = *ids.entry(root).or_insert_with(|| {
                let instruction = self.code.instructions.get(number);
                let used = instruction.and_then(|(_, instruction)| use_of(instruction));
                let kind = used.map_or(ComputationalType::Int, |used| used.kind);
                let slot = used.map_or(0, |used| used.slot.0);
                let entry = names.get(&root);
                let ty = entry.map_or_else(|| of_kind(kind), |entry| entry.ty.clone());
                let name = entry.map(|entry| entry.name.to_string());
                let id = made.add(name, format!("v{slot}"), ty, Role::Local);
                if entry.is_none() {
                    open.push(id);
                }
                id
            });
            of.insert(number, id);
        }
        Variables {
            variables: made.variables,
            parameters: parameter_ids,
            open,
            of,
        }
    }

    /// How many assignments there are to each web.
    fn assignments(&mut self) -> HashMap<usize, usize> {
        let mut found: HashMap<usize, usize> = HashMap::new();
        for (definition, _) in std::mem::take(&mut self.defined) {
            *found.entry(self.find(definition)).or_default() += 1;
        }
        found
    }

    /// The entry of the table of names that a web has, the first one where it has several.
    fn names(&mut self) -> HashMap<usize, LocalVariable> {
        let mut entries: Vec<(usize, Definition)> = self
            .named
            .iter()
            .map(|((entry, _), definition)| (*entry, *definition))
            .collect();
        entries.sort_unstable_by_key(|(entry, _)| *entry);
        let mut found = HashMap::new();
        for (entry, definition) in entries {
            let root = self.find(definition);
            if let Some(entry) = self.code.variables.get(entry) {
                found.entry(root).or_insert_with(|| entry.clone());
            }
        }
        found
    }
}

/// The name that the class file gives a parameter.
fn parameter_name(
    code: &Code,
    method: &Method,
    slot: LocalSlot,
    position: usize,
) -> Option<String> {
    let entry = code.variables.iter().find(|entry| entry.lives(slot, 0));
    let declared = method.parameters.get(position).filter(|_| {
        // The compiler's own parameters may be among them; then positions say nothing.
        method.parameters.len() == method.signature.parameters.len()
    });
    let declared = declared.and_then(|parameter| parameter.name.as_ref());
    entry
        .map(|entry| &entry.name)
        .or(declared)
        .map(ToString::to_string)
}

/// Variables while they get their names.
#[derive(Default)]
struct Naming {
    variables: Vec<BodyVariable>,
    taken: HashMap<String, usize>,
}

impl Naming {
    fn add(
        &mut self,
        name: Option<String>,
        else_name: String,
        ty: JavaType,
        role: Role,
    ) -> VariableId {
        let wanted = name.filter(|name| !name.is_empty()).unwrap_or(else_name);
        let name = self.unique(wanted);
        let id = VariableId(u32::try_from(self.variables.len()).unwrap_or(u32::MAX));
        self.variables.push(BodyVariable { name, ty, role });
        id
    }

    /// The name, or the name with a number behind it that no other variable has.
    fn unique(&mut self, wanted: String) -> String {
        let mut count = self.taken.get(&wanted).copied().unwrap_or(0);
        let mut name = wanted.clone();
        while count > 0 && self.taken.contains_key(&name) {
            count += 1;
            name = format!("{wanted}_{count}");
        }
        self.taken.insert(wanted, count.max(1));
        self.taken.entry(name.clone()).or_insert(1);
        name
    }
}
