/* Every function of pqseal.h, as C and as C++: the RFC's vectors, then what must fail.
   check VECTORS: prints `N contexts, N messages, N exports` and exits with 0. */
#include "check.h"

#include <pqseal.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned char byte;

typedef struct {
    byte *bytes;
    size_t len;
} data;

#define OK(call) check((call), PQSEAL_OK, #call, __LINE__)
#define FAILS(status, call) check((call), (status), #call, __LINE__)

static void check(pqseal_status found, pqseal_status expected, const char *call, int line) {
    if (found == expected) return;
    fprintf(stderr, "line %d: %s: %s\n", line, call, pqseal_strerror(found));
    exit(1);
}

/* Hexadecimal digits, or "-" for nothing, in memory of exactly that size. */
static data hex(const char *text) {
    data out;
    out.len = strcmp(text, "-") == 0 ? 0 : strlen(text) / 2;
    out.bytes = (byte *)malloc(out.len ? out.len : 1);
    CHECK(out.bytes != NULL);
    for (size_t i = 0; i < out.len; i++) {
        unsigned value;
        CHECK(sscanf(text + 2 * i, "%2x", &value) == 1);
        out.bytes[i] = (byte)value;
    }
    return out;
}

static int same(data a, const byte *b, size_t len) {
    return a.len == len && (len == 0 || memcmp(a.bytes, b, len) == 0);
}

static data room(size_t len) {
    data out;
    out.len = len;
    out.bytes = (byte *)malloc(len ? len : 1);
    CHECK(out.bytes != NULL);
    return out;
}

typedef struct {
    pqseal_suite *suite;
    pqseal_private_key *sk_r, *sk_s;
    pqseal_public_key *pk_r, *pk_s;
    pqseal_recipient *recipient;
    data info, psk, psk_id;
    size_t n_t;
} setup;

static void forget(setup *s) {
    pqseal_recipient_free(s->recipient);
    pqseal_private_key_free(s->sk_r);
    pqseal_private_key_free(s->sk_s);
    pqseal_public_key_free(s->pk_r);
    pqseal_public_key_free(s->pk_s);
    pqseal_suite_free(s->suite);
    free(s->info.bytes);
    free(s->psk.bytes);
    free(s->psk_id.bytes);
    memset(s, 0, sizeof *s);
}

static pqseal_params params(const setup *s) {
    pqseal_params p;
    memset(&p, 0, sizeof p);
    p.info = s->info.bytes;
    p.info_len = s->info.len;
    p.psk = s->psk.len ? s->psk.bytes : NULL;
    p.psk_len = s->psk.len;
    p.psk_id = s->psk_id.len ? s->psk_id.bytes : NULL;
    p.psk_id_len = s->psk_id.len;
    return p;
}

/* What we seal in the vector's mode, the vector's key opens. */
static void seal_and_open(const setup *s) {
    const byte text[] = "message";
    pqseal_params to = params(s), from = params(s);
    to.sender_private_key = s->sk_s;
    from.sender_public_key = s->pk_s;
    pqseal_sizes sizes;
    OK(pqseal_suite_sizes(s->suite, &sizes));
    data enc = room(sizes.n_enc), ct = room(sizeof text + sizes.n_t), pt = room(sizeof text);
    size_t enc_len, ct_len, pt_len;
    if (sizes.n_t == 0) {
        FAILS(PQSEAL_ERROR_EXPORT_ONLY,
              pqseal_seal(s->suite, s->pk_r, &to, NULL, 0, text, sizeof text, enc.bytes, enc.len, &enc_len,
                          ct.bytes, ct.len, &ct_len));
    } else {
        OK(pqseal_seal(s->suite, s->pk_r, &to, text, 3, text, sizeof text, enc.bytes, enc.len, &enc_len, ct.bytes,
                       ct.len, &ct_len));
        CHECK(enc_len == enc.len && ct_len == ct.len);
        OK(pqseal_open(s->suite, s->sk_r, &from, enc.bytes, enc_len, text, 3, ct.bytes, ct_len, pt.bytes, pt.len,
                       &pt_len));
        CHECK(pt_len == sizeof text && memcmp(pt.bytes, text, pt_len) == 0);
        FAILS(PQSEAL_ERROR_OPEN, pqseal_open(s->suite, s->sk_r, &from, enc.bytes, enc_len, text, 2, ct.bytes, ct_len,
                                             pt.bytes, pt.len, &pt_len));
        pqseal_sender *sender;
        pqseal_recipient *recipient;
        byte ours[40], theirs[40];
        OK(pqseal_sender_new(s->suite, s->pk_r, &to, enc.bytes, enc.len, &enc_len, &sender));
        OK(pqseal_recipient_new(s->suite, s->sk_r, &from, enc.bytes, enc_len, &recipient));
        for (int i = 0; i < 2; i++) {
            OK(pqseal_sender_seal(sender, NULL, 0, text, sizeof text, ct.bytes, ct.len, &ct_len));
            OK(pqseal_recipient_open(recipient, NULL, 0, ct.bytes, ct_len, pt.bytes, pt.len, &pt_len));
        }
        OK(pqseal_sender_export(sender, text, 4, ours, sizeof ours));
        OK(pqseal_recipient_export(recipient, text, 4, theirs, sizeof theirs));
        CHECK(memcmp(ours, theirs, sizeof ours) == 0);
        pqseal_sender_free(sender);
        pqseal_recipient_free(recipient);
    }
    free(enc.bytes);
    free(ct.bytes);
    free(pt.bytes);
}

