/* What a caller can get wrong by one byte, by an empty secret, by a number or by a fork; keys as text. Prints nothing. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <pqseal.h>

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define OK(call) CHECK((call) == PQSEAL_OK)
#define FAILS(status, call) CHECK((call) == (status))

typedef struct {
    pqseal_suite *suite;
    pqseal_private_key *private_key;
    pqseal_public_key *public_key;
    pqseal_sizes sizes;
    uint8_t *enc;
    pqseal_sender *sender;
    pqseal_recipient *recipient;
} setup;

static setup set_up(uint16_t kem, uint16_t kdf) {
    setup s;
    size_t len;
    OK(pqseal_suite_new(kem, kdf, 0x0001, PQSEAL_POLICY_DRAFT, &s.suite));
    OK(pqseal_generate_key_pair(s.suite, &s.private_key, &s.public_key));
    OK(pqseal_suite_sizes(s.suite, &s.sizes));
    s.enc = (uint8_t *)malloc(s.sizes.n_enc);
    CHECK(s.enc != NULL);
    OK(pqseal_sender_new(s.suite, s.public_key, NULL, s.enc, s.sizes.n_enc, &len, &s.sender));
    OK(pqseal_recipient_new(s.suite, s.private_key, NULL, s.enc, len, &s.recipient));
    return s;
}

static void forget(setup *s) {
    pqseal_recipient_free(s->recipient);
    pqseal_sender_free(s->sender);
    pqseal_public_key_free(s->public_key);
    pqseal_private_key_free(s->private_key);
    pqseal_suite_free(s->suite);
    free(s->enc);
}

/* The status of each function that takes parameters: of both sides, one message and contexts. */
static void all_fail(const setup *s, const pqseal_params *to, const pqseal_params *from) {
    uint8_t enc[64], ct[16], pt[1];
    size_t enc_len, ct_len, pt_len;
    pqseal_sender *sender = NULL;
    pqseal_recipient *recipient = NULL;
    pqseal_message message;
    FAILS(PQSEAL_ERROR_PSK,
          pqseal_seal(s->suite, s->public_key, to, NULL, 0, NULL, 0, enc, sizeof enc, &enc_len, ct, sizeof ct, &ct_len));
    FAILS(PQSEAL_ERROR_PSK, pqseal_sender_new(s->suite, s->public_key, to, enc, sizeof enc, &enc_len, &sender));
    OK(pqseal_seal(s->suite, s->public_key, NULL, NULL, 0, NULL, 0, enc, sizeof enc, &enc_len, ct, sizeof ct, &ct_len));
    FAILS(PQSEAL_ERROR_PSK,
          pqseal_open(s->suite, s->private_key, from, enc, enc_len, NULL, 0, ct, ct_len, pt, sizeof pt, &pt_len));
    FAILS(PQSEAL_ERROR_PSK, pqseal_recipient_new(s->suite, s->private_key, from, enc, enc_len, &recipient));
    memset(&message, 0, sizeof message);
    message.enc = enc, message.enc_len = enc_len, message.ct = ct, message.ct_len = ct_len;
    FAILS(PQSEAL_ERROR_PSK, pqseal_open_batch(s->suite, s->private_key, from, &message, 1));
    CHECK(message.status == PQSEAL_ERROR_PSK && sender == NULL && recipient == NULL);
}

/* A pointer that is not NULL is a secret that was given: with 0 bytes it is an error in mode_psk and mode_auth_psk, and never the mode
   without. */
