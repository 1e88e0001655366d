// Rung 3: 16 KiB at a time, waiting until the buffer is full, and a buffered writer. The loop
// turns once a block; a pipe that gives little at a time still costs several reads for each.
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
		n, readErr := io.ReadFull(os.Stdin, buffer)
		if _, err := writer.Write(buffer[:n]); err != nil {
			panic(err)
		}
		if readErr == io.EOF || readErr == io.ErrUnexpectedEOF {
			return
		}
		if readErr != nil {
			panic(readErr)
		}
	}
}
