//! The whole age test kit: valid files open, and give the same bytes when written again; invalid
//! files fail for the right reason, and release no more than allowed.

use flate2::read::ZlibDecoder;
use pqseal_age::{
    ArmorReader, ArmorWriter, ChunkReader, ChunkWriter, Chunked, DecryptWriter, Decryptor, Error,
    FileKey, Header, Identity, Input, PassphraseIdentity, Payload, keys,
};
use sha2::{Digest, Sha256};
use std::io::{BufRead, Cursor, Read, Seek, SeekFrom, Write};
use test_vectors::{AgeExpect, AgeVector, age_kit};

/// The number of cases of the kit. A skipped case is a failure.
const CASES: usize = 143;

#[test]
fn every_case_ends_as_the_kit_says() {
    let cases = age_kit().entries;
    assert_eq!(cases.len(), CASES);
    let mut wrong = Vec::new();
    for case in &cases {
        let file = file(case);
        let (plaintext, result) = match case.armored {
            true => open(case, ArmorReader::new(&file[..])),
            false => open(case, &file[..]),
        };
        let found = result.as_ref().map_or_else(reason, |()| AgeExpect::Success);
        let released = may_be_released(case).is_none_or(|all| match &result {
            Ok(()) => plaintext == all,
            Err(_) => all.starts_with(&plaintext),
        });
        if found != case.expect || !released {
            wrong.push(format!("{}: {result:?}, released {released}", case.name));
        }
    }
    assert_eq!(wrong, [""; 0]);
}

/// Header, MAC, nonce and chunks are recreated from the file key.
#[test]
fn every_file_that_opens_is_written_again_with_the_same_bytes() {
    let cases = age_kit().entries;
    let opening = cases
        .iter()
        .filter(|case| case.expect == AgeExpect::Success);
    let mut count = 0;
    for case in opening {
        let mut binary = Vec::new();
        Input::new(&file(case)[..])
            .unwrap()
            .read_to_end(&mut binary)
            .unwrap();
        let header = Header::read(&mut &binary[..]).unwrap();
        let key = FileKey::new(case.file_key.as_slice().try_into().unwrap());
        let nonce = binary[header.to_bytes().len()..][..Payload::NONCE]
            .try_into()
            .unwrap();
        let (plaintext, _) = open(case, &binary[..]);

        let mut again = header.to_bytes();
        again.extend(nonce);
        let mut writer = ChunkWriter::new(Payload::new(&key, nonce), again);
        writer.write_all(&plaintext).unwrap();
        let again = writer.finish().unwrap();
        assert_eq!(again, binary, "{}", case.name);
        armored_again(case, &binary, &plaintext);
        count += 1;
    }
    assert_eq!(count, 26);
}

fn armored_again(case: &AgeVector, binary: &[u8], plaintext: &[u8]) {
    let mut armor = ArmorWriter::new(Vec::new()).unwrap();
    armor.write_all(binary).unwrap();
    let armored = armor.finish().unwrap();
    let (opened, result) = open(case, Input::new(&armored[..]).unwrap());
    assert!(
        result.is_ok() && opened == plaintext,
        "{}: {result:?}",
        case.name
    );
}

/// A file that arrives in pieces of any length gives the same result as one that is read, and
/// releases no more.
#[test]
fn every_case_ends_alike_in_pieces() {
    let cases = age_kit().entries;
    assert_eq!(cases.len(), CASES);
    for case in &cases {
        let file = file(case);
        let (plaintext, result) = open(case, Input::new(&file[..]).unwrap());
        let expected = result.as_ref().map_or_else(reason, |()| AgeExpect::Success);
        // One piece, small ones, and a byte more than a chunk.
        for size in [file.len().max(1), 61, 65_553] {
            let (pieces, ended) = in_pieces(case, &file, size);
            let found = ended.as_ref().map_or_else(reason, |()| AgeExpect::Success);
            assert_eq!(found, expected, "{} by {size}: {ended:?}", case.name);
            match ended {
                Ok(()) => assert_eq!(pieces, plaintext, "{}", case.name),
                Err(_) => assert!(plaintext.starts_with(&pieces), "{}", case.name),
            }
        }
    }
}

fn in_pieces(case: &AgeVector, file: &[u8], size: usize) -> (Vec<u8>, Result<(), Error>) {
    let mut decryptor = DecryptWriter::new(identities(case), Vec::new());
    let mut released = Vec::new();
    for piece in file.chunks(size) {
        if let Err(error) = decryptor.write_all(piece) {
            assert!(decryptor.write_all(piece).is_err(), "an error stays one");
            assert!(decryptor.finish().is_err(), "an error stays one");
            return (released, Err(error.into()));
        }
        released.append(decryptor.get_mut().unwrap());
    }
    let ended = decryptor.finish();
    let ended = ended.map(|mut rest| released.append(&mut rest));
    (released, ended)
}