/* S mode kem kdf aead info ikm_r sk_r pk_r sk_s pk_s psk psk_id enc */
static void set_up(setup *s, char **field) {
    forget(s);
    OK(pqseal_suite_new((uint16_t)atoi(field[2]), (uint16_t)atoi(field[3]), (uint16_t)atoi(field[4]),
                        PQSEAL_POLICY_STANDARD, &s->suite));
    pqseal_sizes sizes;
    OK(pqseal_suite_sizes(s->suite, &sizes));
    s->n_t = sizes.n_t;
    s->info = hex(field[5]);
    s->psk = hex(field[11]);
    s->psk_id = hex(field[12]);
    data ikm = hex(field[6]), sk_r = hex(field[7]), pk_r = hex(field[8]), sk_s = hex(field[9]), pk_s = hex(field[10]);
    data enc = hex(field[13]), out = room(sizes.n_sk + sizes.n_pk);
    size_t len;
    OK(pqseal_derive_key_pair(s->suite, ikm.bytes, ikm.len, &s->sk_r, &s->pk_r));
    OK(pqseal_private_key_serialize(s->sk_r, out.bytes, out.len, &len));
    CHECK(same(sk_r, out.bytes, len));
    OK(pqseal_public_key_serialize(s->pk_r, out.bytes, out.len, &len));
    CHECK(same(pk_r, out.bytes, len));
    pqseal_private_key_free(s->sk_r);
    pqseal_public_key_free(s->pk_r);
    OK(pqseal_private_key_deserialize(s->suite, sk_r.bytes, sk_r.len, &s->sk_r));
    OK(pqseal_private_key_public_key(s->sk_r, &s->pk_r));
    if (sk_s.len > 0) {
        OK(pqseal_private_key_deserialize(s->suite, sk_s.bytes, sk_s.len, &s->sk_s));
        OK(pqseal_public_key_deserialize(s->suite, pk_s.bytes, pk_s.len, &s->pk_s));
    }
    pqseal_params p = params(s);
    p.sender_public_key = s->pk_s;
    OK(pqseal_recipient_new(s->suite, s->sk_r, &p, enc.bytes, enc.len, &s->recipient));
    seal_and_open(s);
    data all[] = {ikm, sk_r, pk_r, sk_s, pk_s, enc, out};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i].bytes);
}

/* M seq aad pt ct */
static void message(const setup *s, char **field) {
    data aad = hex(field[2]), pt = hex(field[3]), ct = hex(field[4]), out = room(pt.len);
    size_t len;
    OK(pqseal_recipient_open_at(s->recipient, (uint64_t)atoi(field[1]), aad.bytes, aad.len, ct.bytes, ct.len, out.bytes,
                                out.len, &len));
    CHECK(same(pt, out.bytes, len));
    OK(pqseal_recipient_open(s->recipient, aad.bytes, aad.len, ct.bytes, ct.len, out.bytes, out.len, &len));
    CHECK(same(pt, out.bytes, len));
    data all[] = {aad, pt, ct, out};
    for (size_t i = 0; i < 4; i++) free(all[i].bytes);
}

/* E exporter_context length value */
static void exported(const setup *s, char **field) {
    data context = hex(field[1]), value = hex(field[3]), out = room((size_t)atoi(field[2]));
    OK(pqseal_recipient_export(s->recipient, context.bytes, context.len, out.bytes, out.len));
    CHECK(same(value, out.bytes, out.len));
    free(context.bytes);
    free(value.bytes);
    free(out.bytes);
}

