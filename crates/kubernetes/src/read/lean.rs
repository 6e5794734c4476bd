//! A JSON deserializer that passes over what nobody reads at nearly the speed of memory.
//!
//! Nine tenths of a pod (managed fields, probes, environment, statuses) are of no interest here. `serde_json` checks all of
//! it character by character; this one only looks for where it ends. It knows two errors and explains neither: whoever
//! gets one asks `serde_json` for the reason.

use std::borrow::Cow;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::forward_to_deserialize_any;

/// The text is not what was expected, or ends too early.
#[derive(Debug)]
pub(crate) struct Unreadable;

impl std::fmt::Display for Unreadable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("unreadable")
    }
}

impl std::error::Error for Unreadable {}

impl Error for Unreadable {
    fn custom<T: std::fmt::Display>(_: T) -> Self {
        Self
    }
}

type Read<T> = Result<T, Unreadable>;

/// Reads one value from the start of a text.
pub(crate) struct Lean<'de> {
    text: &'de [u8],
    at: usize,
}

/// Reads one value; gives its length as well.
pub(crate) fn parse<'de, T: serde::Deserialize<'de>>(text: &'de [u8]) -> Read<(T, usize)> {
    let mut lean = Lean { text, at: 0 };
    let value = T::deserialize(&mut lean)?;
    Ok((value, lean.at))
}

/// By how much each byte outside of strings changes the depth.
const DEPTH: [i8; 256] = {
    let mut depth = [0; 256];
    depth[b'{' as usize] = 1;
    depth[b'[' as usize] = 1;
    depth[b'}' as usize] = -1;
    depth[b']' as usize] = -1;
    depth
};

const ONES: u64 = 0x0101_0101_0101_0101;
const HIGH: u64 = 0x8080_8080_8080_8080;

/// Marks the bytes of `word` that equal `byte`; the lowest mark is right.
const fn equal(word: u64, byte: u8) -> u64 {
    let difference = word ^ (ONES * byte as u64);
    difference.wrapping_sub(ONES) & !difference & HIGH
}

impl<'de> Lean<'de> {
    fn peek(&mut self) -> Read<u8> {
        loop {
            match self.text.get(self.at) {
                Some(b' ' | b'\n' | b'\t' | b'\r') => self.at += 1,
                Some(byte) => return Ok(*byte),
                None => return Err(Unreadable),
            }
        }
    }

    fn expect(&mut self, wanted: u8) -> Read<()> {
        if self.peek()? != wanted {
            return Err(Unreadable);
        }
        self.at += 1;
        Ok(())
    }

    /// The next `"` or `\` at or after `from`.
    #[inline]
    fn string_stop(&self, mut from: usize) -> Read<usize> {
        while let Some(chunk) = self.text[from..].first_chunk::<8>() {
            let word = u64::from_le_bytes(*chunk);
            let stop = equal(word, b'"') | equal(word, b'\\');
            if stop != 0 {
                return Ok(from + (stop.trailing_zeros() / 8) as usize);
            }
            from += 8;
        }
        let rest = self.text[from..].iter().position(|byte| matches!(byte, b'"' | b'\\'));
        rest.map(|at| from + at).ok_or(Unreadable)
    }

    /// Passes over a string whose opening quote is at the current place; gives what is between the quotes and whether it holds
    /// escapes.
    #[inline]
    fn raw_string(&mut self) -> Read<(&'de [u8], bool)> {
        let start = self.at + 1;
        let mut stop = self.string_stop(start)?;
        let mut escaped = false;
        while self.text[stop] == b'\\' {
            escaped = true;
            if stop + 2 > self.text.len() {
                return Err(Unreadable);
            }
            stop = self.string_stop(stop + 2)?;
        }
        self.at = stop + 1;
        Ok((&self.text[start..stop], escaped))
    }

    fn string(&mut self) -> Read<Cow<'de, str>> {
        if self.peek()? != b'"' {
            return Err(Unreadable);
        }
        let from = self.at;
        let (raw, escaped) = self.raw_string()?;
        if escaped {
            let text: String =
                serde_json::from_slice(&self.text[from..self.at]).map_err(|_| Unreadable)?;
            return Ok(Cow::Owned(text));
        }
        std::str::from_utf8(raw).map(Cow::Borrowed).map_err(|_| Unreadable)
    }

    /// Passes over a value.
    fn skip(&mut self) -> Read<()> {
        match self.peek()? {
            b'"' => self.raw_string().map(drop),
            b'{' | b'[' => self.skip_nested(),
            b'}' | b']' => Err(Unreadable),
            _ => self.scalar().map(drop),
        }
    }

    /// Passes over an object or a list. Only strings need a look: everything else changes the depth by what the table says,
    /// without a branch that the processor could guess wrong.
    fn skip_nested(&mut self) -> Read<()> {
        let mut depth = 0_isize;
        loop {
            let byte = *self.text.get(self.at).ok_or(Unreadable)?;
            if byte == b'"' {
                self.raw_string()?;
                continue;
            }
            self.at += 1;
            depth += isize::from(DEPTH[usize::from(byte)]);
            if depth == 0 {
                return Ok(());
            }
        }
    }

    /// A number, `true`, `false` or `null`, which must be followed by something.
    fn scalar(&mut self) -> Read<&'de [u8]> {
        self.peek()?;
        let rest = &self.text[self.at..];
        let length = rest
            .iter()
            .position(|byte| matches!(byte, b',' | b'}' | b']' | b' ' | b'\n' | b'\t' | b'\r'))
            .ok_or(Unreadable)?;
        if length == 0 {
            return Err(Unreadable);
        }
        self.at += length;
        Ok(&rest[..length])
    }
}

