//! Certificates, keys and tokens of one set, made anew for each.

use std::collections::hash_map::RandomState;
use std::fs;
use std::hash::BuildHasher;
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, KeyUsagePurpose, SanType,
};

/// Files that servers are told about.
#[derive(Debug)]
pub(crate) struct Pki {
    pub(crate) ca: PathBuf,
    /// What the CA says of whoever listens on loopback.
    pub(crate) certificate: PathBuf,
    pub(crate) key: PathBuf,
    /// Signs the tokens of ServiceAccounts.
    pub(crate) accounts: PathBuf,
    /// Knows them again.
    pub(crate) accounts_public: PathBuf,
}

impl Pki {
    pub(crate) fn make(dir: &Path) -> Self {
        let made = || -> Result<[(&str, String); 5], rcgen::Error> {
            let mut params = CertificateParams::new(Vec::new())?;
            params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
            params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
            let ca = CertifiedIssuer::self_signed(params, KeyPair::generate()?)?;
            let mut params = CertificateParams::new(vec!["localhost".to_owned()])?;
            params.subject_alt_names.push(SanType::IpAddress(IpAddr::V4(Ipv4Addr::LOCALHOST)));
            let (key, accounts) = (KeyPair::generate()?, KeyPair::generate()?);
            Ok([
                ("ca.crt", ca.pem()),
                ("server.crt", params.signed_by(&key, &ca)?.pem()),
                ("server.key", key.serialize_pem()),
                ("accounts.key", accounts.serialize_pem()),
                ("accounts.pub", accounts.public_key_pem()),
            ])
        };
        let [ca, certificate, key, accounts, accounts_public] =
            made().expect("these certificates can be made").map(|(name, text)| {
                let file = dir.join(name);
                fs::write(&file, text).expect("the work directory can be written");
                file
            });
        Self { ca, certificate, key, accounts, accounts_public }
    }
}

/// A token that nobody guesses.
pub(crate) fn token() -> String {
    let [a, b] = [0, 1].map(|at| RandomState::new().hash_one(at));
    format!("{a:016x}{b:016x}")
}
