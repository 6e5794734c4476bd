package main

import (
	"regexp"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/util/duration"
)

const durationColumns = "input, whether it matches the pattern of consolidateAfter, whether it matches that of a budget's duration, " +
	"ok or error, nanoseconds, String()"

const ageColumns = "nanoseconds, HumanDuration()"

// The patterns of Karpenter's NodePool schema.
var (
	afterPattern  = regexp.MustCompile(`^(([0-9]+(s|m|h))+|Never)$`)
	budgetPattern = regexp.MustCompile(`^((([0-9]+(h|m))|([0-9]+h[0-9]+m))(0s)?)$`)
)

var durationInputs = strings.Split(strings.Join([]string{
	"0|-0|+0|00|0s|0h|-0s|1|1s|1m|1h|1ns|1us|1µs|1μs|1ms|5s|30s|1478s|-5s|+5s|300ms|1.5h|2h45m|1h30m|1h0m0s|72h3m0.5s|1h15m30.918273645s",
	"5.0s|5.6s|5.s|.5s|-.5s|+.5s|5.004s|5.0040s|100.00100s|10ns|11us|12µs|12μs|13ms|14s|15m|16h|3h30m|10.5s4m|-2m3.4s|1h2m3s4ms5us6ns|39h9m14.425s",
	"52763797000ns|0.3333333333333333333h|9007199254740993ns|9223372036854775807ns|9223372036854775.807us|9223372036s854ms775us807ns|-9223372036854775808ns",
	"-9223372036854775.808us|-9223372036s854ms775us808ns|-2562047h47m16.854775808s|2562047h47m16.854775807s|2562047h47m16.854775808s|0.100000000000000000000h",
	"0.830103483285477580700h|0.9223372036854775807h|0.9223372036854775808h|0.92233720368547758081h|0.92233720368547758070000000000000000001s|0.123456789123456789m",
	"1.00000000000000000000000000000000001s|0.0000000001s|0.000000001s|0.9999999999s|0.99999999999999999999m|1.1m|1.1h|0.1h|0.7h|2.3h|0.29s|1.15s|4.35ms",
	"2562047h|2562048h|153722867m|153722868m|9223372036s|9223372037s|9223372036854ms|9223372036855ms|9223372036854775us|9223372036854776us",
	"9223372036854775808ns|-9223372036854775809ns|9223372036854775808ns9223372036854775808ns|-9223372036854775808ns9223372036854775808ns|9223372036854775807ns1ns",
	"18446744073709551616ns|18446744073709551615s|99999999999999999999h|2562047.9999h|2562047.7h|-2562047.9999h|106751d|1h1h1h|1s1h1m|1m1m|0s0s|01h|007s|1h00m00s",
	// On and off the patterns of the schema.
	"8h|45m|10m|100h|1h10m|10h5m0s|1h0s|5m0s|00h00m|8h30m0s|1h5m5s|1h5m00s|1h00s|1h10s|10s|1m30s|1m1h|1h1h0s|0s0s|0h0s|0m|1m0s0s|99999999h|99999999h0s|99999999h5m",
	"1h\n|Never\n|Never1s|1sNever| Never|1h30m10s|30s30m|1s1s1s|h|0h0m0s|m0s|h0s|h5m|5hm",
	// Refused.
	"3|-|+|s|.|-.|.s|+.s|1d|1w|1y|1D|1H|1M|1S|1Ms|1sec|1min|1hour|1 h|1h 30m| 1h|1h |1h\n|1,5h|1.5.5h|1..5h|1e3s|0x1s|--1s|+-1s|1h-30m|1h+30m|1s.|1.s.|1s5|1h30",
	"Never|never|NEVER|1µ|1us1|1ns.|.5|5.|1\u0000s|１s|1ｓ|é|∞|1s∞|inf|NaN|nil|null|\"1s\"|1_000s|1n|1u|1mss|1hh|1hm|h1|m|1μμs|1 µs",
}, "|"), "|")

func durationRows(r *random, count int) [][]string {
	units := []string{"ns", "us", "µs", "μs", "ms", "s", "m", "h", "s", "m", "h"}
	texts := append([]string{""}, durationInputs...)
	for i := range count {
		text := pick(r, []string{"", "", "", "", "-", "+"})
		if i%4 == 0 {
			// Whole units, as in the schema's patterns.
			text = ""
			for range r.between(1, 3) {
				text += r.digits(r.between(1, 3)) + pick(r, []string{"h", "m", "m", "s"})
			}
			text += pick(r, []string{"", "", "0s"})
			texts = append(texts, text)
			continue
		}
		for range r.between(1, 4) {
			if r.chance(95) {
				text += r.digits(pick(r, []int{1, 1, 2, 2, 3, 4, 6, 7, 10}))
			}
			if r.chance(45) {
				text += "." + r.digits(pick(r, []int{1, 2, 3, 6, 9, 12, 17, 18, 19, 20, 22}))
			}
			text += pick(r, units)
		}
		if r.chance(15) {
			text = r.damaged(text, "0123456789.+-nsumh dx")
		}
		texts = append(texts, text)
	}
	var rows [][]string
	for _, text := range texts {
		row := []string{text, strconv.FormatBool(afterPattern.MatchString(text)), strconv.FormatBool(budgetPattern.MatchString(text))}
		if d, err := time.ParseDuration(text); err != nil {
			row = append(row, "error")
		} else {
			row = append(row, "ok", strconv.FormatInt(int64(d), 10), d.String())
		}
		rows = append(rows, row)
	}
	return rows
}

func ageRows(r *random, count int) [][]string {
	const day, year = 24 * time.Hour, 365 * 24 * time.Hour
	edges := []time.Duration{
		-2 * time.Second, -time.Second, 0, time.Second, time.Minute, 2 * time.Minute, 3 * time.Minute, 10 * time.Minute, time.Hour,
		3 * time.Hour, 8 * time.Hour, day, 2 * day, 3 * day, 8 * day, 30 * day, year, 2 * year, 3 * year, 8 * year, 100 * year,
	}
	ages := []time.Duration{-1 << 63, 1<<63 - 1, 45 * time.Second, 3*time.Hour + 12*time.Minute, 5 * day, 5*day + time.Hour}
	for _, edge := range edges {
		ages = append(ages, edge-time.Second, edge-1, edge, edge+1, edge+time.Second, edge+time.Minute, edge+time.Hour, edge+day)
	}
	for range count {
		// As many short ages as long ones.
		ages = append(ages, time.Duration(r.next()>>uint(r.between(1, 40))))
	}
	var rows [][]string
	for _, age := range ages {
		rows = append(rows, []string{strconv.FormatInt(int64(age), 10), duration.HumanDuration(age)})
	}
	return rows
}
