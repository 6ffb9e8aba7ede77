// pqseal: Hybrid Public Key Encryption (RFC 9180 and its post-quantum drafts) for C.
//
// Every function that can fail returns a pqseal_status: PQSEAL_OK, or why it failed, which
// pqseal_strerror puts into a sentence. On failure no output is written, except the length that a
// buffer should have.
//
// A pointer to bytes comes with its length. A length of 0 may come with NULL. An output has a
// capacity, and a pointer through which its length is returned; PQSEAL_ERROR_BUFFER says that the
// capacity is too small, and the length is then what is needed. pqseal_suite_sizes gives the sizes
// of a suite ahead. An output may be the buffer of an input, or overlap it: inputs are read first.
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

// The result of a function. Codes are added, never changed.
typedef enum pqseal_status {
  // The call succeeded.
  PQSEAL_OK = 0,
  // A fault in the library; please report it.
  PQSEAL_ERROR_INTERNAL = 1,
  // A pointer must not be NULL, or an argument is out of range.
  PQSEAL_ERROR_ARGUMENT = 2,
  // An output buffer is too small; its length is set to the required size.
  PQSEAL_ERROR_BUFFER = 3,
  // The random number generator of the operating system failed.
  PQSEAL_ERROR_RANDOM = 4,
  // An algorithm is unknown, or not allowed by the policy.
  PQSEAL_ERROR_UNSUPPORTED = 5,
  // The bytes are not a key or an encapsulated key of this KEM.
  PQSEAL_ERROR_KEY = 6,
  // The key belongs to another KEM than the suite's.
  PQSEAL_ERROR_KEY_MISMATCH = 7,
  // Only one of psk and psk_id was given, or the psk has fewer than 32 bytes.
  PQSEAL_ERROR_PSK = 8,
  // The KEM has no authenticated mode, or the key of the other side was given.
  PQSEAL_ERROR_AUTH = 9,
  // Opening failed: the data was altered, or key, info, aad or mode differ.
  PQSEAL_ERROR_OPEN = 10,
  // An export-only suite cannot seal or open.
  PQSEAL_ERROR_EXPORT_ONLY = 11,
  // An input is too long for its algorithm, or too many bytes were requested from an export.
  PQSEAL_ERROR_LENGTH = 12,
  // The context has no sequence number left.
  PQSEAL_ERROR_MESSAGE_LIMIT = 13,
  // The input is not matched data or not an age file: malformed or cut off.
  PQSEAL_ERROR_FORMAT = 14,
  // None of the keys is for this blob or file.
  PQSEAL_ERROR_NO_KEY = 15,
  // The private key was read without its seed, so it cannot be serialized.
  PQSEAL_ERROR_NO_SEED = 16,
  // A file has no recipient, or a mix of post-quantum and other recipients.
  PQSEAL_ERROR_RECIPIENTS = 17,
  // A function that reads or writes for the library failed.
  PQSEAL_ERROR_IO = 18,
  // The context was created in another process, which may seal under the same nonces; create a
  // new one.
  PQSEAL_ERROR_PROCESS = 19,
  // The edge logged the word "truncated" in the place of a payload that was too large. No key
  // opens it. A blob that was cut off is PQSEAL_ERROR_FORMAT, or PQSEAL_ERROR_OPEN if only the
  // ciphertext of version 4 was cut.
  PQSEAL_ERROR_TRUNCATED = 20,
  // The input is empty.
  PQSEAL_ERROR_EMPTY = 21,
  // The private key is encrypted with a passphrase; decrypt it first.
  PQSEAL_ERROR_KEY_ENCRYPTED = 22,
  // The key is a public one, and the private one is needed.
  PQSEAL_ERROR_KEY_PUBLIC = 23,
  // The text of a blob is not base64.
  PQSEAL_ERROR_BASE64 = 24,
  // The version of the matched data is unknown, or less than the ring requires.
  PQSEAL_ERROR_VERSION = 25,
  // The calendar is private, and the public one is needed.
  PQSEAL_ERROR_KEY_PRIVATE = 26,
  // The key of the period was shredded.
  PQSEAL_ERROR_KEY_SHREDDED = 27,
  // The key of the period is not in this lent calendar.
  PQSEAL_ERROR_KEY_NOT_LENT = 28,
  // The calendar has no period, or no key, for this time.
  PQSEAL_ERROR_NO_PERIOD = 29,
} pqseal_status;

