// Renders templates with Go's own text/template and sprig: the oracle of src/gotemplate.
//
//	oracle            reads cases as JSON lines, answers one JSON line each
//	oracle bench N    renders the case on standard input N times, prints the nanoseconds of one rendering
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"text/template"
	"time"

	"github.com/Masterminds/sprig/v3"
	"sigs.k8s.io/yaml"
)

type input struct {
	Name       string          `json:"name"`
	Template   string          `json:"template"`
	Data       json.RawMessage `json:"data"`
	Numbers    string          `json:"numbers"`
	MissingKey string          `json:"missingKey"`
	Functions  string          `json:"functions"`
}

type result struct {
	Output string `json:"output"`
	Error  string `json:"error,omitempty"`
}

func main() {
	if len(os.Args) == 3 && os.Args[1] == "bench" {
		bench(os.Args[2])
		return
	}
	reader := bufio.NewReaderSize(os.Stdin, 1<<20)
	writer := bufio.NewWriter(os.Stdout)
	defer writer.Flush()
	encoder := json.NewEncoder(writer)
	encoder.SetEscapeHTML(false)
	for {
		line, err := reader.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			var c input
			if err := json.Unmarshal(line, &c); err != nil {
				panic(err)
			}
			output, failure := render(c)
			r := result{Output: output}
			if failure != nil {
				r = result{Error: failure.Error()}
			}
			if err := encoder.Encode(r); err != nil {
				panic(err)
			}
		}
		if err == io.EOF {
			return
		}
	}
}

func bench(count string) {
	var c input
	if err := json.NewDecoder(os.Stdin).Decode(&c); err != nil {
		panic(err)
	}
	n, err := strconv.Atoi(count)
	if err != nil {
		panic(err)
	}
	t, err := parse(c)
	if err != nil {
		panic(err)
	}
	data := decode(c)
	var b bytes.Buffer
	start := time.Now()
	for i := 0; i < n; i++ {
		b.Reset()
		if err := t.Execute(&b, data); err != nil {
			panic(err)
		}
	}
	fmt.Printf("%d\n", time.Since(start).Nanoseconds()/int64(n))
}

func render(c input) (string, error) {
	t, err := parse(c)
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	if err := t.Execute(&b, decode(c)); err != nil {
		return "", err
	}
	return b.String(), nil
}

func parse(c input) (*template.Template, error) {
	t := template.New(c.Name).Option("missingkey=" + c.MissingKey)
	if c.Functions != "go" {
		t.Funcs(sprig.TxtFuncMap()).Funcs(more(t, c))
	}
	return t.Parse(c.Template)
}

func decode(c input) any {
	var data any
	d := json.NewDecoder(bytes.NewReader(c.Data))
	d.UseNumber()
	if err := d.Decode(&data); err != nil {
		panic(err)
	}
	return numbers(data, c.Numbers)
}

// numbers gives data the types that the case asks for: whole numbers are ints, or all are floats.
func numbers(v any, mode string) any {
	switch v := v.(type) {
	case json.Number:
		if i, err := v.Int64(); err == nil && mode != "float64" {
			return int(i)
		}
		f, _ := v.Float64()
		return f
	case []any:
		for i := range v {
			v[i] = numbers(v[i], mode)
		}
	case map[string]any:
		for k := range v {
			v[k] = numbers(v[k], mode)
		}
	}
	return v
}

// more is what Helm and the seed add to sprig, in so far as it needs nothing from outside.
func more(t *template.Template, c input) template.FuncMap {
	return template.FuncMap{
		"toLower": strings.ToLower,
		"toUpper": strings.ToUpper,
		"required": func(message string, value any) (any, error) {
			if s, ok := value.(string); value == nil || ok && s == "" {
				return value, errors.New(message)
			}
			return value, nil
		},
		"include": func(name string, data any) (string, error) {
			var b strings.Builder
			err := t.ExecuteTemplate(&b, name, data)
			return b.String(), err
		},
		"toYaml": func(v any) string {
			out, err := yaml.Marshal(v)
			if err != nil {
				return ""
			}
			return strings.TrimSuffix(string(out), "\n")
		},
		"fromYaml": func(s string) map[string]any {
			m := map[string]any{}
			if err := yaml.Unmarshal([]byte(s), &m); err != nil {
				m["Error"] = err.Error()
			}
			return m
		},
	}
}
