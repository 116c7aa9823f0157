//! A machine for one body at a time, to compare what its code does with what its tree does.
//!
//! Everything outside of the body is made up: what a call returns, whether it raises an exception, what a field holds
//! that was not written, which class is a subclass of which. It is made up from a seed and from what happened so far, so
//! that two runs that do the same see the same; and each call changes all of memory, so that two runs that read it in
//! another order do not. What can be told from outside is recorded as events.

pub mod code;
pub mod tree;

use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

use tranquera::front::java::classfile::{ArithmeticOp, Comparison, PoolConstant, Relation};
use tranquera::front::java::types::{ComputationalType, JavaType};

/// A value. References are numbers made from where they come from; 0 is `null`.
#[derive(Clone, Copy, Debug)]
pub enum Value {
    Int(i32),
    Long(i64),
    Float(f32),
    Double(f64),
    Reference(u64),
}

/// Numbers are the same if their bits are.
impl PartialEq for Value {
    fn eq(&self, other: &Value) -> bool {
        self.shown() == other.shown()
    }
}

impl Value {
    pub fn int(self) -> i32 {
        match self {
            Value::Int(value) => value,
            other => panic!("{other:?} is no int"),
        }
    }

    pub fn reference(self) -> u64 {
        match self {
            Value::Reference(value) => value,
            other => panic!("{other:?} is no reference"),
        }
    }

    pub fn shown(self) -> String {
        match self {
            Value::Int(value) => value.to_string(),
            Value::Long(value) => format!("{value}L"),
            Value::Float(value) if value.is_nan() => "NaN".to_owned(),
            Value::Float(value) => format!("{value:?}f"),
            Value::Double(value) if value.is_nan() => "NaN".to_owned(),
            Value::Double(value) => format!("{value:?}"),
            Value::Reference(0) => "null".to_owned(),
            Value::Reference(value) => format!("@{:x}", value & 0xffff_ffff),
        }
    }
}

/// Why a body does not go on.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// An exception.
    Raised(u64),
    /// It ran for too long by its own measure.
    Fuel,
    /// As many events as are looked at.
    Full,
}

pub type Result<T> = std::result::Result<T, Stop>;

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    Returned(Option<String>),
    Raised(String),
    Fuel,
    Full,
}

const MOST_EVENTS: usize = 300;
pub const FUEL: usize = 20_000;

/// What is outside of a body, and what happened.
pub struct Outside {
    seed: u64,
    pub events: Vec<String>,
    types: HashMap<u64, JavaType>,
    lengths: HashMap<u64, i32>,
    /// What was written since the last call.
    memory: HashMap<(u64, String), Value>,
    /// How many calls there were.
    epoch: usize,
}

pub fn hash_of(value: impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    value.hash(&mut hasher);
    hasher.finish() | 1
}

impl Outside {
    pub fn new(seed: u64) -> Outside {
        Outside {
            seed,
            events: Vec::new(),
            types: HashMap::new(),
            lengths: HashMap::new(),
            memory: HashMap::new(),
            epoch: 0,
        }
    }

    fn random(&self, what: impl Hash) -> u64 {
        hash_of((self.seed, what))
    }

    /// Something that can be told from outside.
    pub fn event(&mut self, event: String) -> Result<()> {
        if self.events.len() >= MOST_EVENTS {
            return Err(Stop::Full);
        }
        self.events.push(event);
        Ok(())
    }

    /// A value of a type, made up from where it comes from.
    pub fn made_up(&mut self, ty: &JavaType, from: impl Hash) -> Value {
        let number = self.random(&from);
        let small = i32::try_from((number >> 8) % 9).expect("small") - 3;
        match ty {
            JavaType::Boolean => Value::Int((number >> 8 & 1) as i32),
            JavaType::Int | JavaType::Short | JavaType::Byte if number >> 20 & 7 == 0 => {
                self.narrow(ty, number as i32)
            }
            JavaType::Int | JavaType::Short | JavaType::Byte => Value::Int(small),
            JavaType::Char => Value::Int(small.abs()),
            JavaType::Long => Value::Long(i64::from(small)),
            JavaType::Float => Value::Float(if number >> 20 & 7 == 0 {
                f32::NAN
            } else {
                small as f32
            }),
            JavaType::Double => Value::Double(if number >> 20 & 7 == 0 {
                f64::NAN
            } else {
                f64::from(small)
            }),
            JavaType::Class(_) | JavaType::Array(_) if number >> 30 & 7 == 0 => Value::Reference(0),
            reference => Value::Reference(self.object(reference.clone(), number)),
        }
    }

