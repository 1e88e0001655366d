module ladder

go 1.19
