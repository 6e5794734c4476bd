package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/robfig/cron/v3"
)

const cronColumns = "schedule, ok or error, then cells: `next START:HIT,HIT,HIT` (START in milliseconds, each HIT in seconds and " +
	"found from the one before, - for none), `active NOW:DURATION:ANSWER` (NOW in milliseconds, DURATION in seconds)"

var cronInputs = strings.Split(strings.Join([]string{
	"* * * * *|0 0 * * *|0 9 * * *|0 9 * * 1-5|0 9 * * mon-fri|0 9 * * MON-FRI|0 9 * * Mon-Fri|*/5 * * * *|*/15 * * * *|5/15 * * * *|0-59/20 * * * *|0,30 * * * *",
	"@yearly|@annually|@monthly|@weekly|@daily|@midnight|@hourly|@every 1h30m|@every 5s|@every 1s|@every 1ms|@every 0|@every -5s|@every 1.5s|@every 2999ms|@every 100000h",
	"? ? ? ? ?|0 0 ? * *|0 0 * * ?|0 0 1 ? ?|?/2 * * * *|*/1 * * * *|* * */1 * 1|* * */2 * 1|* * 1 * */1|* * 1 * */2|0 0 */2 * 1|0 0 13 * */1|0 0 */1 * 5",
	// Days of the month, of the week, and both.
	"0 0 1 * *|0 0 31 * *|0 0 30 * *|0 0 29 2 *|0 12 29 feb ?|0 0 28 2 *|0 0 30 2 *|0 0 31 2 *|0 0 31 4,6,9,11 *|0 0 31 1/2 *|0 0 13 * 5|0 0 13 * fri|0 0 1,15 * 1",
	"0 0 31 2 1|0 0 30 2 mon|0 0 29 2 0|0 0 29 2 */2|0 0 */10 2 *|59 23 31 12 *|0 0 1 1 *|59 23 31 12 ?|30 4 1-7 * 1|30 4 1-7 * *|0 0 25-31 * 6|0 22 * * 1-5|23 0-20/2 * * *",
	"0 0 * 2 *|0 0 * 1,7 *|* * * 6 *|59 * * * *|0 23 * * *|59 23 * * *|59 23 28 2 *|0 0 1 3 *|0 0 1 */3 *|0 0 1 */5 *|0 0 1 2/3 *|0 0 * * 0|0 0 * * 6|0 0 * * sun|0 0 * * sat,sun",
	"0 0 * jan mon|0 0 * JAN-MAR *|0 0 * jan-12 *|0 0 * 1-dec/2 *|0 0 * * 0-sat/3|0 0 * feb,apr,jun *|0 0 * sep/2 *|0 0 * * tue/2|1,2,3 4,5 6-8,20 oct-nov wed",
	// What looks wrong and is taken.
	"1,,2 * * * *|,1 * * * *|1, * * * *|, * * * *|* , * * *|* * , * *|* * * , *|* * * * ,|0 0 , * 1|0 0 1 * ,|0 0 , * ,|*-5 * * * *|*-foo * * * *|*- * * * *|*-1-2 * * * *|*-5/10 * * * *",
	"+5 * * * *|05 * * * *|0000005 * * * *|-0 * * * *|5-+7 * * * *|*/+5 * * * *|*/05 * * * *|*/59 * * * *|*/60 * * * *|*/100000 * * * *|5/9223372036854775807 * * * *|59/1 * * * *|5-5 * * * *|5-5/3 * * * *",
	"  0 0 * * *|0 0 * * *  |0\t0\t*\t*\t*|0  0   *  *    *|\n0 0 * * *\n|0\u00a00 * * *|0\u20030 * * *|0 0 * *\u0085*|0\v0\f* * *|\u00a0@daily\u2003| @daily |@every 5s |\t@hourly",
	// Refused.
	"  |*|* *|* * *|* * * *|* * * * * *|0 0 0 * * *|* * * * * * *|60 * * * *|* 24 * * *|* * 0 * *|* * 32 * *|* * * 0 *|* * * 13 *|* * * * 7|* * * * 8|-1 * * * *|1- * * * *|-1-5 * * * *",
	"1-2-3 * * * *|1/2/3 * * * *|*/0 * * * *|5/0 * * * *|*/-1 * * * *|*/-0 * * * *|*/ * * * *|/5 * * * *|1-60 * * * *|5-1 * * * *|* * * * fri-mon|* * * dec-jan *|* * 31-1 * *|* 23-1 * * *",
	"a * * * *|jan * * * *|* mon * * *|* * mon * *|* * * mon *|* * * * jan|* * * january *|* * * * monday|* * * * mond|* * L * *|* * * * 5L|* * * * 5#2|* * 15W * *|* * * * mon#1|H * * * *",
	"1.5 * * * *|1e1 * * * *|0x5 * * * *|1_0 * * * *|** * * * *|*5 * * * *|5* * * * *|*,5 * * * *|*/5,7 * * * *|5,* * * * *|% * * * *|１ * * * *|99999999999999999999 * * * *|*/99999999999999999999 * * * *",
	"@|@Daily|@DAILY|@every|@every |@every  5s|@every 5|@every 1d|@every\t5s|@every5s|@daily @daily|@daily 1|@reboot|@minutely|@secondly|@yearly2|@ daily|@every 1h 30m|@every Never",
	"TZ=UTC * * * * *|TZ=Europe/Berlin 0 9 * * *|CRON_TZ=UTC * * * * *|CRON_TZ=Asia/Tokyo 0 0 * * *|TZ=UTC @daily|TZ=UTC|TZ= * * * *|tz=UTC * * * * *|TZ=UTC * * * *|UTC * * * *|0 0 * * * UTC",
	"* * * * *\u0000|* * * * \u200b|0 0 * * m\u00f6n|* * * * ?-?|* * * * ?-5|??|* * * * ?? |$ * * * *|0 0 * * mon-|0 0 * * -mon|0 0 * * mon--fri|0 0 * * mon/|0 0 * * mon-fri/x|0 0 1-31 1-12 0-6",
}, "|"), "|")

