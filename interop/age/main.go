// The age library (filippo.io/age) on one file, for ../tests/age.rs:
//
//	age-peer encrypt             plaintext on stdin; one JSON line on stdout
//	age-peer decrypt IDENTITY    age file on stdin; plaintext on stdout
//
// encrypt makes a fresh post-quantum identity each time and prints it too, so
// nothing that is meant to stay secret belongs here.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"filippo.io/age"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "age-peer:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	switch {
	case len(args) == 1 && args[0] == "encrypt":
		return encrypt()
	case len(args) == 2 && args[0] == "decrypt":
		return decrypt(args[1])
	}
	return errors.New("usage: age-peer encrypt | age-peer decrypt IDENTITY")
}

func encrypt() error {
	identity, err := age.GenerateHybridIdentity()
	if err != nil {
		return err
	}
	var file bytes.Buffer
	plaintext, err := age.Encrypt(&file, identity.Recipient())
	if err != nil {
		return err
	}
	if _, err := io.Copy(plaintext, os.Stdin); err != nil {
		return err
	}
	if err := plaintext.Close(); err != nil {
		return err
	}
	return json.NewEncoder(os.Stdout).Encode(map[string]any{
		"identity":  identity.String(),
		"recipient": identity.Recipient().String(),
		"file":      file.Bytes(), // base64 in JSON
	})
}

func decrypt(text string) error {
	identity, err := age.ParseHybridIdentity(text)
	if err != nil {
		return err
	}
	plaintext, err := age.Decrypt(os.Stdin, identity)
	if err != nil {
		return err
	}
	_, err = io.Copy(os.Stdout, plaintext)
	return err
}