    /// A number as the machine keeps it in a place of this type.
    pub fn narrow(&self, ty: &JavaType, value: i32) -> Value {
        Value::Int(match ty {
            JavaType::Boolean => value & 1,
            JavaType::Byte => i32::from(value as i8),
            JavaType::Char => i32::from(value as u16),
            JavaType::Short => i32::from(value as i16),
            _ => value,
        })
    }

    fn object(&mut self, ty: JavaType, id: u64) -> u64 {
        self.types.insert(id, ty);
        id
    }

    /// An exception of this class, raised by the machine itself.
    pub fn raise(&mut self, class: &str) -> Stop {
        let id = hash_of((class, self.events.len()));
        Stop::Raised(self.object(JavaType::class(&format!("java/lang/{class}")), id))
    }

    pub fn type_of(&self, object: u64) -> JavaType {
        self.types
            .get(&object)
            .cloned()
            .unwrap_or_else(JavaType::object)
    }

    /// Whether an object is of a type: made up, but the same each time.
    pub fn is_instance(&self, object: u64, ty: &JavaType) -> bool {
        let own = self.type_of(object);
        own == *ty || *ty == JavaType::object() || self.random((own, ty)) >> 7 & 1 == 0
    }

    pub fn length(&self, array: u64) -> i32 {
        let known = self.lengths.get(&array).copied();
        known.unwrap_or_else(|| (self.random(("length", array)) >> 8) as i32 & 3)
    }

    fn read(&mut self, place: (u64, String), ty: &JavaType) -> Value {
        match self.memory.get(&place) {
            Some(value) => *value,
            None => {
                let epoch = self.epoch;
                self.made_up(ty, (place, epoch))
            }
        }
    }

    pub fn field(&mut self, object: u64, field: &str, ty: &JavaType) -> Value {
        // Assertions are not checked unless the machine is told to.
        if field.contains("$assertionsDisabled") {
            return Value::Int(1);
        }
        self.read((object, field.to_owned()), ty)
    }

    pub fn set_field(
        &mut self,
        object: u64,
        field: &str,
        ty: &JavaType,
        value: Value,
    ) -> Result<()> {
        let value = match value {
            Value::Int(value) => self.narrow(ty, value),
            other => other,
        };
        self.event(format!("{object:x}.{field} = {}", value.shown()))?;
        self.memory.insert((object, field.to_owned()), value);
        Ok(())
    }

    /// The element type that an array has, where it is known, else the one that an instruction says.
    fn element_type(&self, array: u64, said: &JavaType) -> JavaType {
        match self.types.get(&array) {
            Some(JavaType::Array(element)) if element.kind() == said.kind() => (**element).clone(),
            _ if said.kind() == ComputationalType::Reference => JavaType::object(),
            _ => said.clone(),
        }
    }

    /// Whether a cast succeeds. What was made up as any object is an array from then on, if it is cast to one.
    pub fn cast(&mut self, object: u64, ty: &JavaType) -> Result<()> {
        if object == 0 || self.is_instance(object, ty) {
            if matches!(
                (self.type_of(object), ty),
                (JavaType::Class(_), JavaType::Array(_))
            ) {
                self.types.insert(object, ty.clone());
            }
            return Ok(());
        }
        Err(self.raise("ClassCastException"))
    }

    fn index(&mut self, array: u64, index: i32) -> Result<String> {
        if array == 0 {
            return Err(self.raise("NullPointerException"));
        }
        if index < 0 || index >= self.length(array) {
            return Err(self.raise("ArrayIndexOutOfBoundsException"));
        }
        Ok(format!("[{index}]"))
    }

    pub fn element(&mut self, array: u64, index: i32, said: &JavaType) -> Result<Value> {
        let place = self.index(array, index)?;
        let ty = self.element_type(array, said);
        Ok(self.read((array, place), &ty))
    }

    pub fn set_element(
        &mut self,
        array: u64,
        index: i32,
        said: &JavaType,
        value: Value,
    ) -> Result<()> {
        let place = self.index(array, index)?;
        let ty = self.element_type(array, said);
        if let Value::Reference(object) = value
            && object != 0
            && !self.is_instance(object, &ty)
        {
            return Err(self.raise("ArrayStoreException"));
        }
        self.set_field(array, &place, &ty, value)
    }

    pub fn new_array(&mut self, ty: &JavaType, lengths: &[i32]) -> Result<u64> {
        if lengths.iter().any(|length| *length < 0) {
            return Err(self.raise("NegativeArraySizeException"));
        }
        self.event(format!("new {ty} {lengths:?}"))?;
        let id = hash_of(("array", self.events.len()));
        self.object(ty.clone(), id);
        self.lengths
            .insert(id, lengths.first().copied().unwrap_or(0).min(1 << 20));
        Ok(id)
    }

