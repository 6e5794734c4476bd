package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	k8sjson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"sigs.k8s.io/karpenter/pkg/apis"
	"sigs.k8s.io/yaml"
)

// admissionQuestion is a NodePool, and what it was before if it is an update.
type admissionQuestion struct {
	Object json.RawMessage `json:"object"`
	Old    json.RawMessage `json:"old"`
}

// refusals are what an API server says under one CRD.
type refusals struct {
	Errors []refusal `json:"errors"`
	// Object is what is stored if there are no errors: pruned and with defaults.
	Object map[string]any `json:"object,omitempty"`
}

// refusal is one error: `Type` as in field.ErrorType.
type refusal struct {
	Field  string `json:"field"`
	Type   string `json:"type"`
	Detail string `json:"detail"`
}

// definition is a CRD as the API server keeps it to check objects.
type definition struct {
	structural *schema.Structural
	values     validation.SchemaValidator
	rules      *cel.Validator
	scale      *apiextensions.CustomResourceSubresourceScale
}

// admission answers for each NodePool on a line of input what API servers with the CRD of that file and with Karpenter's own
// say of it. The first answer is about the CRD itself.
func admission(file string, questions io.Reader, answers io.Writer) error {
	text, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	out := json.NewEncoder(answers)
	ours, problems, err := readDefinition(text)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	if err := out.Encode(refusals{Errors: problems}); err != nil || len(problems) > 0 {
		return err
	}
	peer, problems, err := readDefinition(apis.NodePoolCRD)
	if err != nil || len(problems) > 0 {
		return fmt.Errorf("Karpenter's own CRD: %w %v", err, problems)
	}
	in := json.NewDecoder(bufio.NewReaderSize(questions, 1<<20))
	for {
		asked := admissionQuestion{}
		if err := in.Decode(&asked); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		answer := map[string]*refusals{}
		for name, crd := range map[string]*definition{"ours": ours, "peer": peer} {
			if answer[name], err = crd.check(asked); err != nil {
				return err
			}
		}
		if err := out.Encode(answer); err != nil {
			return err
		}
	}
}

// readDefinition says what an API server would say of the CRD, and if that is nothing, how it would check objects.
func readDefinition(text []byte) (*definition, []refusal, error) {
	external := &apiextensionsv1.CustomResourceDefinition{}
	if err := yaml.UnmarshalStrict(text, external); err != nil {
		return nil, nil, err
	}
	apiextensionsv1.SetDefaults_CustomResourceDefinition(external)
	apiextensionsv1.SetDefaults_CustomResourceDefinitionSpec(&external.Spec)
	// As the server sets it before it looks.
	external.Status.StoredVersions = []string{external.Spec.Versions[0].Name}
	crd := &apiextensions.CustomResourceDefinition{}
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(external, crd, nil); err != nil {
		return nil, nil, err
	}
	if problems := crdvalidation.ValidateCustomResourceDefinition(context.Background(), crd); len(problems) > 0 {
		return nil, refusalsOf(problems), nil
	}
	// With one version, its schema is moved to the top.
	props := crd.Spec.Validation.OpenAPIV3Schema
	structural, err := schema.NewStructural(props)
	if err != nil {
		return nil, nil, err
	}
	values, _, err := validation.NewSchemaValidator(props)
	if err != nil {
		return nil, nil, err
	}
	return &definition{
		structural: structural,
		values:     values,
		rules:      cel.NewValidator(structural, true, celconfig.PerCallLimit),
		scale:      crd.Spec.Subresources.Scale,
	}, nil, nil
}

// check goes through the steps of a create or an update, in the server's order.
func (d *definition) check(asked admissionQuestion) (*refusals, error) {
	object, err := d.read(asked.Object)
	if err != nil {
		return nil, err
	}
	var old any
	if len(asked.Old) > 0 {
		if old, err = d.read(asked.Old); err != nil {
			return nil, err
		}
	}
	problems := validation.ValidateCustomResource(nil, object, d.values)
	problems = append(problems, d.scaleProblems(object)...)
	problems = append(problems, listtype.ValidateListSetsAndMaps(nil, d.structural, object)...)
	if !hidesRules(problems) {
		found, _ := d.rules.Validate(context.Background(), nil, d.structural, object, old, celconfig.RuntimeCELCostBudget)
		problems = append(problems, found...)
	}
	if len(problems) > 0 {
		return &refusals{Errors: refusalsOf(problems)}, nil
	}
	return &refusals{Errors: []refusal{}, Object: object}, nil
}

// read drops what the schema does not know, and status as a create does, and fills in defaults.
func (d *definition) read(text []byte) (map[string]any, error) {
	object := map[string]any{}
	if err := k8sjson.Unmarshal(text, &object); err != nil {
		return nil, err
	}
	delete(object, "status")
	pruning.Prune(object, d.structural, true)
	defaulting.PruneNonNullableNullsWithoutDefaults(object, d.structural)
	defaulting.Default(object, d.structural)
	return object, nil
}

// scaleProblems is what the scale subresource asks of replicas; the server's own function is not exported.
func (d *definition) scaleProblems(object map[string]any) field.ErrorList {
	spec, _ := object["spec"].(map[string]any)
	if replicas, ok := spec["replicas"].(int64); ok && d.scale != nil && (replicas < 0 || replicas > 1<<31-1) {
		return field.ErrorList{field.Invalid(field.NewPath("spec", "replicas"), replicas, "out of the range of scale")}
	}
	return nil
}

// hidesRules: after such errors the server does not look at rules.
func hidesRules(problems field.ErrorList) bool {
	for _, problem := range problems {
		switch problem.Type {
		case field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid:
			return true
		}
	}
	return false
}

// keys are written as [key] by some parts of the server and as .key by others.
var keys = regexp.MustCompile(`\[([^\]]*[^0-9\]][^\]]*)\]`)

func refusalsOf(problems field.ErrorList) []refusal {
	found := []refusal{}
	for _, problem := range problems {
		found = append(found, refusal{
			Field:  keys.ReplaceAllString(problem.Field, ".$1"),
			Type:   string(problem.Type),
			Detail: problem.Detail,
		})
	}
	return found
}
