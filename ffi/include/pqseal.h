// pqseal: Hybrid Public Key Encryption (RFC 9180 and its post-quantum drafts) for C.
//
// Every function that can fail returns a pqseal_status: PQSEAL_OK, or why it failed, which
// pqseal_strerror puts into a sentence. On failure no output is written, except the length that a
// buffer should have.
//
// A pointer to bytes comes with its length. A length of 0 may come with NULL. An output has a
// capacity, and a pointer through which its length is returned; PQSEAL_ERROR_BUFFER says that the
// capacity is too small, and the length is then what is needed. pqseal_suite_sizes gives the sizes
// of a suite ahead.
//
// Handles are opaque. Each is freed by its own function, which takes NULL too, and which overwrites
// the secrets in it. All functions may be called from several threads at once, with the same
// handles, except that a handle that is freed must not be in use. Handles do not depend on each
// other: a key may be freed while a context that was made with it is in use.
//
// No function unwinds into the caller: a fault in the library is PQSEAL_ERROR_INTERNAL, and only
// then something is written to standard error.


#ifndef PQSEAL_H
#define PQSEAL_H

#include <stddef.h>
#include <stdint.h>

// What a function returns. Codes are added, never changed.
typedef enum pqseal_status {
  // It was done.
  PQSEAL_OK = 0,
  // A fault in the library; please report it.
  PQSEAL_ERROR_INTERNAL = 1,
  // A pointer is NULL that must not be, or an argument is out of range.
  PQSEAL_ERROR_ARGUMENT = 2,
  // An output buffer is too small; its length says what is needed.
  PQSEAL_ERROR_BUFFER = 3,
  // The random number generator of the operating system failed.
  PQSEAL_ERROR_RANDOM = 4,
  // An algorithm is unknown, or not allowed by the policy.
  PQSEAL_ERROR_UNSUPPORTED = 5,
  // The bytes are not a key or an encapsulated key of this KEM.
  PQSEAL_ERROR_KEY = 6,
  // The key belongs to another KEM than the suite's.
  PQSEAL_ERROR_KEY_MISMATCH = 7,
  // psk and psk_id go together, and a psk has at least 32 bytes.
  PQSEAL_ERROR_PSK = 8,
  // This KEM has no authenticated mode, or the key of the other side was given.
  PQSEAL_ERROR_AUTH = 9,
  // It does not open: it was altered, or key, info, aad or mode differ.
  PQSEAL_ERROR_OPEN = 10,
  // An export-only suite cannot seal or open.
  PQSEAL_ERROR_EXPORT_ONLY = 11,
  // An input is longer than its algorithm takes, or too many bytes are to be exported.
  PQSEAL_ERROR_LENGTH = 12,
  // The context has no sequence number left.
  PQSEAL_ERROR_MESSAGE_LIMIT = 13,
  // It is not matched data or not an age file: malformed, cut off, or of an unknown version.
  PQSEAL_ERROR_FORMAT = 14,
  // None of the keys is for this blob or file.
  PQSEAL_ERROR_NO_KEY = 15,
  // The private key was read without its seed, so it cannot be serialized.
  PQSEAL_ERROR_NO_SEED = 16,
  // A file has no recipient, or post-quantum and other recipients.
  PQSEAL_ERROR_RECIPIENTS = 17,
  // A function that reads or writes for the library failed.
  PQSEAL_ERROR_IO = 18,
  // The context was made in another process, which may seal under the same nonces; make a new one.
  PQSEAL_ERROR_PROCESS = 19,
} pqseal_status;

// Which algorithms are allowed.
typedef enum pqseal_policy {
  // What a published RFC defines.
  PQSEAL_POLICY_STANDARD = 0,
  // The same, and what Internet-Drafts define: ML-KEM, its hybrids, one-stage KDFs.
  PQSEAL_POLICY_DRAFT = 1,
  // The same, and algorithms without a registered id.
  PQSEAL_POLICY_EXPERIMENTAL = 2,
} pqseal_policy;

// Private keys to open matched data with.
typedef struct pqseal_key_ring pqseal_key_ring;

// A private key, which knows its KEM.
typedef struct pqseal_private_key pqseal_private_key;

// A public key, which knows its KEM.
typedef struct pqseal_public_key pqseal_public_key;

// The recipient's side of a context.
typedef struct pqseal_recipient pqseal_recipient;

// The sender's side of a context. It seals only in the process that made it: after a fork both
// processes would seal under the same nonces.
typedef struct pqseal_sender pqseal_sender;

// A KEM, a KDF and an AEAD.
typedef struct pqseal_suite pqseal_suite;

