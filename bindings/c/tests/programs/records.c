/* Records of a log in one batch: blobs of two keys with labels, and what no key opens. Prints nothing. */
#include "check.h"

#include <pqseal.h>

#include <string.h>

#define OK(call) CHECK((call) == PQSEAL_OK)
#define FAILS(status, call) CHECK((call) == (status))
enum { COUNT = 9 };

static const char info[] = "zone 7";

static void seal(const pqseal_public_key *key, size_t info_len, size_t aad_len, uint8_t *blob, size_t *len) {
    OK(pqseal_matched_data_seal(key, (const uint8_t *)info, info_len, (const uint8_t *)"event 1", aad_len,
                                (const uint8_t *)"GET /admin", 10, blob, 2048, len));
}

/* Appends a key with its label, and returns its public key. */
static pqseal_public_key *add(uint16_t kem, const char *label, uint8_t *file, size_t capacity, size_t *len) {
    pqseal_suite *suite;
    pqseal_private_key *sk;
    pqseal_public_key *pk;
    size_t written;
    OK(pqseal_suite_new(kem, 1, 3, PQSEAL_POLICY_DRAFT, &suite));
    OK(pqseal_generate_key_pair(suite, &sk, &pk));
    memcpy(file + *len, label, strlen(label));
    *len += strlen(label);
    OK(pqseal_private_key_write(sk, PQSEAL_KEY_FORMAT_LINE, file + *len, capacity - *len, &written));
    *len += written;
    pqseal_private_key_free(sk);
    pqseal_suite_free(suite);
    return pk;
}

static void names(const pqseal_key_ring *ring, const uint8_t *blob, size_t blob_len) {
    pqseal_blob found;
    uint8_t id[8], label[16];
    size_t len;
    OK(pqseal_matched_data_inspect(blob, blob_len, &found));
    OK(pqseal_key_ring_name(ring, 1, &id, label, sizeof label, &len));
    CHECK(memcmp(id, found.key_id, 8) == 0 && len == 6 && memcmp(label, "zone b", 6) == 0);
    memset(id, 0, sizeof id);
    FAILS(PQSEAL_ERROR_BUFFER, pqseal_key_ring_name(ring, 1, &id, label, 5, &len));
    CHECK(len == 6 && id[0] == 0 && id[7] == 0);
    OK(pqseal_key_ring_name(ring, 2, &id, label, 0, &len));
    CHECK(len == 0);
    FAILS(PQSEAL_ERROR_ARGUMENT, pqseal_key_ring_name(ring, 3, &id, label, sizeof label, &len));
    FAILS(PQSEAL_ERROR_ARGUMENT, pqseal_key_ring_name(ring, 0, NULL, label, sizeof label, &len));
}

int main(void) {
    static uint8_t file[4096], blobs[COUNT][2048], pt[COUNT][16];
    static const int32_t expected[COUNT] = {
        PQSEAL_OK, PQSEAL_OK, PQSEAL_ERROR_OPEN, PQSEAL_ERROR_TRUNCATED, PQSEAL_ERROR_BASE64,
        PQSEAL_ERROR_VERSION, PQSEAL_ERROR_FORMAT, PQSEAL_ERROR_EMPTY, PQSEAL_ERROR_BUFFER,
    };
    pqseal_record records[COUNT];
    pqseal_key_ring *ring;
    size_t len = 0;
    memset(records, 0xff, sizeof records);
    for (size_t i = 0; i < COUNT; i++) {
        records[i].blob = blobs[i], records[i].pt = pt[i], records[i].pt_capacity = sizeof pt[i];
        records[i].aad = (const uint8_t *)"event 1", records[i].aad_len = 7;
    }
    pqseal_public_key *one = add(0x0020, "# zone a\n", file, sizeof file, &len);
    pqseal_public_key *two = add(0x647a, "# zone b\n", file, sizeof file, &len);
    pqseal_public_key *three = add(0x0041, "\n", file, sizeof file, &len);
    OK(pqseal_key_ring_new(&ring));
    FAILS(PQSEAL_ERROR_KEY, pqseal_key_ring_read(ring, (const uint8_t *)"no key", 6));
    OK(pqseal_key_ring_read(ring, file, len));

    seal(one, 0, 0, blobs[0], &records[0].blob_len);
    seal(two, 6, 7, blobs[1], &records[1].blob_len);
    seal(two, 6, 6, blobs[2], &records[2].blob_len);
    seal(three, 6, 7, blobs[8], &records[8].blob_len);
    memcpy(blobs[3], "truncated", records[3].blob_len = 9);
    memcpy(blobs[4], "no base64!", records[4].blob_len = 10);
    memcpy(blobs[5], "CQkJ", records[5].blob_len = 4);
    memcpy(blobs[6], blobs[1], records[6].blob_len = 16);
    records[7].blob_len = 0;
    records[8].pt_capacity = 9;
    FAILS(PQSEAL_ERROR_OPEN, pqseal_matched_data_open_batch(ring, (const uint8_t *)info, 6, records, COUNT));
    for (size_t i = 0; i < COUNT; i++) {
        CHECK(records[i].status == expected[i]);
        if (i < 2) CHECK(records[i].key == i && records[i].pt_len == 10 && memcmp(pt[i], "GET /admin", 10) == 0);
    }
    CHECK(records[8].pt_len == 10 && records[8].key == 2);
    names(ring, blobs[1], records[1].blob_len);

    OK(pqseal_matched_data_open_batch(ring, (const uint8_t *)info, 6, records, 2));
    OK(pqseal_matched_data_open_batch(ring, NULL, 0, NULL, 0));
    records[1].blob = NULL;
    FAILS(PQSEAL_ERROR_ARGUMENT, pqseal_matched_data_open_batch(ring, NULL, 0, records, 2));
    for (size_t i = 0; i < 2; i++) CHECK(records[i].status == PQSEAL_ERROR_ARGUMENT && records[i].pt_len == 0);
    pqseal_public_key_free(one);
    pqseal_public_key_free(two);
    pqseal_public_key_free(three);
    pqseal_key_ring_free(ring);
    return 0;
}
