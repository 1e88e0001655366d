// Rung 7: splice. The kernel moves its own pages from input to output by way of a pipe of ours;
// not one byte is copied into this program. All pipes are 1 MiB.
package main

import (
	"os"
	"syscall"
)

const (
	size   = 1 << 20
	move   = 1 // SPLICE_F_MOVE
	stdin  = 0
	stdout = 1
)

// enlarge asks for a 1 MiB pipe. What is no pipe, or may not grow, stays as it is.
func enlarge(fd int) {
	const setPipeSize = 1031 // F_SETPIPE_SZ
	syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), setPipeSize, size)
}

// splice moves up to n bytes, 0 at the end of the input.
func splice(from, to int, n int64) int64 {
	for {
		moved, err := syscall.Splice(from, nil, to, nil, int(n), move)
		if err == nil {
			return moved
		}
		if err != syscall.EINTR {
			panic(os.NewSyscallError("splice", err))
		}
	}
}

func main() {
	var middle [2]int
	if err := syscall.Pipe(middle[:]); err != nil {
		panic(err)
	}
	for _, fd := range []int{stdin, stdout, middle[1]} {
		enlarge(fd)
	}
	for {
		left := splice(stdin, middle[1], size)
		if left == 0 {
			return
		}
		for left > 0 {
			left -= splice(middle[0], stdout, left)
		}
	}
}
