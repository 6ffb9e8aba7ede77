// The age library (filippo.io/age) on one file, for ../tests/it/age.rs:
//
//	age-peer encrypt             plaintext on stdin; one JSON line on stdout
//	age-peer decrypt IDENTITY    age file on stdin; plaintext on stdout
//
// and for ../../../cli/tests/it/passphrase.rs, from stdin to stdout:
//
//	age-peer lock PASSPHRASE WORK [armor]    plaintext to an age file, of 2^WORK steps of scrypt
//	age-peer unlock PASSPHRASE               armored age file to plaintext
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
	"strconv"

	"filippo.io/age"
	"filippo.io/age/armor"
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
	case len(args) >= 3 && args[0] == "lock":
		return lock(args[1], args[2], len(args) == 4 && args[3] == "armor")
	case len(args) == 2 && args[0] == "unlock":
		return unlock(args[1])
	}
	return errors.New("usage: age-peer encrypt | decrypt IDENTITY | lock PASSPHRASE WORK [armor] | unlock PASSPHRASE")
}

func lock(passphrase, work string, armored bool) error {
	recipient, err := age.NewScryptRecipient(passphrase)
	if err != nil {
		return err
	}
	steps, err := strconv.Atoi(work)
	if err != nil {
		return err
	}
	recipient.SetWorkFactor(steps)
	var out io.WriteCloser = os.Stdout
	if armored {
		out = armor.NewWriter(os.Stdout)
	}
	plaintext, err := age.Encrypt(out, recipient)
	if err != nil {
		return err
	}
	if _, err := io.Copy(plaintext, os.Stdin); err != nil {
		return err
	}
	return errors.Join(plaintext.Close(), out.Close())
}

func unlock(passphrase string) error {
	identity, err := age.NewScryptIdentity(passphrase)
	if err != nil {
		return err
	}
	plaintext, err := age.Decrypt(armor.NewReader(os.Stdin), identity)
	if err != nil {
		return err
	}
	_, err = io.Copy(os.Stdout, plaintext)
	return err
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
