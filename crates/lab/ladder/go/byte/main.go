// Rung 1: one byte at a time. Both sides are buffered, so there are few system calls; what costs
// is two method calls, two bounds checks and two error checks for every single byte.
package main

import (
	"bufio"
	"io"
	"os"
)

func main() {
	reader := bufio.NewReader(os.Stdin)
	writer := bufio.NewWriter(os.Stdout)
	defer writer.Flush()

	for {
		b, err := reader.ReadByte()
		if err == io.EOF {
			return
		}
		if err != nil {
			panic(err)
		}
		if err := writer.WriteByte(b); err != nil {
			panic(err)
		}
	}
}
