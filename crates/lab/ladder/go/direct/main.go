// Rung 5: 16 KiB at a time, read and written at once. This is what a plain cat does: one read and
// one write a block, nothing kept back.
package main

import (
	"io"
	"os"
)

func main() {
	buffer := make([]byte, 16*1024)
	for {
		n, readErr := os.Stdin.Read(buffer)
		if _, err := os.Stdout.Write(buffer[:n]); err != nil {
			panic(err)
		}
		if readErr == io.EOF {
			return
		}
		if readErr != nil {
			panic(readErr)
		}
	}
}
