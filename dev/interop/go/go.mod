module pqseal.example/interop

go 1.26
