// An oracle for Kyverno's classic policies: for each line of JSON on standard input, what the engine behind
// `kyverno test` says of the case, as a line of JSON.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/kyverno/kyverno/api/kyverno/v1"
	"github.com/kyverno/kyverno/api/kyverno/v2"
	"github.com/kyverno/kyverno/cmd/cli/kubectl-kyverno/apis/v1alpha1"
	clitest "github.com/kyverno/kyverno/cmd/cli/kubectl-kyverno/commands/test"
	"github.com/kyverno/kyverno/cmd/cli/kubectl-kyverno/data"
	"github.com/kyverno/kyverno/cmd/cli/kubectl-kyverno/exception"
	"github.com/kyverno/kyverno/cmd/cli/kubectl-kyverno/policy"
	"github.com/kyverno/kyverno/cmd/cli/kubectl-kyverno/processor"
	"github.com/kyverno/kyverno/cmd/cli/kubectl-kyverno/resource"
	"github.com/kyverno/kyverno/cmd/cli/kubectl-kyverno/store"
	"github.com/kyverno/kyverno/cmd/cli/kubectl-kyverno/variables"
	"github.com/kyverno/kyverno/ext/cluster"
	"github.com/kyverno/kyverno/pkg/autogen"
	"github.com/kyverno/kyverno/pkg/config"
	engineapi "github.com/kyverno/kyverno/pkg/engine/api"
	"github.com/kyverno/kyverno/pkg/engine/jmespath"
	policyvalidation "github.com/kyverno/kyverno/pkg/validation/policy"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

type question struct {
	// An expression and what it is asked of, instead of all the rest.
	Query string          `json:"query"`
	Input json.RawMessage `json:"input"`

	Policies   []json.RawMessage    `json:"policies"`
	Resources  []json.RawMessage    `json:"resources"`
	Targets    []json.RawMessage    `json:"targets"`
	Cluster    []json.RawMessage    `json:"cluster"`
	Exceptions []json.RawMessage    `json:"exceptions"`
	Values     *v1alpha1.ValuesSpec `json:"values"`
	UserInfo   *v2.RequestInfo      `json:"userInfo"`
	Operation  string               `json:"operation"`
	// What clone rules clone from; every rule of every policy is given all of it.
	Sources []json.RawMessage `json:"sources"`
}

type ruleAnswer struct {
	Policy    string           `json:"policy"`
	Rule      string           `json:"rule"`
	Resource  string           `json:"resource"`
	Type      string           `json:"type"`
	Status    string           `json:"status"`
	Message   string           `json:"message"`
	Patched   map[string]any   `json:"patched,omitempty"`
	Target    map[string]any   `json:"target,omitempty"`
	Generated []map[string]any `json:"generated,omitempty"`
}

type answer struct {
	Error   string            `json:"error,omitempty"`
	Value   any               `json:"value,omitempty"`
	Invalid map[string]string `json:"invalid,omitempty"`
	Results []ruleAnswer      `json:"results,omitempty"`
}

func main() {
	data.InjectProcessor(data.NewCRDProcessor(nil))
	folder, err := os.MkdirTemp("", "oracle-")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(folder)
	lines := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := json.NewEncoder(os.Stdout)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 1 {
			if err := out.Encode(guarded(folder, line)); err != nil {
				panic(err)
			}
		}
		if err != nil {
			return
		}
	}
}

func guarded(folder string, line []byte) (result answer) {
	defer func() {
		if thrown := recover(); thrown != nil {
			result = answer{Error: fmt.Sprintf("panic: %v", thrown)}
		}
	}()
	var asked question
	if err := json.Unmarshal(line, &asked); err != nil {
		return answer{Error: "question: " + err.Error()}
	}
	if asked.Query != "" {
		return search(asked)
	}
	result, err := judge(folder, asked)
	if err != nil {
		return answer{Error: err.Error()}
	}
	return result
}

func search(asked question) answer {
	var input any
	if err := json.Unmarshal(asked.Input, &input); err != nil {
		return answer{Error: "question: " + err.Error()}
	}
	value, err := jmespath.New(config.NewDefaultConfiguration(false)).Search(asked.Query, input)
	if err == nil {
		_, err = json.Marshal(value)
	}
	if err != nil {
		return answer{Error: err.Error()}
	}
	return answer{Value: value}
}

// write puts documents into a file of their own, for the loaders of the command read files.
func write(folder, name string, documents []json.RawMessage) (string, error) {
	path := filepath.Join(folder, name)
	text := []byte{}
	for _, document := range documents {
		text = append(append(append(text, "---\n"...), document...), '\n')
	}
	return path, os.WriteFile(path, text, 0o600)
}