    /// A call of something outside: it is recorded, memory is another one, and it may fail.
    pub fn call(
        &mut self,
        what: &str,
        arguments: &[Value],
        result: Option<&JavaType>,
    ) -> Result<Option<Value>> {
        let shown: Vec<String> = arguments.iter().map(|value| value.shown()).collect();
        self.event(format!("{what}({})", shown.join(", ")))?;
        self.epoch = self.events.len();
        self.memory.clear();
        if self.random(("fails", self.epoch)) >> 9 & 7 == 0 {
            let number = self.random(("exception", self.epoch)) >> 8 & 3;
            let class = format!("made/Up{number}");
            let id = hash_of((&class, self.epoch));
            return Err(Stop::Raised(self.object(JavaType::class(&class), id)));
        }
        let epoch = self.epoch;
        Ok(result.map(|ty| self.made_up(ty, ("result", epoch))))
    }

    /// A new object, whose constructor is called.
    pub fn construct(&mut self, class: &JavaType, what: &str, arguments: &[Value]) -> Result<u64> {
        self.call(&format!("new {what}"), arguments, None)?;
        let id = hash_of(("object", self.events.len()));
        Ok(self.object(class.clone(), id))
    }

    pub fn constant(&mut self, constant: &PoolConstant) -> Value {
        match constant {
            PoolConstant::Null => Value::Reference(0),
            PoolConstant::Int(value) => Value::Int(*value),
            PoolConstant::Long(value) => Value::Long(*value),
            PoolConstant::Float(value) => Value::Float(*value),
            PoolConstant::Double(value) => Value::Double(*value),
            PoolConstant::Dynamic(dynamic) => self.made_up(&dynamic.ty, &*dynamic.name),
            other => {
                let ty = other.ty().expect("only null has no type");
                Value::Reference(self.object(ty, hash_of(format!("{other:?}"))))
            }
        }
    }
}

/// Arithmetic, as JVMS 6.5 says it. Nothing where a whole number is divided by 0.
pub fn calculate(operator: ArithmeticOp, a: Value, b: Value) -> Option<Value> {
    Some(match (a, b) {
        (Value::Int(a), Value::Int(b)) => Value::Int(match operator {
            ArithmeticOp::Add => a.wrapping_add(b),
            ArithmeticOp::Subtract => a.wrapping_sub(b),
            ArithmeticOp::Multiply => a.wrapping_mul(b),
            ArithmeticOp::Divide if b == 0 => return None,
            ArithmeticOp::Remainder if b == 0 => return None,
            ArithmeticOp::Divide => a.wrapping_div(b),
            ArithmeticOp::Remainder => a.wrapping_rem(b),
            ArithmeticOp::ShiftLeft => a.wrapping_shl(b as u32),
            ArithmeticOp::ShiftRight => a.wrapping_shr(b as u32),
            ArithmeticOp::ShiftRightUnsigned => (a as u32).wrapping_shr(b as u32) as i32,
            ArithmeticOp::And => a & b,
            ArithmeticOp::Or => a | b,
            ArithmeticOp::Xor => a ^ b,
        }),
        (Value::Long(a), Value::Int(b)) => Value::Long(match operator {
            ArithmeticOp::ShiftLeft => a.wrapping_shl(b as u32),
            ArithmeticOp::ShiftRight => a.wrapping_shr(b as u32),
            ArithmeticOp::ShiftRightUnsigned => (a as u64).wrapping_shr(b as u32) as i64,
            other => panic!("{other:?} of a long and an int"),
        }),
        (Value::Long(a), Value::Long(b)) => Value::Long(match operator {
            ArithmeticOp::Add => a.wrapping_add(b),
            ArithmeticOp::Subtract => a.wrapping_sub(b),
            ArithmeticOp::Multiply => a.wrapping_mul(b),
            ArithmeticOp::Divide if b == 0 => return None,
            ArithmeticOp::Remainder if b == 0 => return None,
            ArithmeticOp::Divide => a.wrapping_div(b),
            ArithmeticOp::Remainder => a.wrapping_rem(b),
            ArithmeticOp::And => a & b,
            ArithmeticOp::Or => a | b,
            ArithmeticOp::Xor => a ^ b,
            other => panic!("{other:?} of longs"),
        }),
        (Value::Float(a), Value::Float(b)) => Value::Float(match operator {
            ArithmeticOp::Add => a + b,
            ArithmeticOp::Subtract => a - b,
            ArithmeticOp::Multiply => a * b,
            ArithmeticOp::Divide => a / b,
            ArithmeticOp::Remainder => a % b,
            other => panic!("{other:?} of floats"),
        }),
        (Value::Double(a), Value::Double(b)) => Value::Double(match operator {
            ArithmeticOp::Add => a + b,
            ArithmeticOp::Subtract => a - b,
            ArithmeticOp::Multiply => a * b,
            ArithmeticOp::Divide => a / b,
            ArithmeticOp::Remainder => a % b,
            other => panic!("{other:?} of doubles"),
        }),
        (a, b) => panic!("{operator:?} of {a:?} and {b:?}"),
    })
}

