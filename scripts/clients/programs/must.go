// Beside each of the programs in Go: a fault ends them.
package main

import (
	"fmt"
	"os"
)

func must[T any](value T, err error) T {
	if err != nil {
		fail(err)
	}
	return value
}

func fail(reason any) {
	fmt.Fprintln(os.Stderr, reason)
	os.Exit(1)
}