static void empty_psks(void) {
    static const uint8_t bytes[32] = {1};
    setup s = set_up(0x0020, 0x0001);
    const uint8_t *psks[] = {NULL, bytes, bytes}, *ids[] = {NULL, bytes, bytes};
    const size_t psk_lens[] = {0, 0, 32}, id_lens[] = {0, 0, 1};
    for (int auth = 0; auth < 2; auth++)
        for (int psk = 0; psk < 3; psk++)
            for (int id = 0; id < 3; id++) {
                pqseal_params to, from;
                memset(&to, 0, sizeof to);
                to.psk = psks[psk], to.psk_len = psk_lens[psk];
                to.psk_id = ids[id], to.psk_id_len = id_lens[id];
                from = to;
                if (auth) to.sender_private_key = s.private_key, from.sender_public_key = s.public_key;
                if (psk != id || psk == 1) {
                    all_fail(&s, &to, &from);
                    continue;
                }
                uint8_t enc[32], ct[16], pt[1];
                size_t enc_len, ct_len, pt_len;
                OK(pqseal_seal(s.suite, s.public_key, &to, NULL, 0, NULL, 0, enc, sizeof enc, &enc_len, ct, sizeof ct, &ct_len));
                OK(pqseal_open(s.suite, s.private_key, &from, enc, enc_len, NULL, 0, ct, ct_len, pt, sizeof pt, &pt_len));
            }
    forget(&s);
}

/* Keys and encapsulated keys one byte short and long. */
static void sizes(uint16_t kem) {
    setup s = set_up(kem, 0x0001);
    for (int change = -1; change <= 1; change += 2) {
        pqseal_private_key *private_key = NULL;
        pqseal_public_key *public_key = NULL;
        pqseal_recipient *recipient = NULL;
        size_t longest = s.sizes.n_sk + s.sizes.n_pk + s.sizes.n_enc + 1, len;
        uint8_t *room = (uint8_t *)calloc(longest, 1), out[1];
        CHECK(room != NULL);
        OK(pqseal_private_key_serialize(s.private_key, room, longest, &len));
        FAILS(PQSEAL_ERROR_KEY, pqseal_private_key_deserialize(s.suite, room, len + (size_t)change, &private_key));
        OK(pqseal_public_key_serialize(s.public_key, room, longest, &len));
        FAILS(PQSEAL_ERROR_KEY, pqseal_public_key_deserialize(s.suite, room, len + (size_t)change, &public_key));
        memcpy(room, s.enc, s.sizes.n_enc);
        len = s.sizes.n_enc + (size_t)change;
        FAILS(PQSEAL_ERROR_KEY, pqseal_recipient_new(s.suite, s.private_key, NULL, room, len, &recipient));
        FAILS(PQSEAL_ERROR_KEY,
              pqseal_open(s.suite, s.private_key, NULL, room, len, NULL, 0, room, 16, out, sizeof out, &len));
        CHECK(private_key == NULL && public_key == NULL && recipient == NULL);
        free(room);
    }
    forget(&s);
}

/* `most`: 255 * Nh, or 65,535 of a KDF of one stage. */
static void exports(uint16_t kdf, size_t most) {
    setup s = set_up(0x0020, kdf);
    uint8_t *ours = (uint8_t *)malloc(most), *theirs = (uint8_t *)malloc(most);
    CHECK(ours != NULL && theirs != NULL);
    OK(pqseal_sender_export(s.sender, NULL, 0, NULL, 0));
    OK(pqseal_recipient_export(s.recipient, NULL, 0, ours, 0));
    OK(pqseal_sender_export(s.sender, NULL, 0, ours, most));
    OK(pqseal_recipient_export(s.recipient, NULL, 0, theirs, most));
    CHECK(memcmp(ours, theirs, most) == 0);
    const size_t wrong[] = {most + 1, 65536, (size_t)-1, (size_t)1 << 32};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        FAILS(PQSEAL_ERROR_LENGTH, pqseal_sender_export(s.sender, NULL, 0, ours, wrong[i]));
        FAILS(PQSEAL_ERROR_LENGTH, pqseal_recipient_export(s.recipient, NULL, 0, theirs, wrong[i]));
    }
    CHECK(memcmp(ours, theirs, most) == 0);
    free(ours);
    free(theirs);
    forget(&s);
}

static void sequence_numbers(void) {
    setup s = set_up(0x0020, 0x0001);
    uint8_t ct[16], pt[1];
    size_t len;
    OK(pqseal_sender_seal(s.sender, NULL, 0, NULL, 0, ct, sizeof ct, &len));
    FAILS(PQSEAL_ERROR_OPEN, pqseal_recipient_open_at(s.recipient, UINT64_MAX - 1, NULL, 0, ct, len, pt, sizeof pt, &len));
    FAILS(PQSEAL_ERROR_MESSAGE_LIMIT,
          pqseal_recipient_open_at(s.recipient, UINT64_MAX, NULL, 0, ct, sizeof ct, pt, sizeof pt, &len));
    OK(pqseal_recipient_open_at(s.recipient, 0, NULL, 0, ct, sizeof ct, pt, sizeof pt, &len));
    forget(&s);
}

