module pqseal.example/jose

go 1.26.0

require github.com/lestrrat-go/jwx/v4 v4.0.2

require (
	github.com/lestrrat-go/option/v3 v3.0.0-alpha1 // indirect
	github.com/valyala/fastjson v1.6.10 // indirect
	golang.org/x/crypto v0.49.0 // indirect
)
