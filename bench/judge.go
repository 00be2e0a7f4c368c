package main

import "fmt"

// broken says which limits a result breaks.
func (r result) broken() []string {
	var broken []string
	say := func(format string, args ...any) {
		broken = append(broken, r.title+": "+fmt.Sprintf(format, args...))
	}
	for _, err := range r.errors {
		say("%v", err)
	}
	for _, o := range r.outcomes {
		for _, wrong := range o.wrong {
			say("%s", wrong)
		}
	}
	l := r.limits
	if ratio := r.ratio(); l.ratio > 0 && ratio > l.ratio {
		say("%.2f times the floor, at most %.2f is allowed", ratio, l.ratio)
	}
	for _, o := range r.outcomes {
		if l.took > 0 && o.took > l.took {
			say("took %s, at most %s is allowed", show(o.took), show(l.took))
		}
	}
	if gap := r.gap(); l.gap > 0 && gap > l.gap {
		say("a gap of %s, at most %s is allowed", show(gap), show(l.gap))
	}
	if failed := r.failed(); l.failed && failed > 0 {
		say("%d failed writes", failed)
	}
	if lost := r.lost(); l.lost && lost > 0 {
		say("%d acknowledged writes are lost", lost)
	}
	return append(broken, r.brokenLives()...)
}

// brokenLives says if the operator was to be killed and there was nothing to
// see of it: then the row proves nothing.
func (r result) brokenLives() []string {
	leaderships, actions, killed := 0, 0, false
	for _, o := range r.outcomes {
		killed = killed || o.lives != nil
		leaderships += len(o.lives)
		for _, n := range o.lives {
			actions += n
		}
	}
	if killed && (leaderships == 0 || actions == 0) {
		return []string{fmt.Sprintf("%s: the operator led %d times and acted %d times, both must be above 0", r.title, leaderships, actions)}
	}
	return nil
}