// What both sides must agree on, and which mode they use. All zeros, or NULL in the place of a
// pointer to it, is mode_base with an empty info.
typedef struct pqseal_params {
  // What the messages are for.
  const uint8_t *info;
  // Its length, in bytes.
  size_t info_len;
  // With a psk of at least 32 bytes and its id, the mode is mode_psk. Each of the two is given if
  // its pointer is not NULL: one of 0 bytes is PQSEAL_ERROR_PSK, and never the mode without.
  const uint8_t *psk;
  // Its length, in bytes.
  size_t psk_len;
  // The id of the psk.
  const uint8_t *psk_id;
  // Its length, in bytes.
  size_t psk_id_len;
  // With the sender's private key, given by the sender, the mode is mode_auth. NULL otherwise.
  const struct pqseal_private_key *sender_private_key;
  // With the sender's public key, given by the recipient, the mode is mode_auth. NULL otherwise.
  const struct pqseal_public_key *sender_public_key;
} pqseal_params;

// A message of pqseal_open_batch: three inputs, an output, and how it went.
typedef struct pqseal_message {
  // The encapsulated key.
  const uint8_t *enc;
  // Its length, in bytes.
  size_t enc_len;
  // What was authenticated beside the message.
  const uint8_t *aad;
  // Its length, in bytes.
  size_t aad_len;
  // Ciphertext and tag.
  const uint8_t *ct;
  // Their length, in bytes.
  size_t ct_len;
  // Where the plaintext goes.
  uint8_t *pt;
  // How many bytes there is room for.
  size_t pt_capacity;
  // Set to the length of the plaintext, or what it needs after PQSEAL_ERROR_BUFFER.
  size_t pt_len;
  // Set to how it went with this message, a pqseal_status.
  int32_t status;
} pqseal_message;

// Reads up to `capacity` bytes to `bytes` and sets `len` to their number; 0 is the end. Returns 0,
// or another number if reading failed. Must not throw.
typedef int32_t (*pqseal_read)(void *context, uint8_t *bytes, size_t capacity, size_t *len);

// Writes all `len` bytes. Returns 0, or another number if writing failed. Must not throw.
typedef int32_t (*pqseal_write)(void *context, const uint8_t *bytes, size_t len);

// Where a file comes from and where it goes to. The functions are called in the thread of the call.
typedef struct pqseal_stream {
  // Reads the input.
  pqseal_read read;
  // What `read` is called with.
  void *read_context;
  // Writes the output.
  pqseal_write write;
  // What `write` is called with.
  void *write_context;
} pqseal_stream;

// Sizes in bytes, named as in RFC 9180.
typedef struct pqseal_sizes {
  // Nsk: a private key, serialized.
  size_t n_sk;
  // Npk: a public key.
  size_t n_pk;
  // Nenc: an encapsulated key.
  size_t n_enc;
  // Nt: what a ciphertext is longer than its plaintext. 0 for export-only.
  size_t n_t;
} pqseal_sizes;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Opens many messages, several times as fast as one after another for X25519. A message that does
// not open stops nothing: `status` of each says how it went. The function returns PQSEAL_OK if all
// opened, and PQSEAL_ERROR_OPEN if all were tried and some did not. After any other error `status` of
// each message that was not tried is that error.
enum pqseal_status pqseal_open_batch(const struct pqseal_suite *suite,
                                     const struct pqseal_private_key *private_key,
                                     const struct pqseal_params *params,
                                     struct pqseal_message *messages,
                                     size_t count);

// SetupS: a fresh encapsulated key of Nenc bytes in `enc`, and the context that seals under it.
enum pqseal_status pqseal_sender_new(const struct pqseal_suite *suite,
                                     const struct pqseal_public_key *public_key,
                                     const struct pqseal_params *params,
                                     uint8_t *enc,
                                     size_t enc_capacity,
                                     size_t *enc_len,
                                     struct pqseal_sender **sender);

// Seals the next message. `ct` takes Nt bytes more than the plaintext. In another process than the
// one that made the context, the status is PQSEAL_ERROR_PROCESS.
enum pqseal_status pqseal_sender_seal(const struct pqseal_sender *sender,
                                      const uint8_t *aad,
                                      size_t aad_len,
                                      const uint8_t *pt,
                                      size_t pt_len,
                                      uint8_t *ct,
                                      size_t ct_capacity,
                                      size_t *ct_len);

// `len` secret bytes into `out`, which the recipient can export too. In another process than the one
// that made the context, the status is PQSEAL_ERROR_PROCESS.
enum pqseal_status pqseal_sender_export(const struct pqseal_sender *sender,
                                        const uint8_t *exporter_context,
                                        size_t exporter_context_len,
                                        uint8_t *out,
                                        size_t len);

