// Compares an OpenAPI v2 document in JSON with the same document in protobuf, both read as by kube-openapi. Prints
// nothing if they are equal.
package main

import (
	"fmt"
	"os"
	"reflect"

	openapi "github.com/google/gnostic-models/openapiv2"
	"go.yaml.in/yaml/v3"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

func main() {
	if err := compare(os.Args[1], os.Args[2]); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

func compare(jsonPath, protobufPath string) error {
	jsonBytes, err := os.ReadFile(jsonPath)
	if err != nil {
		return err
	}
	protobufBytes, err := os.ReadFile(protobufPath)
	if err != nil {
		return err
	}
	// Fails on keys that the format does not have.
	expected, err := openapi.ParseDocument(jsonBytes)
	if err != nil {
		return fmt.Errorf("JSON: %w", err)
	}
	actual := &openapi.Document{}
	if err := proto.Unmarshal(protobufBytes, actual); err != nil {
		return fmt.Errorf("protobuf: %w", err)
	}
	return equal("document", expected.ProtoReflect(), actual.ProtoReflect())
}

func equal(path string, expected, actual protoreflect.Message) error {
	if expected.Descriptor().FullName() == "openapi.v2.Any" {
		return equalYaml(path, expected.Interface().(*openapi.Any), actual.Interface().(*openapi.Any))
	}
	if len(actual.GetUnknown()) > 0 {
		return fmt.Errorf("%s has unknown fields", path)
	}
	fields := expected.Descriptor().Fields()
	for i := range fields.Len() {
		field := fields.Get(i)
		name := fmt.Sprintf("%s.%s", path, field.Name())
		if expected.Has(field) != actual.Has(field) {
			return fmt.Errorf("%s: expected %t, got %t", name, expected.Has(field), actual.Has(field))
		}
		if !expected.Has(field) {
			continue
		}
		if err := equalField(name, field, expected.Get(field), actual.Get(field)); err != nil {
			return err
		}
	}
	return nil
}

func equalField(path string, field protoreflect.FieldDescriptor, expected, actual protoreflect.Value) error {
	if !field.IsList() {
		return equalValue(path, field, expected, actual)
	}
	if expected.List().Len() != actual.List().Len() {
		return fmt.Errorf("%s: expected %d items, got %d", path, expected.List().Len(), actual.List().Len())
	}
	for i := range expected.List().Len() {
		name := fmt.Sprintf("%s[%d]", path, i)
		if err := equalValue(name, field, expected.List().Get(i), actual.List().Get(i)); err != nil {
			return err
		}
	}
	return nil
}

func equalValue(path string, field protoreflect.FieldDescriptor, expected, actual protoreflect.Value) error {
	if field.Message() != nil {
		return equal(path, expected.Message(), actual.Message())
	}
	if !expected.Equal(actual) {
		return fmt.Errorf("%s: expected %v, got %v", path, expected, actual)
	}
	return nil
}

// The text may differ, the value may not.
func equalYaml(path string, expected, actual *openapi.Any) error {
	var want, got any
	if err := yaml.Unmarshal([]byte(expected.Yaml), &want); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if err := yaml.Unmarshal([]byte(actual.Yaml), &got); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if !reflect.DeepEqual(want, got) {
		return fmt.Errorf("%s: expected %v, got %v", path, want, got)
	}
	return nil
}