// The state of a period's key in a calendar.
typedef enum pqseal_period_state {
  // The key is there.
  PQSEAL_PERIOD_KEY = 0,
  // The private key was shredded.
  PQSEAL_PERIOD_SHREDDED = 1,
  // The private key is not in this lent calendar.
  PQSEAL_PERIOD_NOT_LENT = 2,
  // The public key was left out.
  PQSEAL_PERIOD_LEFT_OUT = 3,
} pqseal_period_state;

// A policy for algorithms.
typedef enum pqseal_policy {
  // Algorithms that a published RFC defines.
  PQSEAL_POLICY_STANDARD = 0,
  // Also algorithms that Internet-Drafts define: ML-KEM, its hybrids, one-stage KDFs.
  PQSEAL_POLICY_DRAFT = 1,
  // Also algorithms without a registered id.
  PQSEAL_POLICY_EXPERIMENTAL = 2,
} pqseal_policy;

// A format in which keys are written.
typedef enum pqseal_key_format {
  // Base64 of the serialized key, without the name of its KEM.
  PQSEAL_KEY_FORMAT_RAW = 0,
  // PKCS#8 and SubjectPublicKeyInfo as PEM, for curves and ML-KEM.
  PQSEAL_KEY_FORMAT_PEM = 1,
  // JSON Web Key, for curves, ML-KEM and hybrids of both.
  PQSEAL_KEY_FORMAT_JWK = 2,
  // A line of pqseal's own format with a checksum, for every KEM.
  PQSEAL_KEY_FORMAT_LINE = 3,
  // PKCS#8 and SubjectPublicKeyInfo in DER, which is not text, for curves and ML-KEM.
  PQSEAL_KEY_FORMAT_DER = 4,
  // COSE_Key without an algorithm, which is not text, for curves.
  PQSEAL_KEY_FORMAT_COSE_KEY = 5,
} pqseal_key_format;

// A calendar: an independent key pair for each hour, day or week. It has no clock: times are
// arguments, in seconds since 1970.
typedef struct pqseal_calendar pqseal_calendar;

// Private keys for opening matched data.
typedef struct pqseal_key_ring pqseal_key_ring;

// A private key, which knows its KEM.
typedef struct pqseal_private_key pqseal_private_key;

// A public key, which knows its KEM.
typedef struct pqseal_public_key pqseal_public_key;

// The recipient's side of a context.
typedef struct pqseal_recipient pqseal_recipient;

// The sender's side of a context. It seals only in the process that created it, since after a fork
// both processes would seal under the same nonces.
typedef struct pqseal_sender pqseal_sender;

// A KEM, a KDF and an AEAD.
typedef struct pqseal_suite pqseal_suite;

// The parameters that both sides must agree on, and the mode. If all are zero, or the pointer to
// the struct is NULL, the mode is mode_base and info is empty.
typedef struct pqseal_params {
  // The application's context of the messages.
  const uint8_t *info;
  // Its length, in bytes.
  size_t info_len;
  // A psk of at least 32 bytes. With psk and psk_id the mode is mode_psk. Each of the two is
  // given if its pointer is not NULL: 0 bytes are PQSEAL_ERROR_PSK, and never the mode without a
  // psk.
  const uint8_t *psk;
  // Its length, in bytes.
  size_t psk_len;
  // The id of the psk.
  const uint8_t *psk_id;
  // Its length, in bytes.
  size_t psk_id_len;
  // The sender's private key, which the sender gives to select mode_auth. NULL otherwise.
  const struct pqseal_private_key *sender_private_key;
  // The sender's public key, which the recipient gives to select mode_auth. NULL otherwise.
  const struct pqseal_public_key *sender_public_key;
} pqseal_params;

