package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// cpuTime is what this process, which is the operator, has used.
func cpuTime() time.Duration {
	var used syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &used); err != nil {
		return 0
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}

// othersCPU says what the API server, its database, and the stand-in for pods
// have used.
func othersCPU() string {
	var parts []string
	files, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			continue
		}
		// pid (name) state ppid …, with user and system time in the 14th and 15th.
		name, rest, _ := strings.Cut(string(text), ") ")
		fields := strings.Fields(rest)
		if len(fields) < 13 || fields[1] != strconv.Itoa(os.Getpid()) {
			continue
		}
		_, name, _ = strings.Cut(name, " (")
		user, _ := strconv.Atoi(fields[11])
		system, _ := strconv.Atoi(fields[12])
		const ticks = 100 // a second, everywhere
		parts = append(parts, fmt.Sprintf("%s %d s", name, (user+system)/ticks))
	}
	return strings.Join(parts, ", ")
}

// memory says how much the operator uses; the test itself is a small part.
func memory() string {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	rss := resident("VmRSS")
	runtime.GC()
	runtime.ReadMemStats(&after)
	return fmt.Sprintf("memory: heap in use %d MiB, live %d MiB, RSS %d MiB (at most %d MiB), %d goroutines with %d MiB of stacks",
		before.HeapInuse>>20, after.HeapAlloc>>20, rss>>10, resident("VmHWM")>>10, runtime.NumGoroutine(), after.StackInuse>>20)
}

// resident reads a line of /proc/self/status, in KiB.
func resident(field string) int {
	text, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(text)) {
		if rest, found := strings.CutPrefix(line, field+":"); found {
			n, _ := strconv.Atoi(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(rest), "kB")))
			return n
		}
	}
	return 0
}
