// Command scheduler says on which nodes each pod of a cluster can run, as the plugins of kube-scheduler decide it.
//
// Clusters are lists of ordinary Kubernetes objects in JSON: one per line of standard input, or one per file. Each gets one
// line of JSON. A bound pod is asked about as if it alone were evicted.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

func main() {
	score := flag.String("score", "", "also score the feasible nodes: least or most (allocated)")
	pods := flag.String("pods", "", "ask about these pods only: NAMESPACE/NAME,...")
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: oracle-scheduler [-score least|most] [-pods NAMESPACE/NAME,...] [FILE...]")
	}
	flag.Parse()
	if err := run(*score, *pods, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(score, pods string, files []string) error {
	oracle, err := newOracle(score)
	if err != nil {
		return err
	}
	if pods != "" {
		oracle.asked = map[string]bool{}
		for _, name := range strings.Split(pods, ",") {
			oracle.asked[name] = true
		}
	}
	out := bufio.NewWriter(os.Stdout)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := oracle.answerTo(text, out); err != nil {
			return err
		}
	}
	if len(files) > 0 {
		return nil
	}
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			if err := oracle.answerTo(line, out); err != nil {
				return err
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// answerTo writes one line at once: whoever asked waits for it.
func (o *oracle) answerTo(text []byte, out *bufio.Writer) error {
	answer, err := o.answer(text)
	if err != nil {
		answer = &clusterAnswer{Error: err.Error()}
	}
	line, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	if _, err := out.Write(append(line, '\n')); err != nil {
		return err
	}
	return out.Flush()
}