// A message of pqseal_open_batch, with its inputs, its output and its status.
typedef struct pqseal_message {
  // The encapsulated key.
  const uint8_t *enc;
  // Its length, in bytes.
  size_t enc_len;
  // The associated data of the message.
  const uint8_t *aad;
  // Its length, in bytes.
  size_t aad_len;
  // The ciphertext, including its tag.
  const uint8_t *ct;
  // Its length, in bytes.
  size_t ct_len;
  // The buffer for the plaintext.
  uint8_t *pt;
  // The size of the buffer, in bytes.
  size_t pt_capacity;
  // Set to the length of the plaintext, or to the required size after PQSEAL_ERROR_BUFFER.
  size_t pt_len;
  // Set to the pqseal_status of this message.
  int32_t status;
} pqseal_message;

// The properties of a calendar.
typedef struct pqseal_calendar_facts {
  // The id, which all files of a calendar have.
  uint8_t id[16];
  // The id of the KEM of all keys.
  uint16_t kem;
  // 1 for a private calendar, also a lent one or one without a key; 0 for a public one.
  uint8_t is_private;
  // The number of periods.
  size_t count;
} pqseal_calendar_facts;

// A period of a calendar.
typedef struct pqseal_period {
  // The start, in seconds since 1970.
  uint64_t start;
  // The end, in seconds since 1970.
  uint64_t end;
  // The id of its key, by which blobs name it.
  uint8_t key_id[8];
  // The state of its key.
  enum pqseal_period_state state;
} pqseal_period;

// A function that reads up to `capacity` bytes to `bytes` and sets `len` to their number, where 0
// is the end. It returns 0, or another number if reading failed. It must not throw.
typedef int32_t (*pqseal_read)(void *context, uint8_t *bytes, size_t capacity, size_t *len);

// A function that writes all `len` bytes. It returns 0, or another number if writing failed. It
// must not throw.
typedef int32_t (*pqseal_write)(void *context, const uint8_t *bytes, size_t len);

// The input and the output of a file. The functions are called in the thread of the call.
typedef struct pqseal_stream {
  // The function that reads the input.
  pqseal_read read;
  // The first argument of `read`.
  void *read_context;
  // The function that writes the output.
  pqseal_write write;
  // The first argument of `write`.
  void *write_context;
} pqseal_stream;

// The properties of matched data that are visible without a key. Sizes are in bytes.
typedef struct pqseal_blob {
  // The version of the format, 1 to 4.
  uint8_t version;
  // The id of the key that it was sealed to, in version 4; zeros in others.
  uint8_t key_id[8];
  // The id of the KEM.
  uint16_t kem;
  // The id of the KDF.
  uint16_t kdf;
  // The id of the AEAD.
  uint16_t aead;
  // The size of the blob.
  size_t blob_len;
  // The size of the plaintext.
  size_t plaintext_len;
  // The number of bytes after its end, which pqseal_matched_data_open refuses.
  size_t trailing_len;
} pqseal_blob;

// A record of pqseal_matched_data_open_batch, with its inputs, its output and its status.
typedef struct pqseal_record {
  // The blob, as base64 or bytes.
  const uint8_t *blob;
  // Its length, in bytes.
  size_t blob_len;
  // The associated data of the record, for version 4.
  const uint8_t *aad;
  // Its length, in bytes.
  size_t aad_len;
  // The buffer for the plaintext, which never requires more bytes than `blob` has.
  uint8_t *pt;
  // The size of the buffer, in bytes.
  size_t pt_capacity;
  // Set to the length of the plaintext, or to the required size after PQSEAL_ERROR_BUFFER.
  size_t pt_len;
  // Set to the index of the key that opened it, from 0 in the order of addition, for
  // pqseal_key_ring_name.
  size_t key;
  // Set to the pqseal_status of this record.
  int32_t status;
} pqseal_record;