func load(folder, name string, documents []json.RawMessage) ([]*unstructured.Unstructured, error) {
	path, err := write(folder, name, documents)
	if err != nil || len(documents) == 0 {
		return nil, err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return resource.GetUnstructuredResources(text)
}

func objects(lists ...[]*unstructured.Unstructured) []runtime.Object {
	all := []runtime.Object{}
	for _, list := range lists {
		for _, one := range list {
			all = append(all, one)
		}
	}
	return all
}

func judge(folder string, asked question) (answer, error) {
	policyFile, err := write(folder, "policies.yaml", asked.Policies)
	if err != nil {
		return answer{}, err
	}
	loaded, err := policy.Load(nil, "", policyFile)
	if err != nil {
		return answer{}, err
	}
	for _, failure := range loaded.NonFatalErrors {
		return answer{}, failure.Error
	}
	valid, invalid := validate(loaded.Policies)
	resources, err := load(folder, "resources.yaml", asked.Resources)
	if err != nil {
		return answer{}, err
	}
	resources = clitest.ProcessResources(resources)
	targets, err := load(folder, "targets.yaml", asked.Targets)
	if err != nil {
		return answer{}, err
	}
	inCluster, err := load(folder, "cluster.yaml", asked.Cluster)
	if err != nil {
		return answer{}, err
	}
	fake := cluster.NewFake()
	client, err := fake.DClient(objects(resources, targets, inCluster))
	if err != nil {
		return answer{}, err
	}
	var configMaps engineapi.ConfigmapResolver
	var mapper meta.RESTMapper
	if len(inCluster) > 0 {
		mapper = fake.RESTMapper(nil)
		if configMaps, err = cluster.NewConfigMapResolver(client); err != nil {
			return answer{}, err
		}
	}
	exceptions := &exception.LoaderResults{}
	if len(asked.Exceptions) > 0 {
		file, err := write(folder, "exceptions.yaml", asked.Exceptions)
		if err != nil {
			return answer{}, err
		}
		if exceptions, err = exception.Load(file); err != nil {
			return answer{}, err
		}
	}
	vars, err := variables.New(io.Discard, nil, "", "", asked.Values)
	if err != nil {
		return answer{}, err
	}
	sources, err := cloneSources(folder, asked.Sources, valid)
	if err != nil {
		return answer{}, err
	}
	var known store.Store
	known.SetLocal(true)
	known.AllowApiCall(len(inCluster) > 0)
	vars.SetInStore(&known)
	result := answer{Invalid: invalid}
	for _, one := range resources {
		run := processor.PolicyProcessor{
			Store: &known, Policies: valid, TargetResources: targets, Resource: *one, Operation: asked.Operation,
			PolicyExceptions: exceptions.Exceptions, Variables: vars, UserInfo: asked.UserInfo, PolicyReport: true,
			NamespaceSelectorMap: vars.NamespaceSelectors(), Rc: &processor.ResultCounts{},
			RuleToCloneSourceResource: sources, Cluster: len(inCluster) > 0, Client: client,
			Subresources: vars.Subresources(), Out: io.Discard, ConfigMapResolver: configMaps, RESTMapper: mapper,
		}
		responses, err := run.ApplyPoliciesOnResource()
		if err != nil {
			return answer{}, err
		}
		for _, response := range responses {
			result.Results = append(result.Results, rulesOf(one, response)...)
		}
	}
	return result, nil
}

func validate(policies []v1.PolicyInterface) ([]v1.PolicyInterface, map[string]string) {
	valid, invalid := []v1.PolicyInterface{}, map[string]string{}
	account := config.KyvernoUserName(config.KyvernoServiceAccountName())
	for _, one := range policies {
		if _, err := policyvalidation.Validate(one, nil, nil, true, account, account); err != nil {
			invalid[one.GetName()] = err.Error()
		} else {
			valid = append(valid, one)
		}
	}
	return valid, invalid
}

func cloneSources(folder string, documents []json.RawMessage, policies []v1.PolicyInterface) (map[string]string, error) {
	sources := map[string]string{}
	if len(documents) == 0 {
		return sources, nil
	}
	file, err := write(folder, "sources.yaml", documents)
	for _, one := range policies {
		for _, rule := range autogen.Default.ComputeRules(one, "") {
			sources[processor.PolicyRuleKey(one, rule.Name)] = file
		}
	}
	return sources, err
}

func rulesOf(trigger *unstructured.Unstructured, response engineapi.EngineResponse) []ruleAnswer {
	found := []ruleAnswer{}
	for _, rule := range response.PolicyResponse.Rules {
		one := ruleAnswer{
			Policy: response.Policy().GetName(), Rule: rule.Name(), Type: string(rule.RuleType()),
			Resource: trigger.GetKind() + "/" + trigger.GetName(), Status: string(rule.Status()), Message: rule.Message(),
		}
		if rule.RuleType() == engineapi.Mutation {
			one.Patched = response.PatchedResource.Object
		}
		if target, _, _ := rule.PatchedTarget(); target != nil {
			one.Target = target.Object
		}
		for _, generated := range rule.GeneratedResources() {
			one.Generated = append(one.Generated, generated.Object)
		}
		found = append(found, one)
	}
	return found
}
