// Rung 4: 16 KiB at a time, taking what is there, and a buffered writer. Nothing waits for a full
// buffer any more, but output still waits for the end or for a full writer.
package main

import (
	"bufio"
	"io"
	"os"
)

func main() {
	writer := bufio.NewWriter(os.Stdout)
	defer writer.Flush()

	buffer := make([]byte, 16*1024)
	for {
		n, readErr := os.Stdin.Read(buffer)
		if _, err := writer.Write(buffer[:n]); err != nil {
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