// Sizes in bytes, named as in RFC 9180.
typedef struct pqseal_sizes {
  // Nsk, the size of a serialized private key.
  size_t n_sk;
  // Npk, the size of a public key.
  size_t n_pk;
  // Nenc, the size of an encapsulated key.
  size_t n_enc;
  // Nt, the difference between the sizes of a ciphertext and its plaintext. 0 for export-only.
  size_t n_t;
} pqseal_sizes;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// Opens many messages, for X25519 several times as fast as one after another. A message that fails
// does not affect the others: each has its own `status`. Returns PQSEAL_OK if all were opened, and
// PQSEAL_ERROR_OPEN if all were tried and some failed. After any other error, it is also the
// `status` of each message that was not tried.
enum pqseal_status pqseal_open_batch(const struct pqseal_suite *suite,
                                     const struct pqseal_private_key *private_key,
                                     const struct pqseal_params *params,
                                     struct pqseal_message *messages,
                                     size_t count);

// Reads a public, private or lent calendar. Keys are decoded when they are used.
enum pqseal_status pqseal_calendar_read(const uint8_t *file,
                                        size_t len,
                                        struct pqseal_calendar **calendar);

// Describes a calendar.
enum pqseal_status pqseal_calendar_describe(const struct pqseal_calendar *calendar,
                                            struct pqseal_calendar_facts *facts);

// Describes the period at `index`, from 0.
enum pqseal_status pqseal_calendar_period(const struct pqseal_calendar *calendar,
                                          size_t index,
                                          struct pqseal_period *period);

// Writes the index of the period that contains a time. PQSEAL_ERROR_NO_PERIOD outside the
// calendar.
enum pqseal_status pqseal_calendar_at(const struct pqseal_calendar *calendar,
                                      uint64_t time,
                                      size_t *index);

// Seals matched data to the period of a public calendar that contains `time`, as
// pqseal_matched_data_seal does, in version 4.
enum pqseal_status pqseal_calendar_seal(const struct pqseal_calendar *calendar,
                                        uint64_t time,
                                        const uint8_t *info,
                                        size_t info_len,
                                        const uint8_t *aad,
                                        size_t aad_len,
                                        const uint8_t *pt,
                                        size_t pt_len,
                                        uint8_t *out,
                                        size_t capacity,
                                        size_t *out_len);

// Adds the keys of a private or lent calendar at the end of a ring, which keeps a reference: the
// handle may be freed. Each period takes an index. Its keys are not tried for blobs of versions 1 to
// 3. A public calendar is PQSEAL_ERROR_KEY_PUBLIC.
enum pqseal_status pqseal_key_ring_add_calendar(const struct pqseal_key_ring *ring,
                                                const struct pqseal_calendar *calendar);

// Frees a calendar.
void pqseal_calendar_free(struct pqseal_calendar *calendar);

// SetupS: writes a fresh encapsulated key of Nenc bytes to `enc`, and creates the context that
// seals under it.
enum pqseal_status pqseal_sender_new(const struct pqseal_suite *suite,
                                     const struct pqseal_public_key *public_key,
                                     const struct pqseal_params *params,
                                     uint8_t *enc,
                                     size_t enc_capacity,
                                     size_t *enc_len,
                                     struct pqseal_sender **sender);

// Seals the next message. `ct` requires Nt bytes more than the plaintext. Fails with
// PQSEAL_ERROR_PROCESS in a process other than the one that created the context.
enum pqseal_status pqseal_sender_seal(const struct pqseal_sender *sender,
                                      const uint8_t *aad,
                                      size_t aad_len,
                                      const uint8_t *pt,
                                      size_t pt_len,
                                      uint8_t *ct,
                                      size_t ct_capacity,
                                      size_t *ct_len);

// Seals the next message, as pqseal_sender_seal, and writes its number, from 0, for
// pqseal_recipient_open_at. Threads that share a context learn only so which message got which.
enum pqseal_status pqseal_sender_seal_with_sequence(const struct pqseal_sender *sender,
                                                    const uint8_t *aad,
                                                    size_t aad_len,
                                                    const uint8_t *pt,
                                                    size_t pt_len,
                                                    uint8_t *ct,
                                                    size_t ct_capacity,
                                                    size_t *ct_len,
                                                    uint64_t *sequence);

