// Command reader reads manifests as kubectl, Flux and Argo CD do. Each line of its input is a file as a JSON string. It
// answers with a line of {"documents": […]}, the documents as JSON, or {"error": …}.
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"

	kubeyaml "k8s.io/apimachinery/pkg/util/yaml"
	"sigs.k8s.io/yaml"
)

type answer struct {
	Documents []json.RawMessage `json:"documents,omitempty"`
	Error     string            `json:"error,omitempty"`
}

func main() {
	in := bufio.NewReaderSize(os.Stdin, 1<<20)
	buffered := bufio.NewWriter(os.Stdout)
	out := json.NewEncoder(buffered)
	for {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			return
		}
		must(err)
		var text string
		must(json.Unmarshal(line, &text))
		documents, err := read(text)
		if err != nil {
			must(out.Encode(answer{Error: err.Error()}))
		} else {
			must(out.Encode(answer{Documents: documents}))
		}
		if in.Buffered() == 0 {
			must(buffered.Flush())
		}
	}
}

func read(text string) ([]json.RawMessage, error) {
	var documents []json.RawMessage
	reader := kubeyaml.NewYAMLReader(bufio.NewReader(strings.NewReader(text)))
	for {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return documents, nil
		}
		if err != nil {
			return nil, err
		}
		converted, err := convert(document)
		if err != nil {
			return nil, err
		}
		if !bytes.Equal(converted, []byte("null")) {
			documents = append(documents, converted)
		}
	}
}

var mergeKey = regexp.MustCompile(`(?m)^[ -]*<<[ ]*:`)

// A document that repeats a key is an error, unless a merge key adds it.
func convert(document []byte) ([]byte, error) {
	if mergeKey.Match(document) {
		return yaml.YAMLToJSON(document)
	}
	return yaml.YAMLToJSONStrict(document)
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
