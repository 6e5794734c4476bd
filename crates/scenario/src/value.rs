//! JSON text to values; a key that comes twice is an error instead of being lost.

use std::fmt;

use serde::de::{self, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};

use restow_kubernetes::{FieldPath, Step};

/// The value of a text that is known to be JSON, and the keys that came twice.
pub(crate) fn read(json: &str) -> (Value, Vec<FieldPath>) {
    let mut twice = Vec::new();
    let mut path = Vec::new();
    let seed = Read { path: &mut path, twice: &mut twice };
    let value = seed.deserialize(&mut serde_json::Deserializer::from_str(json));
    (value.unwrap_or_default(), twice)
}

struct Read<'a> {
    path: &'a mut Vec<Step>,
    twice: &'a mut Vec<FieldPath>,
}

impl<'de> DeserializeSeed<'de> for Read<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Read<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_bool<E: de::Error>(self, value: bool) -> Result<Value, E> {
        Ok(Value::Bool(value))
    }

    fn visit_i64<E: de::Error>(self, value: i64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_u64<E: de::Error>(self, value: u64) -> Result<Value, E> {
        Ok(Value::Number(value.into()))
    }

    fn visit_f64<E: de::Error>(self, value: f64) -> Result<Value, E> {
        Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
    }

    fn visit_str<E: de::Error>(self, value: &str) -> Result<Value, E> {
        Ok(Value::String(value.to_owned()))
    }

    fn visit_unit<E: de::Error>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Value, A::Error> {
        let mut all = Vec::new();
        loop {
            self.path.push(Step::Index(all.len()));
            let next = elements.next_element_seed(Read { path: self.path, twice: self.twice })?;
            self.path.pop();
            match next {
                Some(value) => all.push(value),
                None => return Ok(Value::Array(all)),
            }
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        let mut all = Map::new();
        while let Some(key) = members.next_key::<String>()? {
            self.path.push(Step::Key(key.clone()));
            if all.contains_key(&key) {
                self.twice.push(FieldPath(self.path.clone()));
            }
            let value = members.next_value_seed(Read { path: self.path, twice: self.twice })?;
            self.path.pop();
            all.insert(key, value);
        }
        Ok(Value::Object(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_come_twice_are_named() {
        let (value, twice) = read(r#"{"a": [1, {"b": 1.5, "b": "x"}], "c": null}"#);
        assert_eq!(value, serde_json::json!({"a": [1, {"b": "x"}], "c": null}));
        assert_eq!(twice.iter().map(ToString::to_string).collect::<Vec<_>>(), ["a[1].b"]);
    }
}
