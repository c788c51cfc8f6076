// An oracle for CEL: for each line of JSON on standard input, what cel-go says of the expression in Kubernetes' own
// environment, as a line of JSON: its value, its error, and what it cost.
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"sort"
	"strconv"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"github.com/google/cel-go/ext"
	"k8s.io/apimachinery/pkg/util/version"
	"k8s.io/apiserver/pkg/cel/environment"
)

type question struct {
	Expression string          `json:"expression"`
	Object     json.RawMessage `json:"object"`
	// With the extensions that Kyverno's policies add: bindings, base64, math and regular expressions.
	Extended bool `json:"extended"`
	// How often it is evaluated: answers that differ depend on the order of a map.
	Runs int `json:"runs"`
	// Nanoseconds of one evaluation are measured over so many of them.
	Bench int `json:"bench"`
}

type answer struct {
	Value    any    `json:"value,omitempty"`
	Error    string `json:"error,omitempty"`
	Compile  string `json:"compile,omitempty"`
	Type     string `json:"type,omitempty"`
	Cost     uint64 `json:"cost"`
	Unstable bool   `json:"unstable,omitempty"`
	Panics   bool   `json:"panics,omitempty"`
	Nanos    int64  `json:"nanos,omitempty"`
}

func main() {
	object := cel.Variable("object", cel.DynType)
	plain := makeEnv(object)
	extended := makeEnv(object, ext.Bindings(), ext.Encoders(), ext.Math(), ext.Regex())
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for {
		line, err := in.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var q question
			if err := json.Unmarshal(line, &q); err != nil {
				panic(err)
			}
			env := plain
			if q.Extended {
				env = extended
			}
			text, err := json.Marshal(ask(env, q))
			if err != nil {
				panic(err)
			}
			out.Write(append(text, '\n'))
		}
		if err != nil {
			return
		}
	}
}

func makeEnv(options ...cel.EnvOption) *cel.Env {
	set, err := environment.MustBaseEnvSet(version.MajorMinor(1, 36)).Extend(environment.VersionedOptions{
		IntroducedVersion: version.MajorMinor(1, 0),
		EnvOptions:        options,
	})
	if err != nil {
		panic(err)
	}
	return set.StoredExpressionsEnv()
}

func ask(env *cel.Env, q question) (result answer) {
	// cel-go panics for some expressions, such as an optional element of unknown type.
	defer func() {
		if recover() != nil {
			result = answer{Panics: true}
		}
	}()
	ast, issues := env.Compile(q.Expression)
	if issues.Err() != nil {
		return answer{Compile: issues.String()}
	}
	program, err := env.Program(ast)
	if err != nil {
		return answer{Compile: err.Error()}
	}
	vars := map[string]any{"object": object(q.Object)}
	first := evaluate(program, vars)
	first.Type = ast.OutputType().String()
	text, _ := json.Marshal(first)
	for i := 1; i < q.Runs; i++ {
		next := evaluate(program, vars)
		next.Type = first.Type
		other, _ := json.Marshal(next)
		if !bytes.Equal(text, other) {
			first.Unstable = true
			break
		}
	}
	if q.Bench > 0 {
		start := time.Now()
		for i := 0; i < q.Bench; i++ {
			program.Eval(vars)
		}
		first.Nanos = time.Since(start).Nanoseconds() / int64(q.Bench)
	}
	return first
}

func evaluate(program cel.Program, vars map[string]any) answer {
	value, details, err := program.Eval(vars)
	var cost uint64
	if details != nil && details.ActualCost() != nil {
		cost = *details.ActualCost()
	}
	if err != nil {
		return answer{Error: err.Error(), Cost: cost}
	}
	return answer{Value: encode(value), Cost: cost}
}

// Integers of the document are int64, as they are in an unstructured object.
func object(text json.RawMessage) any {
	if len(text) == 0 {
		return nil
	}
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		panic(err)
	}
	return numbers(value)
}

func numbers(value any) any {
	switch v := value.(type) {
	case json.Number:
		if n, err := strconv.ParseInt(string(v), 10, 64); err == nil {
			return n
		}
		f, _ := v.Float64()
		return f
	case []any:
		for i := range v {
			v[i] = numbers(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = numbers(v[k])
		}
	}
	return value
}

func encode(value ref.Val) any {
	switch v := value.(type) {
	case types.Bool:
		return map[string]any{"bool": bool(v)}
	case types.Int:
		return map[string]any{"int": strconv.FormatInt(int64(v), 10)}
	case types.Uint:
		return map[string]any{"uint": strconv.FormatUint(uint64(v), 10)}
	case types.Double:
		return map[string]any{"double": strconv.FormatFloat(float64(v), 'g', -1, 64)}
	case types.String:
		return map[string]any{"string": string(v)}
	case types.Bytes:
		return map[string]any{"bytes": base64.StdEncoding.EncodeToString(v)}
	case types.Null:
		return map[string]any{"null": true}
	case types.Duration:
		return map[string]any{"duration": strconv.FormatInt(int64(v.Duration), 10)}
	case types.Timestamp:
		return map[string]any{"timestamp": v.UTC().Format(time.RFC3339Nano)}
	case *types.Optional:
		if !v.HasValue() {
			return map[string]any{"optional": nil}
		}
		return map[string]any{"optional": encode(v.GetValue())}
	case *types.Type:
		return map[string]any{"type": v.TypeName()}
	case traits.Mapper:
		entries := []any{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			key := it.Next()
			entries = append(entries, []any{encode(key), encode(v.Get(key))})
		}
		sort.Slice(entries, func(i, j int) bool { return fmt.Sprint(entries[i]) < fmt.Sprint(entries[j]) })
		return map[string]any{"map": entries}
	case traits.Lister:
		items := []any{}
		for it := v.Iterator(); it.HasNext() == types.True; {
			items = append(items, encode(it.Next()))
		}
		return map[string]any{"list": items}
	}
	return map[string]any{"opaque": value.Type().TypeName()}
}