// Writes the number of the next message, from 0. Fails with PQSEAL_ERROR_PROCESS in a process other
// than the one that created the context.
enum pqseal_status pqseal_sender_sequence(const struct pqseal_sender *sender, uint64_t *sequence);

// Exports `len` secret bytes to `out`, which the recipient can export too. Fails with
// PQSEAL_ERROR_PROCESS in a process other than the one that created the context.
enum pqseal_status pqseal_sender_export(const struct pqseal_sender *sender,
                                        const uint8_t *exporter_context,
                                        size_t exporter_context_len,
                                        uint8_t *out,
                                        size_t len);

// Frees a context.
void pqseal_sender_free(struct pqseal_sender *sender);

// SetupR: creates the context that opens messages sealed under `enc`.
enum pqseal_status pqseal_recipient_new(const struct pqseal_suite *suite,
                                        const struct pqseal_private_key *private_key,
                                        const struct pqseal_params *params,
                                        const uint8_t *enc,
                                        size_t enc_len,
                                        struct pqseal_recipient **recipient);

// Opens the next message. After a failure the same message is still the next. `pt` requires Nt
// bytes less than the ciphertext.
enum pqseal_status pqseal_recipient_open(const struct pqseal_recipient *recipient,
                                         const uint8_t *aad,
                                         size_t aad_len,
                                         const uint8_t *ct,
                                         size_t ct_len,
                                         uint8_t *pt,
                                         size_t pt_capacity,
                                         size_t *pt_len);

// Opens the message with this sequence number, in any order, without changing the context's own
// sequence number. The caller must detect replays.
enum pqseal_status pqseal_recipient_open_at(const struct pqseal_recipient *recipient,
                                            uint64_t sequence,
                                            const uint8_t *aad,
                                            size_t aad_len,
                                            const uint8_t *ct,
                                            size_t ct_len,
                                            uint8_t *pt,
                                            size_t pt_capacity,
                                            size_t *pt_len);

// Exports the same bytes as pqseal_sender_export.
enum pqseal_status pqseal_recipient_export(const struct pqseal_recipient *recipient,
                                           const uint8_t *exporter_context,
                                           size_t exporter_context_len,
                                           uint8_t *out,
                                           size_t len);

// Writes the number of the next message, from 0.
enum pqseal_status pqseal_recipient_sequence(const struct pqseal_recipient *recipient,
                                             uint64_t *sequence);

// Frees a context.
void pqseal_recipient_free(struct pqseal_recipient *recipient);

// Encrypts a file in the age format. `recipients` is a text with one recipient per line:
// `age1...`, `age1pq1...`, or a public key as pqseal writes it. `#` begins a comment. Either all
// recipients are post-quantum, or none.
enum pqseal_status pqseal_file_encrypt(const uint8_t *recipients,
                                       size_t recipients_len,
                                       const struct pqseal_stream *stream);

// Decrypts a file in the age format, armored or not. `identities` is a text with one or more
// private keys: `AGE-SECRET-KEY-...`, as `age-keygen` writes them, or keys of pqseal. Only
// authenticated data is written. If the call fails, the output is the beginning of a file that
// was altered or truncated.
enum pqseal_status pqseal_file_decrypt(const uint8_t *identities,
                                       size_t identities_len,
                                       const struct pqseal_stream *stream);

// Writes the recipient of a public key, as a text for files without a terminating zero.
enum pqseal_status pqseal_file_recipient(const struct pqseal_public_key *public_key,
                                         uint8_t *out,
                                         size_t capacity,
                                         size_t *out_len);

// Writes the identity of a private key, as a text for files without a terminating zero.
enum pqseal_status pqseal_file_identity(const struct pqseal_private_key *private_key,
                                        uint8_t *out,
                                        size_t capacity,
                                        size_t *out_len);

// Describes matched data of any version, as base64 or bytes, without a key.
enum pqseal_status pqseal_matched_data_inspect(const uint8_t *blob,
                                               size_t blob_len,
                                               struct pqseal_blob *found);

