package valkey

import "strings"

// Memory is INFO's section "memory", in bytes.
type Memory struct {
	Used int64 // allocated by the server
	RSS  int64 // resident, as the operating system counts
	Max  int64 // maxmemory; 0 means no limit
}

// Memory reads the section "memory".
func (i Info) Memory() (Memory, error) {
	f := fieldReader{fields: i}
	m := Memory{Used: f.int("used_memory"), RSS: f.int("used_memory_rss"), Max: f.int("maxmemory")}
	return m, f.err
}

// Keys is INFO's section "keyspace": the number of keys in all databases.
func (i Info) Keys() (int64, error) {
	var total int64
	for name, value := range i {
		digits, isDB := strings.CutPrefix(name, "db")
		if !isDB || strings.Trim(digits, "0123456789") != "" {
			continue
		}
		count, _, _ := strings.Cut(strings.TrimPrefix(value, "keys="), ",")
		f := fieldReader{fields: Info{name: count}}
		total += f.int(name)
		if f.err != nil {
			return 0, f.err
		}
	}
	return total, nil
}
