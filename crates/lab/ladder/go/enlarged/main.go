// Rung 6: the pipes enlarged to 1 MiB and a buffer of the same size. Sixteen times fewer system
// calls and far fewer wake-ups than with the 64 KiB pipes the kernel hands out.
package main

import (
	"io"
	"os"
	"syscall"
)

const size = 1 << 20

// enlarge asks for a 1 MiB pipe. What is no pipe, or may not grow, stays as it is.
func enlarge(file *os.File) {
	const setPipeSize = 1031 // F_SETPIPE_SZ
	syscall.Syscall(syscall.SYS_FCNTL, file.Fd(), setPipeSize, size)
}

func main() {
	enlarge(os.Stdin)
	enlarge(os.Stdout)
	buffer := make([]byte, size)
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
