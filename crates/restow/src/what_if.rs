//! `--what-if`: a setting, or an object of the cluster, taken to be otherwise.

use restow_consolidation::WhatIf;
use restow_consolidation::settings::Name;

use crate::settings_args::read;

/// Reads an assumption, and checks that its setting may have the value.
pub(crate) fn parse(text: &str) -> Result<WhatIf, String> {
    let own: WhatIf = text.parse().map_err(|error| format!("{error}"))?;
    if let WhatIf::Setting { name, text, .. } = &own {
        read(*name, text)?;
    }
    Ok(own)
}

/// What is assumed of a setting of the whole cluster: of several the last counts.
pub(crate) fn assumed(what_ifs: &[WhatIf], wanted: Name) -> Option<&str> {
    what_ifs.iter().rev().find_map(|own| match own {
        WhatIf::Setting { name, text, .. } if *name == wanted => Some(text.as_str()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_checked() {
        assert!(parse("spot-flexibility=3").is_ok());
        assert!(parse("spot-flexibility=0").is_err_and(|problem| problem.contains("1 or more")));
        assert!(parse("budgets=[{nodes").is_err());
    }

    #[test]
    fn the_last_counts() {
        let what_ifs = ["node-fee=1", "node-fee=2"].map(|text| parse(text).unwrap());
        assert_eq!(assumed(&what_ifs, Name::NodeFee), Some("2"));
        assert_eq!(assumed(&what_ifs, Name::Catalog), None);
    }
}
