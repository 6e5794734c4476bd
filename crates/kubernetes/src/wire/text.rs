//! The building blocks of wire types: borrowed text, maps, quantities, and `null` where a value may be left out.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};

/// Text, borrowed from the input unless it holds escapes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Text<'a>(pub(crate) Cow<'a, str>);

impl Deref for Text<'_> {
    type Target = str;
    fn deref(&self) -> &str {
        &self.0
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Words;
        impl<'de> Visitor<'de> for Words {
            type Value = Text<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(text.to_owned())))
            }
            fn visit_string<E>(self, text: String) -> Result<Self::Value, E> {
                Ok(Text(Cow::Owned(text)))
            }
        }
        input.deserialize_str(Words)
    }
}

/// A value that may be `null`, which reads as its default.
pub(crate) fn nullable<'de, D, T>(input: D) -> Result<T, D::Error>
where
    D: Deserializer<'de>,
    T: Default + Deserialize<'de>,
{
    Ok(Option::<T>::deserialize(input)?.unwrap_or_default())
}

/// A map, as pairs in the order they were written.
#[derive(Clone, Debug)]
pub(crate) struct Pairs<'a, V>(pub(crate) Vec<(Text<'a>, V)>);

impl<V> Default for Pairs<'_, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de: 'a, 'a, V: Deserialize<'de>> Deserialize<'de> for Pairs<'a, V> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Map<V>(PhantomData<V>);
        impl<'de, V: Deserialize<'de>> Visitor<'de> for Map<V> {
            type Value = Pairs<'de, V>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }
            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(Pairs::default())
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut pairs = Vec::new();
                while let Some(pair) = map.next_entry()? {
                    pairs.push(pair);
                }
                Ok(Pairs(pairs))
            }
        }
        input.deserialize_any(Map(PhantomData))
    }
}

/// Labels, annotations, selectors.
pub(crate) type Labels<'a> = Pairs<'a, Text<'a>>;

/// A quantity as it is written: text, or a number.
#[derive(Clone, Debug, Default)]
pub(crate) struct RawQuantity<'a>(pub(crate) Text<'a>);

/// Resources by name.
pub(crate) type Quantities<'a> = Pairs<'a, RawQuantity<'a>>;

impl<'de: 'a, 'a> Deserialize<'de> for RawQuantity<'a> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Amount;
        fn written<'de>(number: &impl ToString) -> RawQuantity<'de> {
            RawQuantity(Text(Cow::Owned(number.to_string())))
        }
        impl<'de> Visitor<'de> for Amount {
            type Value = RawQuantity<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a quantity such as 500m or 1Gi")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(RawQuantity(Text(Cow::Borrowed(text))))
            }
            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(written(&text))
            }
            fn visit_u64<E>(self, number: u64) -> Result<Self::Value, E> {
                Ok(written(&number))
            }
            fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
                Ok(written(&number))
            }
            fn visit_f64<E>(self, number: f64) -> Result<Self::Value, E> {
                Ok(written(&number))
            }
        }
        input.deserialize_any(Amount)
    }
}

/// A number, or text such as `25%`.
#[derive(Clone, Debug)]
pub(crate) enum IntOrText<'a> {
    /// A number.
    Int(i64),
    /// Text.
    Text(Text<'a>),
}

impl<'de: 'a, 'a> Deserialize<'de> for IntOrText<'a> {
    fn deserialize<D: Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct Either;
        impl<'de> Visitor<'de> for Either {
            type Value = IntOrText<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an integer or a percentage such as \"25%\"")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(IntOrText::Text(Text(Cow::Borrowed(text))))
            }
            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(IntOrText::Text(Text(Cow::Owned(text.to_owned()))))
            }
            fn visit_i64<E>(self, number: i64) -> Result<Self::Value, E> {
                Ok(IntOrText::Int(number))
            }
            fn visit_u64<E: serde::de::Error>(self, number: u64) -> Result<Self::Value, E> {
                i64::try_from(number)
                    .map(IntOrText::Int)
                    .map_err(|_| E::invalid_value(serde::de::Unexpected::Unsigned(number), &self))
            }
        }
        input.deserialize_any(Either)
    }
}