static void vectors(const char *name) {
    static char line[16384];
    char *field[16];
    int counts[3] = {0, 0, 0};
    setup s;
    memset(&s, 0, sizeof s);
    FILE *file = fopen(name, "r");
    CHECK(file != NULL);
    while (fgets(line, sizeof line, file) != NULL) {
        int fields = 0;
        for (char *word = strtok(line, " \n"); word != NULL && fields < 16; word = strtok(NULL, " \n"))
            field[fields++] = word;
        CHECK(fields > 3);
        switch (field[0][0]) {
        case 'S': set_up(&s, field), counts[0]++; break;
        case 'M': message(&s, field), counts[1]++; break;
        case 'E': exported(&s, field), counts[2]++; break;
        default: CHECK(0);
        }
    }
    fclose(file);
    forget(&s);
    printf("%d contexts, %d messages, %d exports\n", counts[0], counts[1], counts[2]);
}

static void batches(void) {
    enum { COUNT = 9 };
    pqseal_suite *suite;
    pqseal_private_key *sk;
    pqseal_public_key *pk;
    OK(pqseal_suite_new(0x647a, 0x0001, 0x0003, PQSEAL_POLICY_DRAFT, &suite));
    OK(pqseal_generate_key_pair(suite, &sk, &pk));
    pqseal_sizes sizes;
    OK(pqseal_suite_sizes(suite, &sizes));
    static byte enc[COUNT][2048], ct[COUNT][32], pt[COUNT][16];
    pqseal_message messages[COUNT];
    memset(messages, 0xff, sizeof messages);
    for (size_t i = 0; i < COUNT; i++) {
        byte text = (byte)i;
        pqseal_message *m = &messages[i];
        OK(pqseal_seal(suite, pk, NULL, &text, 1, &text, 1, enc[i], sizeof enc[i], &m->enc_len, ct[i], sizeof ct[i],
                       &m->ct_len));
        m->enc = enc[i], m->ct = ct[i], m->pt = pt[i], m->pt_capacity = 1;
        m->aad = NULL, m->aad_len = 0;
    }
    FAILS(PQSEAL_ERROR_OPEN, pqseal_open_batch(suite, sk, NULL, messages, COUNT));
    static byte aads[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        CHECK(messages[i].status == PQSEAL_ERROR_OPEN);
        aads[i] = (byte)i, messages[i].aad = &aads[i], messages[i].aad_len = 1;
    }
    OK(pqseal_open_batch(suite, sk, NULL, messages, COUNT));
    for (size_t i = 0; i < COUNT; i++)
        CHECK(messages[i].status == PQSEAL_OK && messages[i].pt_len == 1 && pt[i][0] == i);
    messages[2].pt_capacity = 0;
    messages[3].ct_len = 3;
    FAILS(PQSEAL_ERROR_OPEN, pqseal_open_batch(suite, sk, NULL, messages, COUNT));
    CHECK(messages[2].status == PQSEAL_ERROR_BUFFER && messages[2].pt_len == 1);
    CHECK(messages[3].status == PQSEAL_ERROR_OPEN && messages[4].status == PQSEAL_OK);
    OK(pqseal_open_batch(suite, sk, NULL, NULL, 0));
    // No message was tried, and none says PQSEAL_OK.
    for (size_t i = 0; i < COUNT; i++) messages[i].status = PQSEAL_OK;
    messages[5].enc = NULL;
    FAILS(PQSEAL_ERROR_ARGUMENT, pqseal_open_batch(suite, sk, NULL, messages, COUNT));
    for (size_t i = 0; i < COUNT; i++) CHECK(messages[i].status == PQSEAL_ERROR_ARGUMENT && messages[i].pt_len == 0);
    FAILS(PQSEAL_ERROR_ARGUMENT, pqseal_open_batch(NULL, sk, NULL, messages, COUNT));
    pqseal_private_key_free(sk);
    pqseal_public_key_free(pk);
    pqseal_suite_free(suite);
}

