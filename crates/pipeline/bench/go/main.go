// Opens NDJSON records with crypto/hpke, one after another, as one would write it: only for the benchmark.
package main

import (
	"bufio"
	"bytes"
	"crypto/hpke"
	"encoding/base64"
	"encoding/json"
	"os"
)

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

func main() {
	text := bytes.TrimSpace(must(os.ReadFile(os.Args[1])))
	kem := must(hpke.NewKEM(0x0020))
	key := must(kem.NewPrivateKey(must(base64.StdEncoding.DecodeString(string(text)))))
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	out := bufio.NewWriter(os.Stdout)
	encoder := json.NewEncoder(out)
	for lines.Scan() {
		var record map[string]any
		if err := json.Unmarshal(lines.Bytes(), &record); err != nil {
			panic(err)
		}
		metadata := record["Metadata"].(map[string]any)
		if sealed, ok := metadata["encrypted_matched_data"].(string); ok && sealed != "truncated" {
			blob := must(base64.StdEncoding.DecodeString(sealed))
			recipient := must(hpke.NewRecipient(blob[1:33], key, hpke.HKDFSHA256(), hpke.ChaCha20Poly1305(), nil))
			metadata["decrypted_matched_data"] = string(must(recipient.Open(nil, blob[41:])))
		}
		if err := encoder.Encode(record); err != nil {
			panic(err)
		}
	}
	if err := out.Flush(); err != nil {
		panic(err)
	}
}