// Starts that are awkward: ends of months and years, leap days, century years, before 1970, between seconds.
var cronStarts = []string{
	"2026-11-15T12:00:00Z", "2026-11-15T12:00:00.25Z", "2026-12-31T23:59:59Z", "2026-12-31T23:59:59.999Z", "2027-01-01T00:00:00Z",
	"2024-02-28T23:59:00Z", "2024-02-29T00:00:00Z", "2024-02-29T23:59:30Z", "2025-02-28T23:59:59Z", "2096-02-29T00:00:00Z",
	"2097-01-01T00:00:00Z", "2099-12-31T23:59:59Z", "2100-02-28T12:34:56Z", "1999-12-31T23:59:00Z", "2000-02-28T23:59:59Z",
	"1969-12-31T23:59:59.5Z", "1970-01-01T00:00:00Z", "1899-06-01T00:00:00Z", "2026-01-31T10:30:00Z", "2026-04-30T23:59:59Z",
}

func cronTexts(r *random, count int) []string {
	texts := append([]string{""}, cronInputs...)
	limits := [5][2]int{{0, 59}, {0, 23}, {1, 31}, {1, 12}, {0, 6}}
	months := strings.Fields("jan feb mar apr may jun jul aug sep oct nov dec")
	weekdays := strings.Fields("sun mon tue wed thu fri sat")
	for range count {
		var fields []string
		for i, limit := range limits {
			number := func(low, high int) string {
				n := r.between(low, high)
				switch {
				case i == 3 && r.chance(20) && n >= 1 && n <= 12:
					return months[n-1]
				case i == 4 && r.chance(30) && n >= 0 && n <= 6:
					return strings.ToUpper(weekdays[n])
				case r.chance(1):
					return strconv.Itoa(limit[1] + 1)
				default:
					return strconv.Itoa(n)
				}
			}
			var parts []string
			for range pick(r, []int{1, 1, 1, 2, 3}) {
				part := pick(r, []string{"*", "*", "?", "*"})
				switch r.below(4) {
				case 0, 1:
					part = number(limit[0], limit[1])
				case 2:
					low := r.between(limit[0], limit[1])
					part = number(low, low) + "-" + number(low, limit[1])
				}
				if r.chance(25) {
					part += "/" + strconv.Itoa(r.between(1, limit[1]/2+1))
				}
				parts = append(parts, part)
			}
			fields = append(fields, strings.Join(parts, ","))
		}
		text := strings.Join(fields, " ")
		if r.chance(10) {
			text = r.damaged(text, "0123456789*?-/, jx@")
		}
		texts = append(texts, text)
	}
	return texts
}

func cronRows(r *random, count int) [][]string {
	durations := []time.Duration{0, time.Minute, 45 * time.Minute, 8 * time.Hour, 24 * time.Hour, 31 * 24 * time.Hour, 9000 * time.Hour}
	var rows [][]string
	for _, text := range cronTexts(r, count) {
		// Karpenter puts the zone in front of whatever the user wrote.
		schedule, err := cron.ParseStandard("TZ=UTC " + text)
		if err != nil {
			rows = append(rows, []string{text, "error"})
			continue
		}
		row := []string{text, "ok"}
		// Searching for what never comes is slow in the library: one start is enough.
		starts := 4
		if schedule.Next(instant(cronStarts[0])).IsZero() {
			starts = 1
		}
		for i := range starts {
			start := instant(pick(r, cronStarts))
			if i%2 == 1 {
				start = time.UnixMilli(int64(r.below(4_000_000_000)) * 1000).Add(time.Duration(r.below(4)*250) * time.Millisecond).UTC()
			}
			var hits []string
			for at := start; len(hits) < 3; {
				at = schedule.Next(at)
				if at.IsZero() {
					hits = append(hits, "-")
					break
				}
				hits = append(hits, strconv.FormatInt(at.Unix(), 10))
			}
			row = append(row, fmt.Sprintf("next %d:%s", start.UnixMilli(), strings.Join(hits, ",")))
			window := pick(r, durations)
			now := start
			if hit := schedule.Next(start); i%2 == 0 && !hit.IsZero() {
				// On and next to the edges of a window.
				now = hit.Add(time.Duration(r.between(-1, 1)) * time.Second)
				if r.chance(50) {
					now = now.Add(window)
				}
			}
			row = append(row, fmt.Sprintf("active %d:%d:%t", now.UnixMilli(), int(window.Seconds()), active(schedule, now, window)))
		}
		rows = append(rows, row)
	}
	return rows
}

// active is how Karpenter decides whether a budget applies: the first hit of the window that ends now has come.
func active(schedule cron.Schedule, now time.Time, window time.Duration) bool {
	return !schedule.Next(now.Add(-window)).After(now)
}

func instant(text string) time.Time {
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		panic(err)
	}
	return at
}
