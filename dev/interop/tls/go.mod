module pqseal/interop/tls

go 1.26