/* Both processes would seal under the same nonces. */
static void after_a_fork(void) {
    setup s = set_up(0x0020, 0x0001);
    uint8_t ct[16], pt[1];
    size_t len;
    pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
        memset(ct, 7, sizeof ct);
        FAILS(PQSEAL_ERROR_PROCESS, pqseal_sender_seal(s.sender, NULL, 0, NULL, 0, ct, sizeof ct, &len));
        FAILS(PQSEAL_ERROR_PROCESS, pqseal_sender_export(s.sender, NULL, 0, ct, sizeof ct));
        for (size_t i = 0; i < sizeof ct; i++) CHECK(ct[i] == 7);
        forget(&s);
        // A new one is this process's own.
        s = set_up(0x0020, 0x0001);
        OK(pqseal_sender_seal(s.sender, NULL, 0, NULL, 0, ct, sizeof ct, &len));
        forget(&s);
        exit(0);
    }
    int status;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    OK(pqseal_sender_seal(s.sender, NULL, 0, NULL, 0, ct, sizeof ct, &len));
    OK(pqseal_recipient_open(s.recipient, NULL, 0, ct, len, pt, sizeof pt, &len));
    forget(&s);
}

/* Keys of a KEM that is looked up by name: written in each format, read again. */
static void written_keys(void) {
    static const char *const names[] = {"X25519", "DHKEM(P-256, HKDF-SHA256)", "X-Wing"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        uint16_t kem, kdf, aead, found;
        pqseal_suite *suite;
        pqseal_private_key *sk, *read;
        pqseal_public_key *pk, *public_read;
        uint8_t text[4096], bytes[2048], again[2048];
        size_t len, bytes_len, again_len;
        OK(pqseal_kem_by_name((const uint8_t *)names[i], strlen(names[i]), &kem));
        OK(pqseal_kdf_by_name((const uint8_t *)"hkdf-sha256", 11, &kdf));
        OK(pqseal_aead_by_name((const uint8_t *)"0x0001", 6, &aead));
        OK(pqseal_suite_new(kem, kdf, aead, PQSEAL_POLICY_DRAFT, &suite));
        OK(pqseal_generate_key_pair(suite, &sk, &pk));
        OK(pqseal_public_key_serialize(pk, bytes, sizeof bytes, &bytes_len));
        for (int format = PQSEAL_KEY_FORMAT_PEM; format <= PQSEAL_KEY_FORMAT_COSE_KEY; format++) {
            int is_text = format < PQSEAL_KEY_FORMAT_DER;
            int holds_hybrids = format == PQSEAL_KEY_FORMAT_JWK || format == PQSEAL_KEY_FORMAT_LINE;
            if (!holds_hybrids && kem == 0x647a) {
                FAILS(PQSEAL_ERROR_ARGUMENT, pqseal_private_key_write(sk, format, text, sizeof text, &len));
                continue;
            }
            FAILS(PQSEAL_ERROR_BUFFER, pqseal_private_key_write(sk, format, text, 1, &len));
            OK(pqseal_private_key_write(sk, format, text, len, &len));
            OK(pqseal_private_key_read(text, len, &read));
            OK(pqseal_private_key_kem(read, &found));
            CHECK(found == kem && (text[len - 1] == '\n' || !is_text));
            pqseal_private_key_free(read);
            OK(pqseal_public_key_write(pk, format, text, sizeof text, &len));
            FAILS(PQSEAL_ERROR_KEY_PUBLIC, pqseal_private_key_read(text, len, &read));
            OK(pqseal_public_key_read(text, len, &public_read));
            OK(pqseal_public_key_kem(public_read, &found));
            OK(pqseal_public_key_serialize(public_read, again, sizeof again, &again_len));
            CHECK(found == kem && again_len == bytes_len && memcmp(again, bytes, bytes_len) == 0);
            pqseal_public_key_free(public_read);
        }
        FAILS(PQSEAL_ERROR_ARGUMENT, pqseal_public_key_write(pk, 9, text, sizeof text, &len));
        pqseal_private_key_free(sk);
        pqseal_public_key_free(pk);
        pqseal_suite_free(suite);
    }
}

