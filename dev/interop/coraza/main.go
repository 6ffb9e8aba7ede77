// Coraza with the OWASP Core Rule Set, in front of another server.
//
//	coraza-peer DIRECTIVES UPSTREAM
//
// Takes the directives in a file, and listens on the loopback interface: prints its port. Ends when its standard
// input ends.
package main

import (
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"

	coreruleset "github.com/corazawaf/coraza-coreruleset/v4"
	"github.com/corazawaf/coraza/v3"
	corazahttp "github.com/corazawaf/coraza/v3/http"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: coraza-peer DIRECTIVES UPSTREAM")
	}
	directives, err := os.ReadFile(os.Args[1])
	check(err)
	upstream, err := url.Parse(os.Args[2])
	check(err)
	waf, err := coraza.NewWAF(coraza.NewWAFConfig().WithRootFS(coreruleset.FS).WithDirectives(string(directives)))
	check(err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	go func() {
		check(http.Serve(listener, corazahttp.WrapHandler(waf, httputil.NewSingleHostReverseProxy(upstream))))
	}()
	fmt.Println(listener.Addr().(*net.TCPAddr).Port)
	_, err = io.Copy(io.Discard, os.Stdin)
	check(err)
}

func check(err error) {
	if err != nil {
		log.Fatal("coraza-peer: ", err)
	}
}
