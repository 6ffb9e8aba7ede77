// Times of Go's crypto/hpke for dev/benches/peers: row TAB candidate TAB median of the process's CPU time in us.
package main

import (
	"crypto/ecdh"
	"crypto/hpke"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"syscall"
)

const rounds = 31

func main() {
	runtime.GOMAXPROCS(1)
	x25519, xWing := hpke.DHKEM(ecdh.X25519()), hpke.MLKEM768X25519()
	measure("X25519, ChaCha20-Poly1305", x25519, hpke.ChaCha20Poly1305())
	measure("X25519, AES-128-GCM", x25519, hpke.AES128GCM())
	measure("X-Wing, ChaCha20-Poly1305", xWing, hpke.ChaCha20Poly1305())
}

func measure(suite string, kem hpke.KEM, aead hpke.AEAD) {
	sk := must(kem.GenerateKey())
	pk, kdf, message := sk.PublicKey(), hpke.HKDFSHA256(), make([]byte, 150)
	sealed := must(hpke.Seal(pk, kdf, aead, nil, message))
	report(suite+": seal 150 B", func() { must(hpke.Seal(pk, kdf, aead, nil, message)) })
	report(suite+": open 150 B", func() { must(hpke.Open(sk, kdf, aead, nil, sealed)) })
}

func report(row string, call func()) {
	times := make([]float64, rounds)
	for i := range times {
		const calls = 100
		start := cpu()
		for range calls {
			call()
		}
		times[i] = (cpu() - start) / calls
	}
	slices.Sort(times)
	version := strings.TrimPrefix(runtime.Version(), "go")
	fmt.Printf("%s\tGo %s crypto/hpke\t%.3f\n", row, version, times[rounds/2])
}

// cpu is this process's time in us.
func cpu() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1000
}

func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}