/* The published key and blob, then one of version 4. */
static void matched_data(void) {
    static const char key[] = "uBS5eBttHrqkdY41kbZPdvYnNz8Vj0TvKIUpjB1y/GA=";
    static const char public_key[] = "Ycig/Zr/pZmklmFUN99nr+taURlYItL91g+NcHGYpB8=";
    const byte text[] = "GET /admin";
    pqseal_private_key *sk;
    pqseal_public_key *pk;
    pqseal_key_ring *ring;
    byte blob[4096], out[64];
    size_t blob_len, len;
    OK(pqseal_private_key_read((const byte *)key, strlen(key), &sk));
    OK(pqseal_public_key_read((const byte *)public_key, strlen(public_key), &pk));
    OK(pqseal_key_ring_new(&ring));
    OK(pqseal_matched_data_seal(pk, NULL, 0, NULL, 0, text, sizeof text, blob, sizeof blob, &blob_len));
    FAILS(PQSEAL_ERROR_NO_KEY,
          pqseal_matched_data_open(ring, NULL, 0, NULL, 0, blob, blob_len, out, sizeof out, &len));
    OK(pqseal_key_ring_add(ring, sk));
    OK(pqseal_matched_data_open(ring, NULL, 0, NULL, 0, blob, blob_len, out, sizeof out, &len));
    CHECK(len == sizeof text && memcmp(out, text, len) == 0);
    OK(pqseal_key_ring_require_version(ring, 4));
    FAILS(PQSEAL_ERROR_VERSION, pqseal_matched_data_open(ring, NULL, 0, NULL, 0, blob, blob_len, out, sizeof out, &len));
    OK(pqseal_key_ring_require_version(ring, 1));
    FAILS(PQSEAL_ERROR_ARGUMENT, pqseal_key_ring_require_version(ring, 5));
    OK(pqseal_matched_data_seal(pk, text, 3, text, 4, text, sizeof text, blob, sizeof blob, &blob_len));
    OK(pqseal_matched_data_open(ring, text, 3, text, 4, blob, blob_len, out, sizeof out, &len));
    pqseal_blob found;
    OK(pqseal_matched_data_inspect(blob, blob_len, &found));
    CHECK(found.version == 4 && found.kem == 0x20 && found.kdf == 1 && found.aead == 3);
    CHECK(found.plaintext_len == sizeof text && found.trailing_len == 0 && found.key_id[0] != found.key_id[1]);
    FAILS(PQSEAL_ERROR_TRUNCATED, pqseal_matched_data_inspect((const byte *)"truncated", 9, &found));
    FAILS(PQSEAL_ERROR_OPEN, pqseal_matched_data_open(ring, text, 3, text, 5, blob, blob_len, out, sizeof out, &len));
    FAILS(PQSEAL_ERROR_BUFFER, pqseal_matched_data_open(ring, text, 3, text, 4, blob, blob_len, out, 3, &len));
    CHECK(len == sizeof text);
    FAILS(PQSEAL_ERROR_FORMAT, pqseal_matched_data_open(ring, NULL, 0, NULL, 0, blob, 8, out, sizeof out, &len));
    FAILS(PQSEAL_ERROR_BASE64, pqseal_matched_data_open(ring, NULL, 0, NULL, 0, blob, 9, out, sizeof out, &len));
    FAILS(PQSEAL_ERROR_BUFFER,
          pqseal_matched_data_seal(pk, NULL, 0, NULL, 0, text, sizeof text, NULL, 0, &blob_len));
    CHECK(blob_len > sizeof text);
    pqseal_private_key_free(sk);
    FAILS(PQSEAL_ERROR_EMPTY, pqseal_matched_data_open(ring, NULL, 0, NULL, 0, NULL, 0, out, sizeof out, &len));
    FAILS(PQSEAL_ERROR_TRUNCATED,
          pqseal_matched_data_open(ring, NULL, 0, NULL, 0, (const byte *)"truncated", 9, out, sizeof out, &len));
    pqseal_public_key_free(pk);
    pqseal_key_ring_free(ring);
}

/* A file in memory. It is read 1,000 bytes at a time, and no more than `capacity` is written. */
typedef struct {
    byte *bytes;
    size_t len, capacity, at;
} file;

static int32_t read_file(void *context, byte *bytes, size_t capacity, size_t *len) {
    file *f = (file *)context;
    size_t n = f->len - f->at;
    if (n > 1000) n = 1000;
    if (n > capacity) n = capacity;
    memcpy(bytes, f->bytes + f->at, n);
    f->at += n;
    *len = n;
    return 0;
}

static int32_t write_file(void *context, const byte *bytes, size_t len) {
    file *f = (file *)context;
    if (len > f->capacity - f->len) return 1;
    memcpy(f->bytes + f->len, bytes, len);
    f->len += len;
    return 0;
}

static int32_t fails_to_read(void *context, byte *bytes, size_t capacity, size_t *len) {
    (void)context, (void)bytes, (void)capacity, (void)len;
    return 1;
}

