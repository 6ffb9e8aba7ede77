/* Calendars of the kit, in files that are its arguments: the private, public and lent one, and the time of its
   first hour. It prints nothing. */

#include "check.h"

#include <pqseal.h>
#include <stdlib.h>
#include <string.h>

#define OK(call) CHECK((call) == PQSEAL_OK)
#define FAILS(status, call) CHECK((call) == (status))

typedef unsigned char byte;

static pqseal_calendar *read_calendar(const char *path) {
    static byte text[1 << 16];
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL);
    size_t len = fread(text, 1, sizeof text, file);
    fclose(file);
    pqseal_calendar *calendar;
    OK(pqseal_calendar_read(text, len, &calendar));
    return calendar;
}

int main(int argc, char **argv) {
    CHECK(argc == 5);
    pqseal_calendar *private_one = read_calendar(argv[1]), *public_one = read_calendar(argv[2]);
    pqseal_calendar *lent = read_calendar(argv[3]), *none;
    uint64_t start = strtoull(argv[4], NULL, 10);
    const byte text[] = "GET /admin";
    byte blob[4096], out[64];
    size_t blob_len, len, index;

    pqseal_calendar_facts facts, other;
    OK(pqseal_calendar_describe(private_one, &facts));
    OK(pqseal_calendar_describe(public_one, &other));
    CHECK(facts.count == 4 && facts.is_private == 1 && other.is_private == 0 && facts.kem == 0x20);
    CHECK(memcmp(facts.id, other.id, sizeof facts.id) == 0);
    FAILS(PQSEAL_ERROR_KEY, pqseal_calendar_read(text, sizeof text, &none));

    pqseal_key_ring *ring, *lent_ring;
    OK(pqseal_key_ring_new(&ring));
    OK(pqseal_key_ring_new(&lent_ring));
    OK(pqseal_key_ring_add_calendar(ring, private_one));
    OK(pqseal_key_ring_add_calendar(lent_ring, lent));
    FAILS(PQSEAL_ERROR_KEY_PUBLIC, pqseal_key_ring_add_calendar(ring, public_one));
    pqseal_calendar_free(lent);

    const pqseal_status states[] = {PQSEAL_ERROR_KEY_SHREDDED, PQSEAL_ERROR_KEY_SHREDDED, PQSEAL_ERROR_KEY_NOT_LENT, PQSEAL_OK};
    for (size_t hour = 0; hour < 4; hour++) {
        uint64_t time = start + 3600 * hour + 17;
        OK(pqseal_calendar_at(public_one, time, &index));
        CHECK(index == hour);
        OK(pqseal_calendar_seal(public_one, time, NULL, 0, text, 3, text, sizeof text, blob, sizeof blob, &blob_len));
        pqseal_period period;
        OK(pqseal_calendar_period(public_one, hour, &period));
        CHECK(period.start == start + 3600 * hour && period.end == period.start + 3600);
        CHECK(period.state == PQSEAL_PERIOD_KEY);
        pqseal_blob found;
        OK(pqseal_matched_data_inspect(blob, blob_len, &found));
        CHECK(found.version == 4 && memcmp(found.key_id, period.key_id, 8) == 0);
        OK(pqseal_matched_data_open(ring, NULL, 0, text, 3, blob, blob_len, out, sizeof out, &len));
        CHECK(len == sizeof text && memcmp(out, text, len) == 0);
        FAILS(states[hour],
              pqseal_matched_data_open(lent_ring, NULL, 0, text, 3, blob, blob_len, out, sizeof out, &len));
    }

    FAILS(PQSEAL_ERROR_KEY_PRIVATE,
          pqseal_calendar_seal(private_one, start, NULL, 0, NULL, 0, text, 1, blob, sizeof blob, &blob_len));
    uint64_t outside[] = {0, start - 1, start + 4 * 3600, UINT64_MAX};
    for (size_t i = 0; i < 4; i++) {
        FAILS(PQSEAL_ERROR_NO_PERIOD, pqseal_calendar_at(public_one, outside[i], &index));
        FAILS(PQSEAL_ERROR_NO_PERIOD,
              pqseal_calendar_seal(public_one, outside[i], NULL, 0, NULL, 0, text, 1, blob, sizeof blob, &blob_len));
    }
    pqseal_period period;
    FAILS(PQSEAL_ERROR_ARGUMENT, pqseal_calendar_period(public_one, 4, &period));
    FAILS(PQSEAL_ERROR_ARGUMENT, pqseal_calendar_at(NULL, start, &index));

    pqseal_key_ring_free(ring);
    pqseal_key_ring_free(lent_ring);
    pqseal_calendar_free(private_one);
    pqseal_calendar_free(public_one);
    pqseal_calendar_free(NULL);
    return 0;
}
