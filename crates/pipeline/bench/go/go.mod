module pqseal.example/bench

go 1.26
