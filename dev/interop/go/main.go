// An interop peer over Go's standard crypto/hpke: the line protocol of
// ../README.md on stdin and stdout.
package main

import (
	"bufio"
	"crypto/hpke"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
)

func main() {
	in := bufio.NewReader(os.Stdin)
	for {
		// Not a bufio.Scanner: it stops for good at a line above its limit.
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			os.Stdout.Write(append(answer(line), '\n'))
		}
		if err != nil {
			if err != io.EOF {
				fmt.Fprintln(os.Stderr, err)
			}
			return
		}
	}
}

// answer never fails and never panics: whatever goes wrong becomes an
// {"error": ...} line.
func answer(line []byte) (out []byte) {
	failed := func(why any) []byte {
		text, _ := json.Marshal(map[string]string{"error": fmt.Sprint(why)})
		return text
	}
	defer func() {
		if r := recover(); r != nil {
			out = failed(fmt.Sprint("panic: ", r))
		}
	}()
	var r request
	if err := json.Unmarshal(line, &r); err != nil {
		return failed(err)
	}
	result, err := dispatch(&r)
	if err != nil {
		return failed(err)
	}
	out, err = json.Marshal(result)
	if err != nil {
		return failed(err)
	}
	return out
}

func dispatch(r *request) (any, error) {
	switch r.Op {
	case "suites":
		return suites(), nil
	case "derive":
		return derive(r)
	case "public":
		return public(r)
	case "seal":
		return seal(r)
	case "open":
		return open(r)
	case "sequence":
		return sequence(r)
	}
	return nil, fmt.Errorf("unknown op %q", r.Op)
}

func suites() any {
	type suite struct {
		KEM    uint16 `json:"kem"`
		KDF    uint16 `json:"kdf"`
		AEAD   uint16 `json:"aead"`
		Modes  []int  `json:"modes"`
		Export bool   `json:"export"`
	}
	list := []suite{}
	for _, kem := range kemIDs {
		for _, kdf := range kdfIDs {
			for _, aead := range aeadIDs {
				r := request{KEM: kem, KDF: kdf, AEAD: aead}
				if _, _, _, err := r.suite(); err == nil {
					list = append(list, suite{kem, kdf, aead, []int{modeBase}, true})
				}
			}
		}
	}
	return map[string]any{"name": "go crypto/hpke", "version": runtime.Version(), "suites": list}
}

func derive(r *request) (any, error) {
	kem, err := hpke.NewKEM(r.KEM)
	if err != nil {
		return nil, err
	}
	key, err := kem.DeriveKeyPair(r.IKM)
	if err != nil {
		return nil, err
	}
	sk, err := key.Bytes()
	if err != nil {
		return nil, err
	}
	return map[string]hexBytes{"sk": sk, "pk": key.PublicKey().Bytes()}, nil
}

func public(r *request) (any, error) {
	kem, err := hpke.NewKEM(r.KEM)
	if err != nil {
		return nil, err
	}
	key, err := kem.NewPrivateKey(r.SK)
	if err != nil {
		return nil, err
	}
	return map[string]hexBytes{"pk": key.PublicKey().Bytes()}, nil
}

func seal(r *request) (any, error) {
	kem, kdf, aead, err := r.suite()
	if err != nil {
		return nil, err
	}
	pk, err := kem.NewPublicKey(r.PK)
	if err != nil {
		return nil, err
	}
	// The context, not hpke.Seal: that one returns enc || ct in one string
	// and takes no aad.
	enc, sender, err := hpke.NewSender(pk, kdf, aead, r.Info)
	if err != nil {
		return nil, err
	}
	cts := []hexBytes{}
	for _, m := range r.Messages {
		ct, err := sender.Seal(m.AAD, m.PT)
		if err != nil {
			return nil, err
		}
		cts = append(cts, ct)
	}
	exports, err := exportAll(sender, r)
	if err != nil {
		return nil, err
	}
	return map[string]any{"enc": hexBytes(enc), "cts": cts, "exports": exports}, nil
}

// recipient is the receiving context of a request.
func (r *request) recipient() (*hpke.Recipient, error) {
	kem, kdf, aead, err := r.suite()
	if err != nil {
		return nil, err
	}
	sk, err := kem.NewPrivateKey(r.SK)
	if err != nil {
		return nil, err
	}
	recipient, err := hpke.NewRecipient(r.Enc, sk, kdf, aead, r.Info)
	if err != nil {
		return nil, fmt.Errorf("open failed: %w", err)
	}
	return recipient, nil
}

func open(r *request) (any, error) {
	recipient, err := r.recipient()
	if err != nil {
		return nil, err
	}
	pts := []hexBytes{}
	for _, m := range r.Messages {
		pt, err := recipient.Open(m.AAD, m.CT)
		if err != nil {
			return nil, fmt.Errorf("open failed: %w", err)
		}
		pts = append(pts, pt)
	}
	exports, err := exportAll(recipient, r)
	if err != nil {
		return nil, err
	}
	return map[string]any{"pts": pts, "exports": exports}, nil
}

// sequence is as open, but a message that does not open is null and the next one follows.
func sequence(r *request) (any, error) {
	recipient, err := r.recipient()
	if err != nil {
		return nil, err
	}
	pts := []*hexBytes{}
	for _, m := range r.Messages {
		pt := (*hexBytes)(nil)
		if opened, err := recipient.Open(m.AAD, m.CT); err == nil {
			pt = (*hexBytes)(&opened)
		}
		pts = append(pts, pt)
	}
	return map[string]any{"pts": pts}, nil
}

type exporter interface {
	Export(context string, length int) ([]byte, error)
}

func exportAll(from exporter, r *request) ([]hexBytes, error) {
	exports := []hexBytes{}
	for _, e := range r.Exports {
		secret, err := from.Export(string(e.Context), e.Length)
		if err != nil {
			return nil, err
		}
		exports = append(exports, secret)
	}
	return exports, nil
}

type request struct {
	Op       string
	KEM      uint16
	KDF      uint16
	AEAD     uint16
	Mode     int
	IKM      hexBytes
	SK       hexBytes
	PK       hexBytes
	Enc      hexBytes
	Info     hexBytes
	Messages []struct{ AAD, PT, CT hexBytes }
	Exports  []struct {
		Context hexBytes
		Length  int
	}
}

func (r *request) suite() (kem hpke.KEM, kdf hpke.KDF, aead hpke.AEAD, err error) {
	if r.Mode != modeBase {
		return nil, nil, nil, fmt.Errorf("mode %d: crypto/hpke has base mode only", r.Mode)
	}
	kem, kemErr := hpke.NewKEM(r.KEM)
	kdf, kdfErr := hpke.NewKDF(r.KDF)
	aead, aeadErr := hpke.NewAEAD(r.AEAD)
	return kem, kdf, aead, errors.Join(kemErr, kdfErr, aeadErr)
}

// hexBytes is a byte string that is hexadecimal in JSON.
type hexBytes []byte

func (b hexBytes) MarshalText() ([]byte, error) {
	return []byte(hex.EncodeToString(b)), nil
}

func (b *hexBytes) UnmarshalText(text []byte) (err error) {
	*b, err = hex.DecodeString(string(text))
	return err
}

const modeBase = 0

// What to ask the package for; it says itself which of these it has.
var (
	kemIDs  = []uint16{0x10, 0x11, 0x12, 0x20, 0x21, 0x40, 0x41, 0x42, 0x50, 0x51, 0x647a}
	kdfIDs  = []uint16{1, 2, 3, 0x10, 0x11, 0x12, 0x13}
	aeadIDs = []uint16{1, 2, 3, 0xffff}
)
