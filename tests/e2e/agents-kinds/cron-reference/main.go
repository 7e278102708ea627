// Prints the next times of cron expressions, as the library that a CronJob uses computes them. Each line of the standard
// input is a question, and each line of the output its answer.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"time"
	_ "time/tzdata"

	"github.com/robfig/cron/v3"
)

type question struct {
	Cron, Zone, After string
	Count             int
}

func main() {
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(make([]byte, 1<<20), 1<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for in.Scan() {
		var q question
		if err := json.Unmarshal(in.Bytes(), &q); err != nil {
			panic(err)
		}
		fmt.Fprintln(out, answer(q))
	}
}

func answer(q question) string {
	zone, err := time.LoadLocation(q.Zone)
	if err != nil {
		return `{"error":"zone"}`
	}
	schedule, err := cron.ParseStandard(q.Cron)
	if err != nil {
		return `{"error":"cron"}`
	}
	at, _ := time.Parse(time.RFC3339, q.After)
	at = at.In(zone)
	times := []string{}
	for i := 0; i < q.Count; i++ {
		at = schedule.Next(at)
		if at.IsZero() {
			break
		}
		times = append(times, at.UTC().Format(time.RFC3339))
	}
	text, _ := json.Marshal(map[string]any{"times": times})
	return string(text)
}
