// The classes that make a suite. A KEM has the operations on keys; a KDF and an AEAD only say which
// they are.
export { Kem, DhkemP256HkdfSha256, DhkemP384HkdfSha384, DhkemP521HkdfSha512, DhkemX25519HkdfSha256,
    DhkemX448HkdfSha512, HybridkemX25519Kyber768, MlKem512, MlKem768, MlKem1024, MlKem768P256,
    MlKem1024P384, XWing } from "./kem.js";
export { AeadId, KdfId, KemId } from "./ids.js";
import { AeadId, KdfId } from "./ids.js";

const kdf = (id, hashSize) =>
    class {
        id = id;
        hashSize = hashSize;
    };

export class HkdfSha256 extends kdf(KdfId.HkdfSha256, 32) {}
export class HkdfSha384 extends kdf(KdfId.HkdfSha384, 48) {}
export class HkdfSha512 extends kdf(KdfId.HkdfSha512, 64) {}

const aead = (id, keySize, nonceSize, tagSize) =>
    class {
        id = id;
        keySize = keySize;
        nonceSize = nonceSize;
        tagSize = tagSize;
    };

export class Aes128Gcm extends aead(AeadId.Aes128Gcm, 16, 12, 16) {}
export class Aes256Gcm extends aead(AeadId.Aes256Gcm, 32, 12, 16) {}
export class Chacha20Poly1305 extends aead(AeadId.Chacha20Poly1305, 32, 12, 16) {}
export class ExportOnly extends aead(AeadId.ExportOnly, 0, 0, 0) {}
