// Command values writes tables of quantities, durations, ages and cron schedules together with the answers
// of the libraries that Kubernetes and Karpenter use. Equal flags give equal tables.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
)

// A table is one fixture file: its name, what its columns mean, and its rows.
type table struct {
	name    string
	columns string
	library string
	rows    func(random *random, count int) [][]string
}

var tables = []table{
	{"quantities.tsv", quantityColumns, "k8s.io/apimachinery", quantityRows},
	{"quantity-order.tsv", orderColumns, "k8s.io/apimachinery", orderRows},
	{"durations.tsv", durationColumns, "", durationRows},
	{"ages.tsv", ageColumns, "k8s.io/apimachinery", ageRows},
	{"cron.tsv", cronColumns, "github.com/robfig/cron/v3", cronRows},
}

func main() {
	out := flag.String("out", "", "write the tables into this directory")
	check := flag.String("check", "", "compare this table, or the tables in this directory, with freshly made ones")
	seed := flag.Uint64("seed", 1, "seed of the generated inputs")
	count := flag.Int("count", 300, "generated inputs per table, next to the hand-picked ones")
	flag.Parse()
	if (*out == "") == (*check == "") || flag.NArg() != 0 {
		fmt.Fprintln(os.Stderr, "usage: go run . -out DIRECTORY | -check FILE-OR-DIRECTORY [-seed N] [-count N]")
		os.Exit(2)
	}
	if err := run(*out, *check, *seed, *count); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(out, check string, seed uint64, count int) error {
	if out != "" {
		for _, t := range tables {
			if err := os.WriteFile(filepath.Join(out, t.name), t.render(seed, count), 0o644); err != nil {
				return err
			}
		}
		return nil
	}
	info, err := os.Stat(check)
	if err != nil {
		return err
	}
	compared := 0
	for _, t := range tables {
		path := check
		if info.IsDir() {
			path = filepath.Join(check, t.name)
		} else if filepath.Base(check) != t.name {
			continue
		}
		kept, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if err := compare(path, kept, t.render(seed, count)); err != nil {
			return err
		}
		compared++
	}
	if compared == 0 {
		return fmt.Errorf("%s is none of the tables this program makes", check)
	}
	return nil
}

// compare ignores comments: another version of Go or of a library is no difference as long as the answers are equal.
func compare(path string, kept, made []byte) error {
	keptRows, madeRows := dataLines(kept), dataLines(made)
	for i := 0; i < max(len(keptRows), len(madeRows)); i++ {
		var a, b string
		if i < len(keptRows) {
			a = keptRows[i]
		}
		if i < len(madeRows) {
			b = madeRows[i]
		}
		if a != b {
			return fmt.Errorf("%s, row %d:\n  kept %s\n  made %s", path, i+1, a, b)
		}
	}
	return nil
}

func dataLines(text []byte) []string {
	var lines []string
	for line := range strings.Lines(string(text)) {
		if !strings.HasPrefix(line, "#") {
			lines = append(lines, strings.TrimSuffix(line, "\n"))
		}
	}
	return lines
}

func (t table) render(seed uint64, count int) []byte {
	var text bytes.Buffer
	fmt.Fprintf(&text, "# Made in oracle/values by `go run . -out DIRECTORY -seed %d -count %d` with %s%s.\n",
		seed, count, runtime.Version(), libraryVersion(t.library))
	fmt.Fprintf(&text, "# Columns: %s.\n", t.columns)
	for _, row := range t.rows(&random{state: seed}, count) {
		for i, cell := range row {
			if i > 0 {
				text.WriteByte('\t')
			}
			text.WriteString(escape.Replace(cell))
		}
		text.WriteByte('\n')
	}
	return text.Bytes()
}

func libraryVersion(library string) string {
	if library == "" {
		return ""
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == library {
				return " and " + library + " " + module.Version
			}
		}
	}
	return " and " + library
}

// Cells are plain text; a leading # in the first one would read as a comment.
var escape = strings.NewReplacer("\\", `\\`, "\t", `\t`, "\n", `\n`, "\r", `\r`, "#", `\h`, "\x00", `\0`)

// random is a splitmix64 generator, spelled out so that the tables do not depend on the version of Go.
type random struct{ state uint64 }

func (r *random) next() uint64 {
	r.state += 0x9e3779b97f4a7c15
	z := r.state
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

// below returns a number in [0, n).
func (r *random) below(n int) int { return int(r.next() % uint64(n)) }

// between returns a number in [low, high].
func (r *random) between(low, high int) int { return low + r.below(high-low+1) }

// chance is true in percent of all calls.
func (r *random) chance(percent int) bool { return r.below(100) < percent }

func pick[T any](r *random, from []T) T { return from[r.below(len(from))] }

// digits returns n decimal digits, often with zeros in front or at the end.
func (r *random) digits(n int) string {
	text := make([]byte, n)
	for i := range text {
		text[i] = byte('0' + r.below(10))
	}
	if n > 1 && r.chance(25) {
		text[0] = '0'
	}
	if r.chance(30) {
		for i := n - 1; i > 0 && r.chance(80); i-- {
			text[i] = '0'
		}
	}
	return string(text)
}

// damaged changes one byte of a text, so that most results are refused. Half a letter becomes a question mark.
func (r *random) damaged(text, alphabet string) string {
	return strings.ToValidUTF8(r.damagedBytes(text, alphabet), "?")
}

func (r *random) damagedBytes(text, alphabet string) string {
	at := r.below(len(text) + 1)
	letter := string(alphabet[r.below(len(alphabet))])
	switch {
	case at < len(text) && r.chance(40):
		return text[:at] + text[at+1:]
	case at < len(text) && r.chance(50):
		return text[:at] + letter + text[at+1:]
	default:
		return text[:at] + letter + text[at:]
	}
}