// GenerateKeyPair: generates a key pair.
enum pqseal_status pqseal_generate_key_pair(const struct pqseal_suite *suite,
                                            struct pqseal_private_key **private_key,
                                            struct pqseal_public_key **public_key);

// DeriveKeyPair: derives a key pair from `ikm`, which should have at least Nsk bytes, all of them
// secret. The same `ikm` gives the same key pair.
enum pqseal_status pqseal_derive_key_pair(const struct pqseal_suite *suite,
                                          const uint8_t *ikm,
                                          size_t ikm_len,
                                          struct pqseal_private_key **private_key,
                                          struct pqseal_public_key **public_key);

// DeserializePrivateKey: reads Nsk bytes. For ML-KEM and the hybrids they are the seed.
enum pqseal_status pqseal_private_key_deserialize(const struct pqseal_suite *suite,
                                                  const uint8_t *bytes,
                                                  size_t len,
                                                  struct pqseal_private_key **private_key);

// Reads the bytes of a key file in any format that pqseal supports: base64 (for X25519), PEM, DER,
// JWK, COSE_Key, a key-pair file, or a pqseal line.
enum pqseal_status pqseal_private_key_read(const uint8_t *file,
                                           size_t len,
                                           struct pqseal_private_key **private_key);

// SerializePrivateKey: writes Nsk bytes.
enum pqseal_status pqseal_private_key_serialize(const struct pqseal_private_key *private_key,
                                                uint8_t *out,
                                                size_t capacity,
                                                size_t *out_len);

// Returns the public key of a private key.
enum pqseal_status pqseal_private_key_public_key(const struct pqseal_private_key *private_key,
                                                 struct pqseal_public_key **public_key);

// DeserializePublicKey: reads Npk bytes.
enum pqseal_status pqseal_public_key_deserialize(const struct pqseal_suite *suite,
                                                 const uint8_t *bytes,
                                                 size_t len,
                                                 struct pqseal_public_key **public_key);

// Reads the text of a public key in any format that pqseal supports, or the public half of a
// private key. Base64 does not show its half, and is read as a public key: do not give this a
// private key in base64, since the result would be that private key. pqseal_private_key_read and
// pqseal_private_key_public_key return its public half.
enum pqseal_status pqseal_public_key_read(const uint8_t *text,
                                          size_t len,
                                          struct pqseal_public_key **public_key);

// SerializePublicKey: writes Npk bytes.
enum pqseal_status pqseal_public_key_serialize(const struct pqseal_public_key *public_key,
                                               uint8_t *out,
                                               size_t capacity,
                                               size_t *out_len);

// Writes a private key. Text ends in a line break, without a terminating zero. `format` is one of
// pqseal_key_format. PQSEAL_ERROR_ARGUMENT if it does not hold keys of this KEM.
enum pqseal_status pqseal_private_key_write(const struct pqseal_private_key *private_key,
                                            int32_t format,
                                            uint8_t *out,
                                            size_t capacity,
                                            size_t *out_len);

// Writes a public key, as pqseal_private_key_write.
enum pqseal_status pqseal_public_key_write(const struct pqseal_public_key *public_key,
                                           int32_t format,
                                           uint8_t *out,
                                           size_t capacity,
                                           size_t *out_len);

// Writes the id of the KEM of a private key.
enum pqseal_status pqseal_private_key_kem(const struct pqseal_private_key *private_key,
                                          uint16_t *kem);

// Writes the id of the KEM of a public key.
enum pqseal_status pqseal_public_key_kem(const struct pqseal_public_key *public_key, uint16_t *kem);

// Frees a private key.
void pqseal_private_key_free(struct pqseal_private_key *private_key);

// Frees a public key.
void pqseal_public_key_free(struct pqseal_public_key *public_key);

// Creates an empty ring.
enum pqseal_status pqseal_key_ring_new(struct pqseal_key_ring **ring);

// Adds a key at the end.
enum pqseal_status pqseal_key_ring_add(const struct pqseal_key_ring *ring,
                                       const struct pqseal_private_key *private_key);