// Frees a context.
void pqseal_sender_free(struct pqseal_sender *sender);

// SetupR: the context that opens what was sealed under `enc`.
enum pqseal_status pqseal_recipient_new(const struct pqseal_suite *suite,
                                        const struct pqseal_private_key *private_key,
                                        const struct pqseal_params *params,
                                        const uint8_t *enc,
                                        size_t enc_len,
                                        struct pqseal_recipient **recipient);

// Opens the next message. After a failure the same message is still the next. `pt` takes Nt bytes
// less than the ciphertext.
enum pqseal_status pqseal_recipient_open(const struct pqseal_recipient *recipient,
                                         const uint8_t *aad,
                                         size_t aad_len,
                                         const uint8_t *ct,
                                         size_t ct_len,
                                         uint8_t *pt,
                                         size_t pt_capacity,
                                         size_t *pt_len);

// Opens the message with this sequence number, in any order; the context's own sequence stays.
// Detecting replays is up to the caller.
enum pqseal_status pqseal_recipient_open_at(const struct pqseal_recipient *recipient,
                                            uint64_t sequence,
                                            const uint8_t *aad,
                                            size_t aad_len,
                                            const uint8_t *ct,
                                            size_t ct_len,
                                            uint8_t *pt,
                                            size_t pt_capacity,
                                            size_t *pt_len);

// As pqseal_sender_export, with the same result.
enum pqseal_status pqseal_recipient_export(const struct pqseal_recipient *recipient,
                                           const uint8_t *exporter_context,
                                           size_t exporter_context_len,
                                           uint8_t *out,
                                           size_t len);

// Frees a context.
void pqseal_recipient_free(struct pqseal_recipient *recipient);

// Encrypts a file in the age format. `recipients` is a text with one per line: `age1...`,
// `age1pq1...`, or a public key as pqseal writes it; `#` begins a comment. Either all of them are
// post-quantum, or none.
enum pqseal_status pqseal_file_encrypt(const uint8_t *recipients,
                                       size_t recipients_len,
                                       const struct pqseal_stream *stream);

// Decrypts a file in the age format, armored or not. `identities` is a text with one or more
// private keys: `AGE-SECRET-KEY-...`, as `age-keygen` writes them, or keys of pqseal. Nothing is
// written before it is authenticated; if the call fails, what was written is the beginning of a
// file that was altered or cut.
enum pqseal_status pqseal_file_decrypt(const uint8_t *identities,
                                       size_t identities_len,
                                       const struct pqseal_stream *stream);

// The recipient of a public key, as a text for files, without a zero at the end.
enum pqseal_status pqseal_file_recipient(const struct pqseal_public_key *public_key,
                                         uint8_t *out,
                                         size_t capacity,
                                         size_t *out_len);

// The identity of a private key, as a text for files, without a zero at the end.
enum pqseal_status pqseal_file_identity(const struct pqseal_private_key *private_key,
                                        uint8_t *out,
                                        size_t capacity,
                                        size_t *out_len);

// GenerateKeyPair.
enum pqseal_status pqseal_generate_key_pair(const struct pqseal_suite *suite,
                                            struct pqseal_private_key **private_key,
                                            struct pqseal_public_key **public_key);

// DeriveKeyPair: the same `ikm` gives the same key pair. It should have at least Nsk bytes, all of
// them secret.
enum pqseal_status pqseal_derive_key_pair(const struct pqseal_suite *suite,
                                          const uint8_t *ikm,
                                          size_t ikm_len,
                                          struct pqseal_private_key **private_key,
                                          struct pqseal_public_key **public_key);

// DeserializePrivateKey: Nsk bytes. For ML-KEM and the hybrids they are the seed.
enum pqseal_status pqseal_private_key_deserialize(const struct pqseal_suite *suite,
                                                  const uint8_t *bytes,
                                                  size_t len,
                                                  struct pqseal_private_key **private_key);

// Reads the bytes of a key file in any format that pqseal reads: base64 (of X25519), PEM, DER, JWK,
// a key-pair file, a pqseal line.
enum pqseal_status pqseal_private_key_read(const uint8_t *file,
                                           size_t len,
                                           struct pqseal_private_key **private_key);

// SerializePrivateKey: Nsk bytes.
enum pqseal_status pqseal_private_key_serialize(const struct pqseal_private_key *private_key,
                                                uint8_t *out,
                                                size_t capacity,
                                                size_t *out_len);

// The public key of a private one.
enum pqseal_status pqseal_private_key_public_key(const struct pqseal_private_key *private_key,
                                                 struct pqseal_public_key **public_key);

