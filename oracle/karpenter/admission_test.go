package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
)

// Both CRDs judge as their authors say: the answers to a pool that is right, and to one that is wrong under ours alone.
func TestAdmission(t *testing.T) {
	pool := `{"object":{"apiVersion":"karpenter.sh/v1","kind":"NodePool","metadata":{"name":"a"},"spec":{"disruption":DISRUPTION,` +
		`"template":{"spec":{"requirements":[],"nodeClassRef":{"group":"g","kind":"k","name":"n"}}}}}}`
	questions := strings.ReplaceAll(pool, "DISRUPTION", `{"consolidateAfter":"0s"}`) + "\n" +
		strings.ReplaceAll(pool, "DISRUPTION", `{"consolidateAfter":"0s","ttlSecondsAfterEmpty":5}`)
	var out bytes.Buffer
	if err := admission("../../deploy/crds/karpenter.sh_nodepools.yaml", strings.NewReader(questions), &out); err != nil {
		t.Fatal(err)
	}
	answers := json.NewDecoder(&out)
	var crd refusals
	if err := answers.Decode(&crd); err != nil || len(crd.Errors) > 0 {
		t.Fatalf("the CRD is refused: %v %v", err, crd.Errors)
	}
	for _, wrong := range []int{0, 1} {
		var answer map[string]refusals
		if err := answers.Decode(&answer); err != nil {
			t.Fatal(err)
		}
		if ours, peer := answer["ours"].Errors, answer["peer"].Errors; len(ours) != wrong || len(peer) != 0 {
			t.Errorf("expected %d errors of ours and none of the peer, got %v and %v", wrong, ours, peer)
		}
	}
}
