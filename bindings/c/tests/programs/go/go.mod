module pqseal.test/check

go 1.21