// DeserializePublicKey: Npk bytes.
enum pqseal_status pqseal_public_key_deserialize(const struct pqseal_suite *suite,
                                                 const uint8_t *bytes,
                                                 size_t len,
                                                 struct pqseal_public_key **public_key);

// Reads the text of a public key in any format that pqseal reads, or the public half of a private
// one. Base64 is taken for the public key itself.
enum pqseal_status pqseal_public_key_read(const uint8_t *text,
                                          size_t len,
                                          struct pqseal_public_key **public_key);

// SerializePublicKey: Npk bytes.
enum pqseal_status pqseal_public_key_serialize(const struct pqseal_public_key *public_key,
                                               uint8_t *out,
                                               size_t capacity,
                                               size_t *out_len);

// Frees a private key.
void pqseal_private_key_free(struct pqseal_private_key *private_key);

// Frees a public key.
void pqseal_public_key_free(struct pqseal_public_key *public_key);

// An empty ring.
enum pqseal_status pqseal_key_ring_new(struct pqseal_key_ring **ring);

// Adds a key at the end.
enum pqseal_status pqseal_key_ring_add(const struct pqseal_key_ring *ring,
                                       const struct pqseal_private_key *private_key);

// From now on, refuses blobs whose version is less than this one, which is 1 to 4. Only version 4 is
// bound to info and aad, so 4 prevents that an older blob is accepted in another place.
enum pqseal_status pqseal_key_ring_require_version(const struct pqseal_key_ring *ring,
                                                   uint8_t version);

// Frees a ring.
void pqseal_key_ring_free(struct pqseal_key_ring *ring);

// Seals matched data as base64, without a line break and without a zero at the end: version 3 to an
// X25519 key without info and aad, otherwise version 4, which opens with the same info and aad only.
enum pqseal_status pqseal_matched_data_seal(const struct pqseal_public_key *public_key,
                                            const uint8_t *info,
                                            size_t info_len,
                                            const uint8_t *aad,
                                            size_t aad_len,
                                            const uint8_t *pt,
                                            size_t pt_len,
                                            uint8_t *out,
                                            size_t capacity,
                                            size_t *out_len);

// Opens matched data of any version: base64, or its bytes. `info` and `aad` are for version 4.
// `pt` never takes more bytes than `blob` has.
enum pqseal_status pqseal_matched_data_open(const struct pqseal_key_ring *ring,
                                            const uint8_t *info,
                                            size_t info_len,
                                            const uint8_t *aad,
                                            size_t aad_len,
                                            const uint8_t *blob,
                                            size_t blob_len,
                                            uint8_t *pt,
                                            size_t pt_capacity,
                                            size_t *pt_len);

// Seals one message. `enc` takes Nenc bytes, `ct` takes Nt bytes more than the plaintext.
enum pqseal_status pqseal_seal(const struct pqseal_suite *suite,
                               const struct pqseal_public_key *public_key,
                               const struct pqseal_params *params,
                               const uint8_t *aad,
                               size_t aad_len,
                               const uint8_t *pt,
                               size_t pt_len,
                               uint8_t *enc,
                               size_t enc_capacity,
                               size_t *enc_len,
                               uint8_t *ct,
                               size_t ct_capacity,
                               size_t *ct_len);

// Opens the one message that was sealed under `enc`. `pt` takes Nt bytes less than the ciphertext.
enum pqseal_status pqseal_open(const struct pqseal_suite *suite,
                               const struct pqseal_private_key *private_key,
                               const struct pqseal_params *params,
                               const uint8_t *enc,
                               size_t enc_len,
                               const uint8_t *aad,
                               size_t aad_len,
                               const uint8_t *ct,
                               size_t ct_len,
                               uint8_t *pt,
                               size_t pt_capacity,
                               size_t *pt_len);

// A sentence for a status: static, in English, never NULL.
const char *pqseal_strerror(int32_t status);

// The version of the library, such as "0.1.0": static.
const char *pqseal_version(void);

// Makes a suite of the ids of KEM, KDF and AEAD (sections 7.1 to 7.3 of RFC 9180). `policy` is one
// of pqseal_policy.
enum pqseal_status pqseal_suite_new(uint16_t kem,
                                    uint16_t kdf,
                                    uint16_t aead,
                                    int32_t policy,
                                    struct pqseal_suite **suite);

// The sizes of a suite.
enum pqseal_status pqseal_suite_sizes(const struct pqseal_suite *suite, struct pqseal_sizes *sizes);

// Frees a suite.
void pqseal_suite_free(struct pqseal_suite *suite);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PQSEAL_H */
