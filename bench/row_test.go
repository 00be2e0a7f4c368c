package main

import (
	"errors"
	"strings"
	"testing"
	"time"
)

// Only what may not be lost makes the measurement fail.
func TestLossesThatFail(t *testing.T) {
	for name, test := range map[string]struct {
		planned bool
		outcome outcome
		err     error
		fails   bool
	}{
		"nothing lost, but slow":       {true, outcome{gap: time.Hour, failed: 5}, nil, false},
		"acknowledged, of a planned":   {true, outcome{lost: 1}, nil, true},
		"acknowledged, of an accident": {false, outcome{lost: 1}, nil, false},
		"confirmed, of an accident":    {false, outcome{unkept: 1}, nil, true},
		"an error":                     {false, outcome{}, errors.New("no cluster"), true},
	} {
		t.Run(name, func(t *testing.T) {
			r := result{row: row{limits: limits{planned: test.planned}}, outcomes: []outcome{{}, test.outcome}, err: test.err}
			if err := r.failure(); (err != nil) != test.fails {
				t.Errorf("failure is %v, want %t", err, test.fails)
			}
		})
	}
}

// The table marks what is above its limit, and nothing else.
func TestTable(t *testing.T) {
	r := result{
		row:    row{title: "roll", limits: limits{ratio: 1.6, gap: 200 * time.Millisecond, planned: true}},
		floors: []time.Duration{10 * time.Second, 12 * time.Second, 11 * time.Second},
		outcomes: []outcome{
			{took: 20 * time.Second, written: true, gap: 100 * time.Millisecond},
			{took: 17 * time.Second, written: true, gap: 250 * time.Millisecond, failed: 2},
			{took: 17 * time.Second, written: true, gap: 90 * time.Millisecond},
		},
	}
	want := "roll 3 11.00 s 12.00 s 17.00 s 20.00 s 1.55 100 ms 250 ms! ratio 1.60, gap 200 ms 2! 0, confirmed 0"
	_, line, _ := strings.Cut(table([]result{r}), "\n")
	if got := strings.Join(strings.Fields(line), " "); got != want {
		t.Errorf("the table says\n%s\nwant\n%s", got, want)
	}
}

func TestRowsAreChosenByName(t *testing.T) {
	chosen, err := choose("kill,roll")
	if err != nil || len(chosen) != 2 || chosen[0].name != "kill" || chosen[1].name != "roll" {
		t.Errorf("chose %v, %v", chosen, err)
	}
	if _, err := choose("rol"); err == nil || !strings.Contains(err.Error(), "roll") {
		t.Errorf("the error %v does not name the rows", err)
	}
}
