//! The syntax tree as JSON.

/// Integers of any size as strings of decimal digits.
pub(super) mod decimal {
    use num_bigint::BigInt;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(value: &BigInt, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&value.to_string())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<BigInt, D::Error> {
        let digits = String::deserialize(deserializer)?;
        digits
            .parse()
            .map_err(|_| D::Error::custom(format!("`{digits}` is not a number")))
    }
}
