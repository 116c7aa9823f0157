//! What calls are given, as Java writes it.

use std::collections::BTreeMap;

use num_bigint::BigInt;

use crate::interp::Value;
use crate::ir::{JavaCall, JavaInteger, JavaParameter, JavaValues};
use crate::suite::model::{Argument, TestCall};

/// Longer arrays than this are not made.
const LONGEST: usize = 1 << 20;

/// The objects and arrays that the calls of a test are given, by what they are called in its run.
#[derive(Debug, Default)]
pub(super) struct GivenObjects {
    /// The variables that hold them, each with its type.
    variables: BTreeMap<String, (String, String)>,
}

impl GivenObjects {
    /// What a call is given, and the lines before it that make this.
    ///
    /// # Errors
    /// Something of it cannot be written.
    pub(super) fn arguments(
        &mut self,
        java: &JavaCall,
        call: &TestCall,
    ) -> Result<(Vec<String>, Vec<String>), String> {
        if java.parameters.len() != call.arguments.len() {
            return Err(format!("what `{}` is called with is not known", call.name));
        }
        let mut lines = Vec::new();
        let parameters = java.parameters.iter().zip(&call.arguments);
        let arguments = parameters.map(|(parameter, argument)| {
            let written = self.argument(&mut lines, parameter, argument, call);
            written.map_err(|why| {
                let (name, text) = (&argument.name, &argument.text);
                format!("`{}` needs {name} = {text}, and {why}", call.name)
            })
        });
        let arguments = arguments.collect::<Result<_, String>>()?;
        Ok((lines, arguments))
    }

    fn argument(
        &mut self,
        lines: &mut Vec<String>,
        parameter: &JavaParameter,
        argument: &Argument,
        call: &TestCall,
    ) -> Result<String, String> {
        let Value::Ref(_) = argument.value else {
            // Others mostly want an object, and where the call leads is the same.
            return match argument.value {
                Value::Null if call.is_only_way => Ok(any(parameter)),
                _ => plain(parameter, &argument.value),
            };
        };
        let told = call.objects.iter().find(|told| told.name == argument.text);
        let made = match &parameter.values {
            JavaValues::Arrays(..) => {
                let length = told.map_or(0, |told| told.elements.len());
                array(&parameter.values, length)?
            }
            JavaValues::Objects(Some(made)) => made.clone(),
            _ => return Err(format!("no way is known to make a {}", parameter.ty)),
        };
        let key = argument.text.clone();
        if let Some((variable, of)) = self.variables.get(&key)
            && *of == made
        {
            return Ok(variable.clone());
        }
        let variable = format!("given{}", self.variables.len() + 1);
        lines.push(format!("{} {variable} = {made};", parameter.ty));
        self.variables.insert(key, (variable.clone(), made));
        Ok(variable)
    }
}

/// A value that is no object.
fn plain(parameter: &JavaParameter, value: &Value) -> Result<String, String> {
    let no_value = || format!("that is no value of {}", parameter.ty);
    Ok(match (&parameter.values, value) {
        (JavaValues::Booleans, Value::Bool(value)) => value.to_string(),
        (JavaValues::Integers(ty), Value::Int(value)) => {
            integer(*ty, value).ok_or_else(no_value)?
        }
        (JavaValues::Fractions, Value::Opaque(_, number)) => {
            format!("({}) {number}", parameter.ty)
        }
        // The first of the text's values is `null`.
        (JavaValues::Constants(constants), Value::Member(_, at)) => match at.checked_sub(1) {
            None => null(parameter),
            Some(at) => {
                let constant = constants.get(at).ok_or_else(no_value)?;
                format!("{}.{constant}", parameter.ty)
            }
        },
        (_, Value::Null) => null(parameter),
        _ => return Err(no_value()),
    })
}

/// Of which overload it is an argument has to be said.
fn null(parameter: &JavaParameter) -> String {
    format!("({}) null", parameter.ty)
}