// Makes the ring refuse blobs whose version is less than this one, which is 1 to 4. Only version 4
// is bound to info and aad, so 4 prevents the acceptance of an older blob in another context.
enum pqseal_status pqseal_key_ring_require_version(const struct pqseal_key_ring *ring,
                                                   uint8_t version);

// Frees a ring.
void pqseal_key_ring_free(struct pqseal_key_ring *ring);

// Seals matched data to base64, without a line break and without a terminating zero. For an X25519
// key without info and aad the version is 3. Otherwise it is 4, which requires the same info and
// aad to open.
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

// Opens matched data of any version, as base64 or bytes. `info` and `aad` are for version 4. `pt`
// never requires more bytes than `blob` has.
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

// Seals one message. `enc` requires Nenc bytes, `ct` requires Nt bytes more than the plaintext.
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

// Opens the one message that was sealed under `enc`. `pt` requires Nt bytes less than the
// ciphertext.
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

// Finds the id of a KEM by its name, such as "x25519", "X-Wing" or "DHKEM(P-256, HKDF-SHA256)", in
// any case and with or without hyphens. An id is a name too, such as "0x647a".
// PQSEAL_ERROR_UNSUPPORTED does not list the nearest names, as errors in other languages do.
enum pqseal_status pqseal_kem_by_name(const uint8_t *name, size_t len, uint16_t *id);

// Finds the id of a KDF by its name, such as "HKDF-SHA256", as pqseal_kem_by_name.
enum pqseal_status pqseal_kdf_by_name(const uint8_t *name, size_t len, uint16_t *id);

// Finds the id of an AEAD by its name, such as "AES-128-GCM", as pqseal_kem_by_name.
enum pqseal_status pqseal_aead_by_name(const uint8_t *name, size_t len, uint16_t *id);

// Opens many blobs of any versions, each with its own `aad`, several times as fast as one after
// another. `info` is for version 4. Statuses are set as by pqseal_open_batch. It runs on this
// thread: other threads may open other records with the same ring.
enum pqseal_status pqseal_matched_data_open_batch(const struct pqseal_key_ring *ring,
                                                  const uint8_t *info,
                                                  size_t info_len,
                                                  struct pqseal_record *records,
                                                  size_t count);

// Adds all keys of a key file at the end, as pqseal_private_key_read reads one, with their labels:
// `#` starts a comment, which labels the key beside it, or else the key on the next line. Adds none
// if one of them is not valid. A calendar is PQSEAL_ERROR_KEY: pqseal_key_ring_add_calendar takes it.
enum pqseal_status pqseal_key_ring_read(const struct pqseal_key_ring *ring,
                                        const uint8_t *file,
                                        size_t len);

// Writes the name of the key at this index, from 0 in the order of addition: its id, by which
// version 4 blobs name it (pqseal_blob), to `key_id`, which has 8 bytes, and its label without a
// terminating zero, or nothing if it has none. PQSEAL_ERROR_ARGUMENT if there is no such key.
enum pqseal_status pqseal_key_ring_name(const struct pqseal_key_ring *ring,
                                        size_t index,
                                        uint8_t (*key_id)[8],
                                        uint8_t *label,
                                        size_t capacity,
                                        size_t *label_len);

// Returns a sentence for a status: static, in English, never NULL.
const char *pqseal_strerror(int32_t status);

// Returns the version of the library, such as "0.1.0", as a static string.
const char *pqseal_version(void);

// Creates a suite from the ids of KEM, KDF and AEAD (sections 7.1 to 7.3 of RFC 9180). `policy` is
// one of pqseal_policy.
enum pqseal_status pqseal_suite_new(uint16_t kem,
                                    uint16_t kdf,
                                    uint16_t aead,
                                    int32_t policy,
                                    struct pqseal_suite **suite);

// Writes the sizes of a suite.
enum pqseal_status pqseal_suite_sizes(const struct pqseal_suite *suite, struct pqseal_sizes *sizes);

// Frees a suite.
void pqseal_suite_free(struct pqseal_suite *suite);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* PQSEAL_H */
