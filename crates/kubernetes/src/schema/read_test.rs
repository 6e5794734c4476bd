//! The schema and the types that we read NodePools with describe the same fields.
//!
//! A deserializer that holds no input asks the wire types which fields they would like, and goes down into each of them.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::rc::Rc;

use serde::de::value::{Error, StrDeserializer};
use serde::de::{
    DeserializeSeed, Deserializer, Expected, IntoDeserializer, MapAccess, SeqAccess, Visitor,
};
use serde::{Deserialize, forward_to_deserialize_any};

use super::NODE_POOL;
use super::form::{Form, Schema};
use crate::wire::karpenter::NodePool;

/// In the schema, but nothing that restow decides depends on it.
const NOT_READ: [&str; 2] =
    ["spec.template.spec.taints[].timeAdded", "spec.template.spec.startupTaints[].timeAdded"];

/// Read from claims, which share the type.
const OF_CLAIMS: &str = "spec.template.spec.resources";

/// A place in the object that asks back what it should be.
#[derive(Clone)]
struct Asked {
    place: String,
    found: Rc<RefCell<BTreeSet<String>>>,
}

impl Asked {
    fn below(&self, name: &str) -> Self {
        let place = match (self.place.as_str(), name) {
            ("", name) => name.to_owned(),
            (place, "[]") => format!("{place}[]"),
            (place, name) => format!("{place}.{name}"),
        };
        self.found.borrow_mut().insert(place.clone());
        Self { place, found: Rc::clone(&self.found) }
    }
}

impl<'de> Deserializer<'de> for Asked {
    type Error = Error;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        // Maps and quantities take anything; what they hope for is in their words.
        if (&visitor as &dyn Expected).to_string() == "an object" {
            return visitor.visit_map(Entries { at: self, names: &["*"], value: "" });
        }
        visitor.visit_str("")
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_some(self)
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        names: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_map(Entries { at: self, names, value: "" })
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_seq(Elements(Some(self.below("[]"))))
    }

    fn deserialize_bool<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_bool(true)
    }

    fn deserialize_i64<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_i64(1)
    }

    fn deserialize_i32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_i64(1)
    }

    fn deserialize_u32<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_u64(1)
    }

    forward_to_deserialize_any! {
        i8 i16 u8 u16 u64 i128 u128 f32 f64 char str string bytes byte_buf unit unit_struct newtype_struct tuple
        tuple_struct map enum identifier ignored_any
    }
}

/// One entry for each name.
struct Entries {
    at: Asked,
    names: &'static [&'static str],
    value: &'static str,
}

impl<'de> MapAccess<'de> for Entries {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        let [name, rest @ ..] = self.names else { return Ok(None) };
        (self.names, self.value) = (rest, name);
        let key: StrDeserializer<'_, Error> = name.into_deserializer();
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Result<V::Value, Error> {
        seed.deserialize(self.at.below(self.value))
    }
}

/// One element.
struct Elements(Option<Asked>);

impl<'de> SeqAccess<'de> for Elements {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        self.0.take().map(|own| seed.deserialize(own)).transpose()
    }
}

/// Every place that a schema describes.
fn places(schema: &Schema, place: &str, out: &mut BTreeSet<String>) {
    out.insert(place.to_owned());
    match &schema.form {
        Form::Object(fields) => {
            for field in fields {
                places(&field.schema, &format!("{place}.{}", field.name), out);
            }
        }
        Form::Map { values, .. } => places(values, &format!("{place}.*"), out),
        Form::List { items, .. } => places(items, &format!("{place}[]"), out),
        _ => {}
    }
}

#[test]
fn what_is_read_of_a_pool_is_in_its_schema_and_the_other_way_round() {
    let found = Rc::default();
    let asked = Asked { place: String::new(), found: Rc::clone(&found) };
    NodePool::deserialize(asked).map(drop).expect("every type takes what it asks for");
    let below = |place: &&String, root: &str| {
        place.strip_prefix(root).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
    };
    let read: BTreeSet<String> = found
        .borrow()
        .iter()
        .filter(|place| below(place, "spec") && !below(place, OF_CLAIMS))
        .cloned()
        .collect();
    let mut described = BTreeSet::new();
    places(NODE_POOL.get("spec").expect("it has one"), "spec", &mut described);
    described.retain(|place| !NOT_READ.contains(&place.as_str()));
    let more: Vec<&String> = read.difference(&described).collect();
    assert!(more.is_empty(), "read, but in no schema: {more:?}");
    let less: Vec<&String> = described.difference(&read).collect();
    assert!(less.is_empty(), "in the schema, but not read: {less:?}");
    assert!(read.len() > 40, "{read:#?}");
}
