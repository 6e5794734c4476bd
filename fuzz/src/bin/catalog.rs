//! Catalogs in any format: no input takes a reader down, and what it makes of one is in order.

#![no_main]

use libfuzzer_sys::fuzz_target;
use restow_catalog::{Source, diff, source};
use restow_model::Price;

fuzz_target!(|input: &[u8]| {
    if let Ok(text) = std::str::from_utf8(input)
        && let Ok(source) = Source::parse(text)
    {
        assert_eq!(source.name(), text, "a source is called what it was asked for as");
    }
    let Ok(catalog) = source::read("input", input) else { return };
    let types = catalog.types();
    assert!(types.is_sorted_by(|a, b| a.name < b.name), "one type per name, in order");
    for own in types {
        assert_eq!(catalog.get(&own.name), Some(own));
        assert!(own.offerings.iter().all(|offering| offering.price >= Price::ZERO));
        assert!(own.offerings.iter().all(|offering| catalog.source_of(offering).is_some()));
    }
    let twice = catalog.clone().merge(catalog.clone());
    assert!(diff(&catalog, &twice).is_empty(), "the same list again changes nothing");
});
