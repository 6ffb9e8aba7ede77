/* 64 threads with the same handles: they seal and export on one sender, open by one recipient in any order and in its sequence, and open
   matched data through one key ring, to which one of them adds keys meanwhile. Prints `N messages, N blobs`. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <pqseal.h>

#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define THREADS 64
#define ROUNDS 200
#define BLOBS 10
#define IN_SEQUENCE 640
#define MESSAGES (THREADS * ROUNDS)
#define LEN 8
#define BLOB 400

#define OK(call) CHECK((call) == PQSEAL_OK)

/* What the threads share. */
static pqseal_sender *sender;
static pqseal_recipient *recipient;
static pqseal_key_ring *ring;
static pqseal_private_key *private_key;
static pqseal_public_key *public_key;
static unsigned char sealed[MESSAGES][LEN + 16];
static unsigned char exported[32];
/* How many messages have that number in the sequence, and which of them it is. */
static int messages_at[MESSAGES];
static size_t message_at[MESSAGES];
static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t start;

/* Each thread's place. */
static size_t numbers[THREADS];

static void message(size_t number, unsigned char *text) {
    memset(text, 0, LEN);
    memcpy(text, &number, sizeof number < LEN ? sizeof number : LEN);
}

static void *seal(void *place) {
    size_t first = *(size_t *)place * ROUNDS, len;
    unsigned char text[LEN], out[sizeof exported];
    pthread_barrier_wait(&start);
    for (size_t i = first; i < first + ROUNDS; i++) {
        if (i % 16 == 0) {
            OK(pqseal_sender_export(sender, NULL, 0, out, sizeof out));
            CHECK(memcmp(out, exported, sizeof out) == 0);
        }
        message(i, text);
        OK(pqseal_sender_seal(sender, NULL, 0, text, LEN, sealed[i], sizeof sealed[i], &len));
    }
    return NULL;
}

/* A thread's messages are in the sequence in their order, with those of other threads in between. So one walk through the sequence finds all
   of them, and over all threads each number of it belongs to exactly one message: no nonce was used twice. */
static void *open_messages(void *place) {
    size_t next = *(size_t *)place * ROUNDS, end = next + ROUNDS, len;
    unsigned char text[LEN], out[LEN];
    pthread_barrier_wait(&start);
    for (uint64_t sequence = 0; sequence < MESSAGES && next < end; sequence++) {
        pqseal_status status = pqseal_recipient_open_at(recipient, sequence, NULL, 0, sealed[next], sizeof sealed[next],
                                                        out, sizeof out, &len);
        if (status == PQSEAL_ERROR_OPEN) continue;
        CHECK(status == PQSEAL_OK);
        message(next, text);
        CHECK(len == LEN && memcmp(out, text, LEN) == 0);
        CHECK(pthread_mutex_lock(&counting) == 0);
        messages_at[sequence]++;
        message_at[sequence] = next++;
        CHECK(pthread_mutex_unlock(&counting) == 0);
    }
    CHECK(next == end);
    return NULL;
}

/* Each thread opens every 64th message of the sequence, when its turn has come: each opens once, in its place. */
static void *open_in_sequence(void *place) {
    size_t len;
    unsigned char text[LEN], out[LEN];
    pthread_barrier_wait(&start);
    for (size_t sequence = *(size_t *)place; sequence < IN_SEQUENCE; sequence += THREADS) {
        const unsigned char *ct = sealed[message_at[sequence]];
        pqseal_status status;
        while ((status = pqseal_recipient_open(recipient, NULL, 0, ct, LEN + 16, out, sizeof out, &len)) == PQSEAL_ERROR_OPEN) sched_yield();
        CHECK(status == PQSEAL_OK);
        message(message_at[sequence], text);
        CHECK(len == LEN && memcmp(out, text, LEN) == 0);
    }
    return NULL;
}

/* Each thread seals blobs and opens them through the ring, and the first one adds keys to the ring. */
static void *blobs(void *place) {
    size_t number = *(size_t *)place, len, out_len;
    unsigned char text[LEN], out[BLOB], blob[BLOB];
    pthread_barrier_wait(&start);
    for (size_t i = 0; i < BLOBS; i++) {
        if (number == 0 && i % 10 == 0) OK(pqseal_key_ring_add(ring, private_key));
        message(i, text);
        OK(pqseal_matched_data_seal(public_key, NULL, 0, NULL, 0, text, LEN, blob, sizeof blob, &len));
        OK(pqseal_matched_data_open(ring, NULL, 0, NULL, 0, blob, len, out, sizeof out, &out_len));
        CHECK(out_len == LEN && memcmp(out, text, LEN) == 0);
    }
    return NULL;
}

static void together(void *(*run)(void *)) {
    pthread_t threads[THREADS];
    CHECK(pthread_barrier_init(&start, NULL, THREADS) == 0);
    for (size_t i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, run, &numbers[i]) == 0);
    for (size_t i = 0; i < THREADS; i++) CHECK(pthread_join(threads[i], NULL) == 0);
    pthread_barrier_destroy(&start);
}

int main(void) {
    pqseal_suite *suite;
    unsigned char enc[32];
    size_t enc_len;
    for (size_t i = 0; i < THREADS; i++) numbers[i] = i;
    OK(pqseal_suite_new(0x0020, 0x0001, 0x0003, PQSEAL_POLICY_STANDARD, &suite));
    OK(pqseal_generate_key_pair(suite, &private_key, &public_key));
    OK(pqseal_sender_new(suite, public_key, NULL, enc, sizeof enc, &enc_len, &sender));
    OK(pqseal_recipient_new(suite, private_key, NULL, enc, enc_len, &recipient));
    OK(pqseal_recipient_export(recipient, NULL, 0, exported, sizeof exported));
    OK(pqseal_key_ring_new(&ring));
    OK(pqseal_key_ring_add(ring, private_key));
    together(seal);
    together(open_messages);
    for (size_t i = 0; i < MESSAGES; i++) CHECK(messages_at[i] == 1);
    together(open_in_sequence);
    together(blobs);
    pqseal_key_ring_free(ring);
    pqseal_recipient_free(recipient);
    pqseal_sender_free(sender);
    pqseal_public_key_free(public_key);
    pqseal_private_key_free(private_key);
    pqseal_suite_free(suite);
    printf("%d messages, %d blobs\n", MESSAGES, THREADS * BLOBS);
    return 0;
}
