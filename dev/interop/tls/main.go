// Go's crypto/tls at one end of a connection.
//
//	tls-peer server DIR GROUPS [CONFIG KEY]   listens, and prints its address
//	tls-peer client DIR ADDRESS GROUPS [LIST] connects to localhost there
//
// DIR holds identity.pem: a certificate, which is its own root, and its key. GROUPS is "default", or
// code points joined by commas. In hexadecimal, CONFIG and KEY are an ECHConfig and its private key,
// and LIST is an ECHConfigList.
// The server sends each client one line about the connection and closes it. The client prints that
// line after its own.
package main

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"fmt"
	"log"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

func main() {
	log.SetFlags(0)
	args := os.Args[1:]
	if len(args) < 3 {
		log.Fatal("usage: tls-peer server DIR GROUPS [CONFIG KEY] | client DIR ADDRESS GROUPS [LIST]")
	}
	switch args[0] {
	case "server":
		serve(args[1], args[2], args[3:])
	case "client":
		connect(args[1], args[2], args[3], args[4:])
	default:
		log.Fatalf("no command %q", args[0])
	}
}

func serve(dir, groups string, ech []string) {
	identity := filepath.Join(dir, "identity.pem")
	certificate, err := tls.LoadX509KeyPair(identity, identity)
	check(err)
	config := &tls.Config{
		Certificates:     []tls.Certificate{certificate},
		CurvePreferences: curves(groups),
	}
	if len(ech) == 2 {
		config.EncryptedClientHelloKeys = []tls.EncryptedClientHelloKey{{
			Config: unhex(ech[0]), PrivateKey: unhex(ech[1]), SendAsRetry: true,
		}}
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	fmt.Println(listener.Addr())
	for {
		raw, err := listener.Accept()
		check(err)
		go func() {
			connection := tls.Server(raw, config)
			defer connection.Close()
			if err := connection.Handshake(); err == nil {
				fmt.Fprintln(connection, describe(connection.ConnectionState()))
			}
		}()
	}
}

func connect(dir, address, groups string, ech []string) {
	pem, err := os.ReadFile(filepath.Join(dir, "identity.pem"))
	check(err)
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(pem)
	config := &tls.Config{RootCAs: roots, ServerName: "localhost", CurvePreferences: curves(groups)}
	if len(ech) == 1 {
		config.EncryptedClientHelloConfigList = unhex(ech[0])
	}
	connection, err := tls.Dial("tcp", address, config)
	check(err)
	defer connection.Close()
	fmt.Println(describe(connection.ConnectionState()))
	line, err := bufio.NewReader(connection).ReadString('\n')
	check(err)
	fmt.Print(line)
}

func describe(state tls.ConnectionState) string {
	return fmt.Sprintf("group=%#04x retry=%t ech=%t name=%s",
		uint16(state.CurveID), state.HelloRetryRequest, state.ECHAccepted, state.ServerName)
}

func curves(groups string) (ids []tls.CurveID) {
	if groups == "default" {
		return nil
	}
	for _, group := range strings.Split(groups, ",") {
		id, err := strconv.ParseUint(group, 0, 16)
		check(err)
		ids = append(ids, tls.CurveID(id))
	}
	return ids
}

func unhex(text string) []byte {
	bytes, err := hex.DecodeString(text)
	check(err)
	return bytes
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