fn integer(ty: JavaInteger, value: &BigInt) -> Option<String> {
    let fits = |fits: bool| fits.then_some(());
    Some(match ty {
        JavaInteger::Byte => {
            fits(i8::try_from(value).is_ok())?;
            format!("(byte) {value}")
        }
        JavaInteger::Short => {
            fits(i16::try_from(value).is_ok())?;
            format!("(short) {value}")
        }
        JavaInteger::Char => {
            fits(u16::try_from(value).is_ok())?;
            format!("(char) {value}")
        }
        JavaInteger::Int => {
            fits(i32::try_from(value).is_ok())?;
            value.to_string()
        }
        JavaInteger::Long => {
            fits(i64::try_from(value).is_ok())?;
            format!("{value}L")
        }
    })
}

/// # Errors
/// It is too long, or the values are no arrays.
fn array(values: &JavaValues, length: usize) -> Result<String, String> {
    match values {
        JavaValues::Arrays(element, more) if length <= LONGEST => {
            Ok(format!("new {element}[{length}]{}", "[]".repeat(*more)))
        }
        _ => Err("the array is too long to be made".to_owned()),
    }
}

/// Some value of a parameter.
pub(super) fn any(parameter: &JavaParameter) -> String {
    match &parameter.values {
        JavaValues::Booleans => "false".to_owned(),
        JavaValues::Integers(JavaInteger::Int) => "0".to_owned(),
        JavaValues::Integers(_) | JavaValues::Fractions => format!("({}) 0", parameter.ty),
        JavaValues::Arrays(element, more) => format!("new {element}[1]{}", "[]".repeat(*more)),
        JavaValues::Constants(constants) => match constants.first() {
            Some(constant) => format!("{}.{constant}", parameter.ty),
            None => null(parameter),
        },
        JavaValues::Objects(Some(made)) => made.clone(),
        JavaValues::Objects(None) => null(parameter),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parameter(ty: &str, values: JavaValues) -> JavaParameter {
        JavaParameter {
            ty: ty.to_owned(),
            values,
        }
    }

    #[test]
    fn numbers_that_a_type_does_not_have_are_not_written() {
        let written = |ty, number: i64| integer(ty, &number.into());
        assert_eq!(
            written(JavaInteger::Byte, -128).as_deref(),
            Some("(byte) -128")
        );
        assert_eq!(written(JavaInteger::Byte, 128), None);
        assert_eq!(written(JavaInteger::Short, 32_768), None);
        assert_eq!(written(JavaInteger::Char, 65).as_deref(), Some("(char) 65"));
        assert_eq!(written(JavaInteger::Char, -1), None);
        assert_eq!(written(JavaInteger::Int, 2_147_483_648), None);
        assert_eq!(
            written(JavaInteger::Int, -2_147_483_648).as_deref(),
            Some("-2147483648")
        );
        assert_eq!(
            written(JavaInteger::Long, 2_147_483_648).as_deref(),
            Some("2147483648L")
        );
        assert_eq!(
            integer(JavaInteger::Long, &(BigInt::from(i64::MAX) + 1)),
            None
        );
    }

    #[test]
    fn constants_come_behind_null() {
        let colour = JavaValues::Constants(vec!["RED".into(), "BLUE".into()]);
        let colour = parameter("Colour", colour);
        let member = |at| plain(&colour, &Value::Member(crate::ir::EnumId(0), at));
        assert_eq!(member(0).as_deref(), Ok("(Colour) null"));
        assert_eq!(member(2).as_deref(), Ok("Colour.BLUE"));
        assert!(member(3).is_err());
        assert_eq!(any(&colour), "Colour.RED");
    }

    #[test]
    fn arrays_are_as_long_as_in_the_run() {
        let of_arrays = JavaValues::Arrays("int".into(), 1);
        assert_eq!(array(&of_arrays, 3).as_deref(), Ok("new int[3][]"));
        assert!(array(&of_arrays, LONGEST + 1).is_err());
        assert_eq!(any(&parameter("int[][]", of_arrays)), "new int[1][]");
    }
}
