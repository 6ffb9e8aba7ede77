//! Groups whose members have different providers: ours, and `openmls_rust_crypto`, which uses
//! hpke-rs.

use mls_provider::Provider;
use openmls::prelude::{tls_codec::*, *};
use openmls_basic_credential::SignatureKeyPair;
use openmls_rust_crypto::OpenMlsRustCrypto;

/// A member: its provider, its keys, and its group once it has one.
struct Member<P: OpenMlsProvider> {
    provider: P,
    credential: CredentialWithKey,
    signer: SignatureKeyPair,
    group: Option<MlsGroup>,
}

impl<P: OpenMlsProvider + Default> Member<P> {
    fn new(name: &str, suite: Ciphersuite) -> Self {
        let provider = P::default();
        let signer = SignatureKeyPair::new(suite.signature_algorithm()).unwrap();
        signer.store(provider.storage()).unwrap();
        let credential = CredentialWithKey {
            credential: BasicCredential::new(name.into()).into(),
            signature_key: signer.to_public_vec().into(),
        };
        Self {
            provider,
            credential,
            signer,
            group: None,
        }
    }

    fn create(&mut self, suite: Ciphersuite) {
        let config = MlsGroupCreateConfig::builder()
            .ciphersuite(suite)
            .use_ratchet_tree_extension(true)
            .build();
        let (provider, credential) = (&self.provider, self.credential.clone());
        let group = MlsGroup::new(provider, &self.signer, &config, credential);
        self.group = Some(group.unwrap());
    }

    fn key_package(&self, suite: Ciphersuite) -> KeyPackage {
        let (provider, credential) = (&self.provider, self.credential.clone());
        let bundle = KeyPackage::builder().build(suite, provider, &self.signer, credential);
        bundle.unwrap().key_package().clone()
    }

    /// Adds members. Returns the commit for the existing ones, and the welcome.
    fn add(&mut self, packages: &[KeyPackage]) -> (Vec<u8>, Vec<u8>) {
        let group = self.group.as_mut().unwrap();
        let (commit, welcome, _) = group
            .add_members(&self.provider, &self.signer, packages)
            .unwrap();
        group.merge_pending_commit(&self.provider).unwrap();
        (bytes(&commit), bytes(&welcome))
    }

    fn join(&mut self, welcome: &[u8]) {
        let message = MlsMessageIn::tls_deserialize_exact(welcome).unwrap();
        let MlsMessageBodyIn::Welcome(welcome) = message.extract() else {
            panic!("no welcome");
        };
        let config = MlsGroupJoinConfig::builder()
            .use_ratchet_tree_extension(true)
            .build();
        let staged = StagedWelcome::new_from_welcome(&self.provider, &config, welcome, None);
        self.group = Some(staged.unwrap().into_group(&self.provider).unwrap());
    }

    /// Makes a new key for the whole path to the root, with HPKE to each subtree.
    fn update(&mut self) -> Vec<u8> {
        let group = self.group.as_mut().unwrap();
        let parameters = LeafNodeParameters::default();
        let bundle = group.self_update(&self.provider, &self.signer, parameters);
        let commit = bytes(bundle.unwrap().commit());
        group.merge_pending_commit(&self.provider).unwrap();
        commit
    }

    fn send(&mut self, text: &[u8]) -> Vec<u8> {
        let group = self.group.as_mut().unwrap();
        bytes(
            &group
                .create_message(&self.provider, &self.signer, text)
                .unwrap(),
        )
    }

    /// Returns the text of a message; `None` for a commit, which is merged.
    fn receive(&mut self, message: &[u8]) -> Option<Vec<u8>> {
        let group = self.group.as_mut().unwrap();
        let message = MlsMessageIn::tls_deserialize_exact(message).unwrap();
        let message = message.try_into_protocol_message().unwrap();
        let processed = group.process_message(&self.provider, message).unwrap();
        match processed.into_content() {
            ProcessedMessageContent::ApplicationMessage(text) => Some(text.into_bytes()),
            ProcessedMessageContent::StagedCommitMessage(commit) => {
                group.merge_staged_commit(&self.provider, *commit).unwrap();
                None
            }
            _ => panic!("neither a text nor a commit"),
        }
    }

    fn exported(&self) -> Vec<u8> {
        let group = self.group.as_ref().unwrap();
        let crypto = self.provider.crypto();
        group.export_secret(crypto, "test", b"", 32).unwrap()
    }
}

fn bytes(message: &MlsMessageOut) -> Vec<u8> {
    message.tls_serialize_detached().unwrap()
}

/// Runs a group of three members: A adds B and C, each updates its path, and each reads the others'
/// messages.
fn run<A, B, C>(suite: Ciphersuite)
where
    A: OpenMlsProvider + Default,
    B: OpenMlsProvider + Default,
    C: OpenMlsProvider + Default,
{
    let mut a = Member::<A>::new("a", suite);
    let mut b = Member::<B>::new("b", suite);
    let mut c = Member::<C>::new("c", suite);
    a.create(suite);
    let (_, welcome) = a.add(&[b.key_package(suite)]);
    b.join(&welcome);
    let (commit, welcome) = b.add(&[c.key_package(suite)]);
    assert_eq!(a.receive(&commit), None);
    c.join(&welcome);

    let commit = c.update();
    assert_eq!((a.receive(&commit), b.receive(&commit)), (None, None));
    let commit = a.update();
    assert_eq!((b.receive(&commit), c.receive(&commit)), (None, None));
    let commit = b.update();
    assert_eq!((a.receive(&commit), c.receive(&commit)), (None, None));

    let text = Some(b"hello".to_vec());
    let message = a.send(b"hello");
    assert_eq!(
        (b.receive(&message), c.receive(&message)),
        (text.clone(), text.clone())
    );
    let message = c.send(b"hello");
    assert_eq!(
        (a.receive(&message), b.receive(&message)),
        (text.clone(), text)
    );
    assert_eq!(a.exported(), b.exported());
    assert_eq!(a.exported(), c.exported());
}

fn all() -> Vec<Ciphersuite> {
    let all = Provider::default().crypto().supported_ciphersuites();
    assert_eq!(all.len(), 12);
    all
}

#[test]
fn only_ours() {
    all()
        .into_iter()
        .for_each(run::<Provider, Provider, Provider>);
}

/// Returns the suites in which a group with this run can exist.
fn suites(run: fn(Ciphersuite)) -> Vec<Ciphersuite> {
    let works = |suite: &Ciphersuite| std::panic::catch_unwind(|| run(*suite)).is_ok();
    all().into_iter().filter(works).collect()
}

/// The suites of mixed groups. The others are post-quantum: hpke-rs derives key pairs from a path
/// secret differently than draft-ietf-hpke-pq (see `vectors.rs`), so the members do not agree on
/// the tree.
const MIXED: [Ciphersuite; 3] = [
    Ciphersuite::MLS_128_DHKEMX25519_AES128GCM_SHA256_Ed25519,
    Ciphersuite::MLS_128_DHKEMX25519_CHACHA20POLY1305_SHA256_Ed25519,
    Ciphersuite::MLS_128_DHKEMP256_AES128GCM_SHA256_P256,
];

#[test]
fn ours_and_hpke_rs() {
    assert_eq!(suites(run::<Provider, OpenMlsRustCrypto, Provider>), MIXED);
    let theirs_first = run::<OpenMlsRustCrypto, Provider, OpenMlsRustCrypto>;
    assert_eq!(suites(theirs_first), MIXED);
}
