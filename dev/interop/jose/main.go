// JOSE-HPKE with github.com/lestrrat-go/jwx, for ../tests/it/formats.rs. One JSON
// object per line on stdin, one per line on stdout:
//
//	{"op":"seal", "alg", "enc", "key": JWK, "plaintext"}    answered with {"message"}
//	{"op":"open", "alg", "key": JWK, "message"}             answered with {"plaintext"}
//
// Any failure is answered with {"error": text}.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"

	"github.com/lestrrat-go/jwx/v4/jwa"
	"github.com/lestrrat-go/jwx/v4/jwe"
	"github.com/lestrrat-go/jwx/v4/jwk"
)

type request struct {
	Op        string          `json:"op"`
	Alg       string          `json:"alg"`
	Enc       string          `json:"enc"`
	Key       json.RawMessage `json:"key"`
	Plaintext string          `json:"plaintext"`
	Message   string          `json:"message"`
}

func main() {
	in := bufio.NewReader(os.Stdin)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			answer, err := run(line)
			if err != nil {
				answer = map[string]string{"error": err.Error()}
			}
			text, _ := json.Marshal(answer)
			os.Stdout.Write(append(text, '\n'))
		}
		if err != nil {
			if err != io.EOF {
				fmt.Fprintln(os.Stderr, err)
			}
			return
		}
	}
}

func run(line []byte) (map[string]string, error) {
	var r request
	if err := json.Unmarshal(line, &r); err != nil {
		return nil, err
	}
	key, err := jwk.ParseKey(r.Key)
	if err != nil {
		return nil, err
	}
	alg, ok := jwa.LookupKeyEncryptionAlgorithm(r.Alg)
	if !ok {
		return nil, fmt.Errorf("jwx has no %s", r.Alg)
	}
	if r.Op == "open" {
		plaintext, err := jwe.Decrypt([]byte(r.Message), jwe.WithKey(alg, key))
		return map[string]string{"plaintext": string(plaintext)}, err
	}
	enc, ok := jwa.LookupContentEncryptionAlgorithm(r.Enc)
	if !ok {
		return nil, fmt.Errorf("jwx has no %s", r.Enc)
	}
	message, err := jwe.Encrypt([]byte(r.Plaintext), jwe.WithKey(alg, key), jwe.WithContentEncryption(enc))
	return map[string]string{"message": string(message)}, err
}
