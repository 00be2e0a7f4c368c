package topology

// Rules returns the names of the rules in order of precedence.
func Rules() []string {
	names := make([]string, len(rules))
	for i, r := range rules {
		names[i] = r.name
	}
	return names
}

// NextWithout is [Next] without the rule of that name. It is for tests that
// show what the rule is needed for.
func NextWithout(name string, want Desired, seen Observed) Plan {
	var rest []rule
	for _, r := range rules {
		if r.name != name {
			rest = append(rest, r)
		}
	}
	return next(rest, want, seen)
}