impl<'de> Deserializer<'de> for &mut Lean<'de> {
    type Error = Unreadable;

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        match self.peek()? {
            b'"' => self.deserialize_str(visitor),
            b'{' => self.deserialize_map(visitor),
            b'[' => self.deserialize_seq(visitor),
            _ => match self.scalar()? {
                b"null" => visitor.visit_unit(),
                b"true" => visitor.visit_bool(true),
                b"false" => visitor.visit_bool(false),
                number => visit_number(number, visitor),
            },
        }
    }

    fn deserialize_str<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        match self.string()? {
            Cow::Borrowed(text) => visitor.visit_borrowed_str(text),
            Cow::Owned(text) => visitor.visit_string(text),
        }
    }

    fn deserialize_identifier<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        if self.peek()? != b'"' {
            return Err(Unreadable);
        }
        let from = self.at;
        let (raw, escaped) = self.raw_string()?;
        if !escaped {
            return visitor.visit_borrowed_bytes(raw);
        }
        self.at = from;
        self.deserialize_str(visitor)
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        if self.peek()? == b'n' {
            self.scalar()?;
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    fn deserialize_map<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        self.expect(b'{')?;
        visitor.visit_map(Members { lean: self, first: true })
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Read<V::Value> {
        self.deserialize_map(visitor)
    }

    fn deserialize_seq<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        self.expect(b'[')?;
        visitor.visit_seq(Members { lean: self, first: true })
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _: &'static str,
        visitor: V,
    ) -> Read<V::Value> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Read<V::Value> {
        self.skip()?;
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char string bytes byte_buf unit unit_struct tuple tuple_struct enum
    }
}

fn visit_number<'de, V: Visitor<'de>>(number: &[u8], visitor: V) -> Read<V::Value> {
    let text = std::str::from_utf8(number).map_err(|_| Unreadable)?;
    if let Ok(value) = text.parse::<u64>() {
        return visitor.visit_u64(value);
    }
    if let Ok(value) = text.parse::<i64>() {
        return visitor.visit_i64(value);
    }
    // Rust reads more than JSON allows ("inf"); serde_json has the last word on anything unusual.
    let value: f64 = serde_json::from_slice(number).map_err(|_| Unreadable)?;
    visitor.visit_f64(value)
}

/// The members of an object, or the elements of a list.
struct Members<'a, 'de> {
    lean: &'a mut Lean<'de>,
    first: bool,
}

impl Members<'_, '_> {
    /// Whether another one follows.
    fn has_next(&mut self, end: u8) -> Read<bool> {
        let byte = self.lean.peek()?;
        if byte == end {
            self.lean.at += 1;
            return Ok(false);
        }
        if !std::mem::take(&mut self.first) {
            self.lean.expect(b',')?;
        }
        Ok(true)
    }
}

impl<'de> MapAccess<'de> for Members<'_, 'de> {
    type Error = Unreadable;

    fn next_key_seed<K: DeserializeSeed<'de>>(&mut self, seed: K) -> Read<Option<K::Value>> {
        if !self.has_next(b'}')? {
            return Ok(None);
        }
        seed.deserialize(&mut *self.lean).map(Some)
    }

    fn next_value_seed<V: DeserializeSeed<'de>>(&mut self, seed: V) -> Read<V::Value> {
        self.lean.expect(b':')?;
        seed.deserialize(&mut *self.lean)
    }
}

impl<'de> SeqAccess<'de> for Members<'_, 'de> {
    type Error = Unreadable;

    fn next_element_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Read<Option<T::Value>> {
        if !self.has_next(b']')? {
            return Ok(None);
        }
        seed.deserialize(&mut *self.lean).map(Some)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            (-1_000_000..1_000_000).prop_map(|half| Value::from(f64::from(half) / 2.0)),
            ".{0,12}".prop_map(Value::from),
            "[\"\\\\a]{0,6}".prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 48, 6, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                proptest::collection::btree_map(".{0,9}", inner, 0..5).prop_map(Value::from_iter),
            ]
        })
    }

    proptest! {
        #[test]
        fn reads_what_serde_json_writes(value in values(), pretty in any::<bool>()) {
            let text = if pretty { serde_json::to_string_pretty(&value) } else { serde_json::to_string(&value) };
            // A scalar must be followed by something to be known as whole.
            let text = text.unwrap() + " ";
            let (read, length) = parse::<Value>(text.as_bytes()).unwrap();
            prop_assert_eq!(read, value);
            prop_assert_eq!(length, text.len() - 1);
            let (_, skipped) = parse::<serde::de::IgnoredAny>(text.as_bytes()).unwrap();
            prop_assert_eq!(skipped, length);
        }

        #[test]
        fn whatever_it_takes_from_any_text_serde_json_takes_too(text in "[\\[\\]{}:,\"\\\\a1tn ]{0,24}") {
            if let Ok((value, length)) = parse::<Value>(text.as_bytes()) {
                let strict: Value = serde_json::from_slice(&text.as_bytes()[..length]).unwrap();
                prop_assert_eq!(value, strict);
            }
        }

        #[test]
        fn a_text_that_is_cut_is_never_read_as_whole(value in values(), cut in 0.0..1.0_f64) {
            let text = serde_json::to_string(&Value::from(vec![value])).unwrap();
            let cut = &text.as_bytes()[..(text.len() as f64 * cut) as usize];
            prop_assert!(parse::<Value>(cut).is_err());
            prop_assert!(parse::<serde::de::IgnoredAny>(cut).is_err());
        }
    }
}
