package valkey

import (
	"context"
	"maps"
	"slices"
)

// ConfigGet reads parameters by name or glob. A name that the server does not
// have is simply absent.
func ConfigGet(ctx context.Context, c Conn, names ...string) (map[string]string, error) {
	return ParseConfig(do(ctx, c, Cmd(append([]string{"CONFIG", "GET"}, names...)...)))
}

// ParseConfig reads the answer to CONFIG GET.
func ParseConfig(r Reply) (map[string]string, error) {
	m, err := r.Map()
	if err != nil {
		return nil, err
	}
	values := make(map[string]string, len(m))
	for name, value := range m {
		if values[name], err = value.Text(); err != nil {
			return nil, err
		}
	}
	return values, nil
}

// ConfigSet sets all parameters or, with a [ConfigError] about the first that
// is refused, none. No parameters is nothing to do.
func ConfigSet(ctx context.Context, c Conn, values map[string]string) error {
	if len(values) == 0 {
		return nil
	}
	args := []string{"CONFIG", "SET"}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		args = append(args, name, values[name])
	}
	return configError(run(ctx, c, args...))
}