/// Random access gives the same bytes as reading from the start, and the same payloads are
/// refused.
#[test]
fn seeking_agrees_with_reading() {
    for case in age_kit().entries {
        let payload = match case.expect {
            AgeExpect::Success | AgeExpect::Payload => binary(&case),
            _ => continue,
        };
        let Some((key, chunks)) = payload else {
            continue;
        };
        let (plaintext, result) = read(ChunkReader::new(payload_of(&key), &chunks[..]));
        let mut reader = ChunkReader::new(payload_of(&key), Cursor::new(&chunks));
        let Ok(len) = reader.seek(SeekFrom::End(0)) else {
            assert!(result.is_err(), "{}", case.name);
            continue;
        };
        for place in [0, len / 2, len.saturating_sub(1), len, len + 1] {
            let mut rest = Vec::new();
            let read = reader
                .seek(SeekFrom::Start(place))
                .and_then(|_| reader.read_to_end(&mut rest));
            if result.is_ok() {
                read.unwrap();
                let place = plaintext.len().min(usize::try_from(place).unwrap());
                assert_eq!(rest, plaintext[place..], "{} from {place}", case.name);
            }
        }
    }
}

/// Returns the chunks from the start on that authenticate, as last chunk or not, which are the
/// most that may be released. Their hash is the kit's. We release less if the end is missing or
/// data follows it.
fn may_be_released(case: &AgeVector) -> Option<Vec<u8>> {
    let told = case.payload_sha256.as_ref()?;
    let mut all = Vec::new();
    if let Some((key, chunks)) = binary(case) {
        let payload = payload_of(&key);
        for (index, sealed) in (0..).zip(chunks.chunks(Payload::SIZE + 16)) {
            let full = sealed.len() == Payload::SIZE + 16;
            let opened = [false, true].into_iter().filter(|last| *last || full);
            let opened = opened.filter_map(|last| {
                let mut chunk = sealed.to_vec();
                let (plain, tag) = chunk.split_last_chunk_mut()?;
                payload.open(index, last, plain, tag).ok()?;
                Some((last, plain.to_vec()))
            });
            let Some((last, plain)) = opened.into_iter().next() else {
                break;
            };
            all.extend(plain);
            if last {
                break;
            }
        }
    }
    let hash = data_encoding::HEXLOWER.encode(&Sha256::digest(&all));
    assert_eq!(hash, *told, "{}", case.name);
    Some(all)
}

type Key = ([u8; 16], [u8; 16]);

fn payload_of((key, nonce): &Key) -> Payload {
    Payload::new(&FileKey::new(*key), *nonce)
}

/// Returns the file key, the nonce and the chunks, or `None` if the armor or the nonce is
/// invalid.
fn binary(case: &AgeVector) -> Option<(Key, Vec<u8>)> {
    let mut binary = Vec::new();
    let mut input = Input::new(Cursor::new(file(case))).unwrap();
    input.read_to_end(&mut binary).ok()?;
    let mut rest = &binary[..];
    Header::read(&mut rest).ok()?;
    let (nonce, chunks) = rest.split_first_chunk()?;
    let key = case.file_key.as_slice().try_into().unwrap();
    Some(((key, *nonce), chunks.to_vec()))
}

fn file(case: &AgeVector) -> Vec<u8> {
    if !case.compressed {
        return case.file.clone();
    }
    let mut file = Vec::new();
    ZlibDecoder::new(&case.file[..])
        .read_to_end(&mut file)
        .unwrap();
    file
}

fn identities(case: &AgeVector) -> Vec<Box<dyn Identity>> {
    let mut identities: Vec<Box<dyn Identity>> = Vec::new();
    for text in &case.identities {
        identities.push(keys::read_identity(text).unwrap());
    }
    for text in &case.passphrases {
        identities.push(Box::new(PassphraseIdentity::new(text.clone().into())));
    }
    identities
}

/// Returns the released data, and the result at the end.
fn open(case: &AgeVector, input: impl BufRead) -> (Vec<u8>, Result<(), Error>) {
    let identities = identities(case);
    let identities: Vec<&dyn Identity> = identities.iter().map(AsRef::as_ref).collect();
    match Decryptor::new(&identities, input) {
        Ok(decryptor) => read(decryptor),
        Err(error) => (Vec::new(), Err(error)),
    }
}

fn read(mut input: impl Read) -> (Vec<u8>, Result<(), Error>) {
    let mut plaintext = Vec::new();
    let result = input.read_to_end(&mut plaintext);
    if result.is_err() {
        assert!(input.read(&mut [0]).is_err(), "an error stays one");
    }
    (plaintext, result.map(drop).map_err(Error::from))
}

fn reason(error: &Error) -> AgeExpect {
    match error {
        Error::NoMatch | Error::WrongPassphrase => AgeExpect::NoMatch,
        Error::Mac => AgeExpect::Hmac,
        Error::Header(_) | Error::ExcessiveWork { .. } => AgeExpect::Header,
        Error::Armor(_) => AgeExpect::Armor,
        Error::Payload(_) => AgeExpect::Payload,
        error => panic!("not of a file: {error}"),
    }
}
