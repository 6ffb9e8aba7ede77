/* What a caller can get wrong by an empty secret or by a fork. Prints nothing. */
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

int main(void) {
    empty_psks();
    after_a_fork();
    return 0;
}