/* A file in the age format for a post-quantum and for a classical key, then what must fail. */
static void files(uint16_t kem, const char *prefix) {
    enum { SIZE = 200000 };
    pqseal_suite *suite;
    pqseal_private_key *sk, *other_sk;
    pqseal_public_key *pk, *other_pk;
    byte recipient[4096], identity[256], wrong[256];
    size_t recipient_len, identity_len, wrong_len;
    OK(pqseal_suite_new(kem, 1, 3, PQSEAL_POLICY_DRAFT, &suite));
    OK(pqseal_generate_key_pair(suite, &sk, &pk));
    OK(pqseal_file_recipient(pk, recipient, sizeof recipient, &recipient_len));
    OK(pqseal_generate_key_pair(suite, &other_sk, &other_pk));
    OK(pqseal_file_identity(sk, identity, sizeof identity, &identity_len));
    OK(pqseal_file_identity(other_sk, wrong, sizeof wrong, &wrong_len));
    CHECK(recipient_len > strlen(prefix) && memcmp(recipient, prefix, strlen(prefix)) == 0);
    FAILS(PQSEAL_ERROR_BUFFER, pqseal_file_recipient(pk, NULL, 0, &recipient_len));

    data plain = room(SIZE), encrypted = room(SIZE + 10000), opened = room(SIZE);
    for (size_t i = 0; i < SIZE; i++) plain.bytes[i] = (byte)(i * i >> 8);
    file from = {plain.bytes, SIZE, SIZE, 0}, to = {encrypted.bytes, 0, encrypted.len, 0};
    pqseal_stream stream = {read_file, &from, write_file, &to};
    OK(pqseal_file_encrypt(recipient, recipient_len, &stream));
    size_t len = to.len;
    CHECK(len > SIZE);
    file back = {opened.bytes, 0, SIZE, 0};
    stream.read_context = &to, stream.write_context = &back;
    OK(pqseal_file_decrypt(identity, identity_len, &stream));
    CHECK(back.len == SIZE && memcmp(plain.bytes, opened.bytes, SIZE) == 0);

    to.len = len - 1, to.at = back.len = 0;
    FAILS(PQSEAL_ERROR_OPEN, pqseal_file_decrypt(identity, identity_len, &stream));
    CHECK(back.len < SIZE && memcmp(plain.bytes, opened.bytes, back.len) == 0);
    to.len = 20, to.at = back.len = 0;
    FAILS(PQSEAL_ERROR_FORMAT, pqseal_file_decrypt(identity, identity_len, &stream));
    to.len = len, to.at = back.len = 0;
    FAILS(PQSEAL_ERROR_NO_KEY, pqseal_file_decrypt(wrong, wrong_len, &stream));
    FAILS(PQSEAL_ERROR_KEY, pqseal_file_decrypt(recipient, recipient_len, &stream));
    to.at = 0, back.len = 0, back.capacity = 10;
    FAILS(PQSEAL_ERROR_IO, pqseal_file_decrypt(identity, identity_len, &stream));
    stream.read = fails_to_read;
    FAILS(PQSEAL_ERROR_IO, pqseal_file_decrypt(identity, identity_len, &stream));
    FAILS(PQSEAL_ERROR_RECIPIENTS, pqseal_file_encrypt(NULL, 0, &stream));
    stream.read = NULL;
    FAILS(PQSEAL_ERROR_ARGUMENT, pqseal_file_decrypt(identity, identity_len, &stream));
    FAILS(PQSEAL_ERROR_ARGUMENT, pqseal_file_encrypt(recipient, recipient_len, NULL));
    free(plain.bytes);
    free(encrypted.bytes);
    free(opened.bytes);
    pqseal_private_key_free(sk);
    pqseal_private_key_free(other_sk);
    pqseal_public_key_free(pk);
    pqseal_public_key_free(other_pk);
    pqseal_suite_free(suite);
}