/* The reason why a text is not a private key has a status of its own. */
static void other_keys(void) {
    static const char jwk[] = "{\"kty\":\"AKP\",\"alg\":\"ML-DSA-44\",\"pub\":\"AA\",\"priv\":\"AA\"}";
    static const char damaged[] = "-----BEGIN PRIVATE KEY-----\nAA\n-----END PRIVATE KEY-----\n";
    static const char encrypted[] = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAA==\n-----END ENCRYPTED PRIVATE KEY-----\n";
    pqseal_private_key *sk = NULL;
    FAILS(PQSEAL_ERROR_UNSUPPORTED, pqseal_private_key_read((const uint8_t *)jwk, sizeof jwk - 1, &sk));
    FAILS(PQSEAL_ERROR_KEY, pqseal_private_key_read((const uint8_t *)damaged, sizeof damaged - 1, &sk));
    FAILS(PQSEAL_ERROR_KEY_ENCRYPTED, pqseal_private_key_read((const uint8_t *)encrypted, sizeof encrypted - 1, &sk));
    FAILS(PQSEAL_ERROR_EMPTY, pqseal_private_key_read((const uint8_t *)" ", 1, &sk));
    CHECK(sk == NULL);
}

/* A message is sealed in place, and comes with its number. */
static void numbered_messages(void) {
    pqseal_suite *suite;
    pqseal_private_key *sk;
    pqseal_public_key *pk;
    pqseal_sender *sender;
    pqseal_recipient *recipient;
    uint8_t enc[32], bytes[3 + 16] = "one";
    size_t len;
    uint64_t sequence = 9;
    OK(pqseal_suite_new(0x20, 1, 1, PQSEAL_POLICY_STANDARD, &suite));
    OK(pqseal_generate_key_pair(suite, &sk, &pk));
    OK(pqseal_sender_new(suite, pk, NULL, enc, sizeof enc, &len, &sender));
    OK(pqseal_recipient_new(suite, sk, NULL, enc, len, &recipient));
    for (uint64_t expected = 0; expected < 3; expected++) {
        FAILS(PQSEAL_ERROR_BUFFER, pqseal_sender_seal_with_sequence(sender, NULL, 0, bytes, 3, bytes, 18, &len, &sequence));
        OK(pqseal_sender_seal_with_sequence(sender, NULL, 0, bytes, 3, bytes, sizeof bytes, &len, &sequence));
        CHECK(sequence == expected && len == sizeof bytes);
        OK(pqseal_recipient_open_at(recipient, sequence, NULL, 0, bytes, len, bytes, sizeof bytes, &len));
        CHECK(len == 3 && memcmp(bytes, "one", 3) == 0);
    }
    OK(pqseal_sender_sequence(sender, &sequence));
    CHECK(sequence == 3);
    OK(pqseal_recipient_sequence(recipient, &sequence));
    CHECK(sequence == 0);
    pqseal_recipient_free(recipient);
    pqseal_sender_free(sender);
    pqseal_private_key_free(sk);
    pqseal_public_key_free(pk);
    pqseal_suite_free(suite);
}

int main(void) {
    static const uint16_t kems[] = {0x0010, 0x0011, 0x0012, 0x0020, 0x0021, 0x0030, 0x0040, 0x0041, 0x0042, 0x0050, 0x0051, 0x647a};
    empty_psks();
    for (size_t i = 0; i < sizeof kems / sizeof *kems; i++) sizes(kems[i]);
    exports(0x0001, 255 * 32);
    exports(0x0003, 255 * 64);
    exports(0x0011, 65535);
    sequence_numbers();
    written_keys();
    other_keys();
    numbered_messages();
    after_a_fork();
    return 0;
}