pub fn negate(value: Value) -> Value {
    match value {
        Value::Int(value) => Value::Int(value.wrapping_neg()),
        Value::Long(value) => Value::Long(value.wrapping_neg()),
        Value::Float(value) => Value::Float(-value),
        Value::Double(value) => Value::Double(-value),
        other => panic!("{other:?} negated"),
    }
}

/// Rust's casts of numbers are Java's, but that Java first makes an `int` of a floating-point number.
pub fn convert(value: Value, ty: &JavaType) -> Value {
    match (value, ty) {
        (Value::Int(value), JavaType::Byte) => Value::Int(i32::from(value as i8)),
        (Value::Int(value), JavaType::Char) => Value::Int(i32::from(value as u16)),
        (Value::Int(value), JavaType::Short) => Value::Int(i32::from(value as i16)),
        (Value::Int(value), JavaType::Long) => Value::Long(value.into()),
        (Value::Int(value), JavaType::Float) => Value::Float(value as f32),
        (Value::Int(value), JavaType::Double) => Value::Double(value.into()),
        (Value::Long(value), JavaType::Int) => Value::Int(value as i32),
        (Value::Long(value), JavaType::Float) => Value::Float(value as f32),
        (Value::Long(value), JavaType::Double) => Value::Double(value as f64),
        (Value::Float(value), JavaType::Int) => Value::Int(value as i32),
        (Value::Float(value), JavaType::Long) => Value::Long(value as i64),
        (Value::Float(value), JavaType::Double) => Value::Double(value.into()),
        (Value::Double(value), JavaType::Int) => Value::Int(value as i32),
        (Value::Double(value), JavaType::Long) => Value::Long(value as i64),
        (Value::Double(value), JavaType::Float) => Value::Float(value as f32),
        (value, ty) => panic!("{value:?} as {ty}"),
    }
}

pub fn compare(comparison: Comparison, a: Value, b: Value) -> i32 {
    let order = match (a, b) {
        (Value::Long(a), Value::Long(b)) => Some(a.cmp(&b)),
        (Value::Float(a), Value::Float(b)) => a.partial_cmp(&b),
        (Value::Double(a), Value::Double(b)) => a.partial_cmp(&b),
        (a, b) => panic!("{a:?} compared with {b:?}"),
    };
    order.map_or_else(
        || comparison.of_nan().expect("only floats are NaN"),
        |order| order as i32,
    )
}

pub fn related<T: PartialOrd>(relation: Relation, a: T, b: T) -> bool {
    match relation {
        Relation::Equal => a == b,
        Relation::NotEqual => a != b,
        Relation::Less => a < b,
        Relation::AtLeast => a >= b,
        Relation::Greater => a > b,
        Relation::AtMost => a <= b,
    }
}

/// The value a variable of that kind begins with, where it does not matter.
pub fn zero(kind: ComputationalType) -> Value {
    match kind {
        ComputationalType::Int => Value::Int(0),
        ComputationalType::Long => Value::Long(0),
        ComputationalType::Float => Value::Float(0.0),
        ComputationalType::Double => Value::Double(0.0),
        ComputationalType::Reference => Value::Reference(0),
    }
}

/// The arguments of a run, `this` first: it is never null.
pub fn arguments(
    outside: &mut Outside,
    this: Option<JavaType>,
    parameters: &[JavaType],
) -> Vec<Value> {
    let mut values = Vec::new();
    if let Some(this) = this {
        values.push(Value::Reference(outside.object(this, hash_of("this"))));
    }
    for (number, ty) in parameters.iter().enumerate() {
        values.push(outside.made_up(ty, ("argument", number)));
    }
    values
}

/// How a run ended, in words that both kinds of runs share.
pub fn outcome(outside: &Outside, result: Result<Option<Value>>) -> Outcome {
    match result {
        Ok(value) => Outcome::Returned(value.map(Value::shown)),
        Err(Stop::Raised(id)) => Outcome::Raised(format!("{} {id:x}", outside.type_of(id))),
        Err(Stop::Fuel) => Outcome::Fuel,
        Err(Stop::Full) => Outcome::Full,
    }
}
