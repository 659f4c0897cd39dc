use std::fmt::{self, Display};

use serde::de::{self, Expected, Unexpected};

use super::Names;

/// A fault of a value that is read uniformly. It becomes the same error of the deserializer beneath.
#[derive(Debug)]
pub struct UniformError(Box<Reason>);

#[derive(Debug)]
enum Reason {
    Custom(String),
    Type { found: String, expected: String },
    Value { found: String, expected: String },
    Length { length: usize, expected: String },
    UnknownVariant { name: String, known: Names },
    UnknownField { name: String, known: Names },
    MissingField(&'static str),
    DuplicateField(&'static str),
}

impl UniformError {
    fn new(reason: Reason) -> Self {
        Self(Box::new(reason))
    }

    /// The same error of another deserializer.
    pub(super) fn of<E: de::Error>(&self) -> E {
        match &*self.0 {
            Reason::Custom(message) => E::custom(message),
            Reason::Type { found, expected } => E::invalid_type(Unexpected::Other(found), &expected.as_str()),
            Reason::Value { found, expected } => {
                E::invalid_value(Unexpected::Other(found), &expected.as_str())
            }
            Reason::Length { length, expected } => E::invalid_length(*length, &expected.as_str()),
            Reason::UnknownVariant { name, known } => E::unknown_variant(name, known),
            Reason::UnknownField { name, known } => E::unknown_field(name, known),
            Reason::MissingField(name) => E::missing_field(name),
            Reason::DuplicateField(name) => E::duplicate_field(name),
        }
    }
}

impl de::Error for UniformError {
    fn custom<T: Display>(message: T) -> Self {
        Self::new(Reason::Custom(message.to_string()))
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(Reason::Type { found: found.to_string(), expected: expected.to_string() })
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::new(Reason::Value { found: found.to_string(), expected: expected.to_string() })
    }

    fn invalid_length(length: usize, expected: &dyn Expected) -> Self {
        Self::new(Reason::Length { length, expected: expected.to_string() })
    }

    fn unknown_variant(name: &str, known: Names) -> Self {
        Self::new(Reason::UnknownVariant { name: name.to_owned(), known })
    }

    fn unknown_field(name: &str, known: Names) -> Self {
        Self::new(Reason::UnknownField { name: name.to_owned(), known })
    }

    fn missing_field(name: &'static str) -> Self {
        Self::new(Reason::MissingField(name))
    }

    fn duplicate_field(name: &'static str) -> Self {
        Self::new(Reason::DuplicateField(name))
    }
}

/// In the words of serde.
impl Display for UniformError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.of::<de::value::Error>().fmt(formatter)
    }
}

impl std::error::Error for UniformError {}