static void wrong_arguments(void) {
    pqseal_suite *suite = NULL;
    pqseal_private_key *sk = NULL, *other_sk;
    pqseal_public_key *pk = NULL, *other_pk;
    byte out[512];
    size_t len = 0, other_len;
    FAILS(PQSEAL_ERROR_ARGUMENT, pqseal_suite_new(0x20, 1, 1, PQSEAL_POLICY_STANDARD, NULL));
    FAILS(PQSEAL_ERROR_ARGUMENT, pqseal_suite_new(0x20, 1, 1, 7, &suite));
    FAILS(PQSEAL_ERROR_UNSUPPORTED, pqseal_suite_new(0x7777, 1, 1, PQSEAL_POLICY_DRAFT, &suite));
    FAILS(PQSEAL_ERROR_UNSUPPORTED, pqseal_suite_new(0x41, 1, 1, PQSEAL_POLICY_STANDARD, &suite));
    CHECK(suite == NULL);
    FAILS(PQSEAL_ERROR_ARGUMENT, pqseal_generate_key_pair(NULL, &sk, &pk));
    OK(pqseal_suite_new(0x41, 1, 1, PQSEAL_POLICY_DRAFT, &suite));
    OK(pqseal_generate_key_pair(suite, &other_sk, &other_pk));
    pqseal_suite_free(suite);
    OK(pqseal_suite_new(0x20, 1, 1, PQSEAL_POLICY_STANDARD, &suite));
    OK(pqseal_generate_key_pair(suite, &sk, &pk));
    FAILS(PQSEAL_ERROR_ARGUMENT, pqseal_generate_key_pair(suite, &sk, NULL));
    FAILS(PQSEAL_ERROR_ARGUMENT, pqseal_derive_key_pair(suite, NULL, 32, &sk, &pk));
    FAILS(PQSEAL_ERROR_KEY, pqseal_public_key_deserialize(suite, out, 3, &pk));
    FAILS(PQSEAL_ERROR_KEY, pqseal_private_key_read((const byte *)"no key", 6, &sk));
    FAILS(PQSEAL_ERROR_KEY_MISMATCH,
          pqseal_seal(suite, other_pk, NULL, NULL, 0, NULL, 0, out, 64, &len, out + 64, 64, &other_len));
    FAILS(PQSEAL_ERROR_ARGUMENT,
          pqseal_seal(suite, pk, NULL, NULL, 0, NULL, 1, out, 64, &len, out + 64, 64, &other_len));
    FAILS(PQSEAL_ERROR_BUFFER,
          pqseal_seal(suite, pk, NULL, NULL, 0, NULL, 0, NULL, 0, &len, NULL, 0, &other_len));
    CHECK(len == 32 && other_len == 16);
    FAILS(PQSEAL_ERROR_ARGUMENT,
          pqseal_seal(suite, pk, NULL, NULL, 0, NULL, 0, out, 64, NULL, out + 64, 64, &other_len));
    pqseal_params p;
    memset(&p, 0, sizeof p);
    p.psk = out, p.psk_len = 32;
    memset(out, 1, sizeof out);
    FAILS(PQSEAL_ERROR_PSK, pqseal_seal(suite, pk, &p, NULL, 0, NULL, 0, out, 64, &len, out + 64, 64, &other_len));
    memset(&p, 0, sizeof p);
    p.sender_public_key = pk;
    FAILS(PQSEAL_ERROR_AUTH, pqseal_seal(suite, pk, &p, NULL, 0, NULL, 0, out, 64, &len, out + 64, 64, &other_len));
    pqseal_sender *sender;
    OK(pqseal_sender_new(suite, pk, NULL, out, sizeof out, &len, &sender));
    OK(pqseal_sender_export(sender, NULL, 0, NULL, 0));
    byte *large = (byte *)malloc(255 * 32 + 1);
    FAILS(PQSEAL_ERROR_LENGTH, pqseal_sender_export(sender, NULL, 0, large, 255 * 32 + 1));
    free(large);
    pqseal_sender_free(sender);
    FAILS(PQSEAL_ERROR_ARGUMENT, pqseal_sender_seal(NULL, NULL, 0, NULL, 0, out, 64, &len));
    pqseal_private_key_free(sk);
    pqseal_private_key_free(other_sk);
    pqseal_public_key_free(pk);
    pqseal_public_key_free(other_pk);
    pqseal_suite_free(suite);
    pqseal_suite_free(NULL);
    pqseal_private_key_free(NULL);
    pqseal_public_key_free(NULL);
    pqseal_sender_free(NULL);
    pqseal_recipient_free(NULL);
    pqseal_key_ring_free(NULL);
    for (int status = -1; status < 27; status++) CHECK(strlen(pqseal_strerror(status)) > 5);
    CHECK(strlen(pqseal_version()) >= 5);
}

int main(int argc, char **argv) {
    CHECK(argc == 2);
    batches();
    matched_data();
    files(0x0020, "age1");
    files(0x647a, "age1pq1");
    wrong_arguments();
    vectors(argv[1]);
    return 0;
}
