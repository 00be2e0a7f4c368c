// Package probe is a client that notices: it writes to many keys of a cluster
// all the time, each write with a number of its own, and reports which writes
// failed, the longest time in which a key could not be written, and which
// acknowledged writes are not there afterwards. Beside it is a client that does
// not notice, and keeps the servers busy. It is for tests and benchmarks.
package probe
