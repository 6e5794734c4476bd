// Command karpenter says what Karpenter's own packages would do with a cluster: which nodes are candidates, which are empty,
// and what multi-node and single-node consolidation decide.
//
// Questions are JSON: one per line of standard input, or one per file. Each gets one line of JSON.
//
// With `admission` it says instead what an API server makes of NodePools, under a CRD and under Karpenter's own.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"
	"sigs.k8s.io/controller-runtime/pkg/log"
)

func main() {
	flag.Usage = func() {
		fmt.Fprintln(os.Stderr, "usage: oracle-karpenter [FILE...]\n       oracle-karpenter admission CRD")
	}
	flag.Parse()
	if err := start(flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func start(args []string) error {
	if len(args) == 2 && args[0] == "admission" {
		return admission(args[1], os.Stdin, os.Stdout)
	}
	return run(args, os.Stdin, os.Stdout)
}

// garbage is collected less often than usual: a question leaves much of it, and little stays.
const garbage = 400

func run(files []string, questions io.Reader, answers io.Writer) error {
	debug.SetGCPercent(garbage)
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	log.SetLogger(logr.Discard())
	out := bufio.NewWriter(answers)
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if err := answerTo(text, out); err != nil {
			return err
		}
	}
	if len(files) > 0 {
		return nil
	}
	in := bufio.NewReaderSize(questions, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if len(line) > 0 {
			if err := answerTo(line, out); err != nil {
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
func answerTo(text []byte, out *bufio.Writer) error {
	result, err := answerText(text)
	if err != nil {
		result = &answer{Error: err.Error()}
	}
	line, err := json.Marshal(result)
	if err != nil {
		return err
	}
	if _, err := out.Write(append(line, '\n')); err != nil {
		return err
	}
	return out.Flush()
}

// answerText answers one question. What panics inside Karpenter is an answer too.
func answerText(text []byte) (result *answer, err error) {
	defer func() {
		if problem := recover(); problem != nil {
			result, err = nil, fmt.Errorf("panic: %v", problem)
		}
	}()
	asked, err := readQuestion(text)
	if err != nil {
		return nil, err
	}
	pass, err := newPass(asked)
	if err != nil {
		return nil, err
	}
	return pass.answer()
}
