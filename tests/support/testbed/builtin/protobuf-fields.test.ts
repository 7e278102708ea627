import { describe, expect, test } from 'vitest'
import { parseGoStructs } from './go-structs.ts'
import { parseProto } from './proto-source.ts'
import { protobufTable } from './protobuf-fields.ts'

const proto = `
syntax = "proto2";

package k8s.io.api.core.v1;

import "k8s.io/apimachinery/pkg/apis/meta/v1/generated.proto";

// Thing {holds} one = 9;
message Thing {
  // +optional
  optional .k8s.io.apimachinery.pkg.apis.meta.v1.Time started = 1;

  optional Source source = 2;

  repeated string words = 3;
  map<string, bytes> data = 4;
  optional int32 count = 5;
  optional int32 limit = 6;
  optional string label = 7;
}

message Source {
  optional string path = 1;
}

message Unused {
}
`

const go = `
type Thing struct {
	metav1.TypeMeta \`json:",inline"\`
	// Gone string \`json:"gone" protobuf:"bytes,8,opt,name=gone"\`
	Started *metav1.Time \`json:"started,omitempty" protobuf:"bytes,1,opt,name=started"\`
	Source  \`json:",inline" protobuf:"bytes,2,opt,name=source"\`
	Words []string \`json:"words" protobuf:"bytes,3,rep,name=words"\`
	Data map[string][]byte \`json:"data,omitempty" protobuf:"bytes,4,rep,name=data"\`
	Count int32 \`json:"count,omitempty" protobuf:"varint,5,opt,name=count"\`
	Limit *int32 \`json:"limit,omitempty" protobuf:"varint,6,opt,name=limit"\`
	Label string \`json:"x-label" protobuf:"bytes,7,opt,name=label"\`
}

type Source struct {
	Path string \`json:"path" protobuf:"bytes,1,opt,name=path"\`
}
`

const time = `package k8s.io.apimachinery.pkg.apis.meta.v1;
message Time {
  optional int64 seconds = 1;
  optional int32 nanos = 2;
}
`

const packages = [
  { messages: parseProto(proto), structs: parseGoStructs([go]) },
  { messages: parseProto(time), structs: parseGoStructs([]) },
]

describe('protobufTable', () => {
  test('joins numbers and types of the wire with names of the JSON', () => {
    expect(protobufTable(packages, ['core.v1.Thing'])).toEqual({
      special: { 'meta.v1.Time': 'time' },
      messages: {
        'core.v1.Source': { 1: ['path', 'string'] },
        'core.v1.Thing': {
          1: ['started', 'meta.v1.Time'],
          2: ['', 'core.v1.Source', 'inline'],
          3: ['words', '[]string'],
          4: ['data', '{}bytes'],
          5: ['count', 'int32', 'omit'],
          6: ['limit', 'int32'],
          7: ['x-label', 'string'],
        },
        'meta.v1.Time': { 1: ['seconds', 'int64'], 2: ['nanos', 'int32'] },
      },
    })
  })

  test.each([
    {
      because: 'a root that no package has is refused',
      given: packages,
      root: 'core.v1.Absent',
      message: 'core.v1.Absent',
    },
    {
      because: 'a field without its Go counterpart is refused',
      given: [{ messages: parseProto(proto), structs: parseGoStructs([]) }],
      root: 'core.v1.Source',
      message: 'core.v1.Source.path',
    },
  ])('$because', ({ given, root, message }) => {
    expect(() => protobufTable(given, [root])).toThrow(message)
  })

  test('a field in an unknown form is refused', () => {
    const odd = 'package a.v1;\nmessage M {\n  map<int32, string> m = 1;\n}\n'
    expect(() => parseProto(odd)).toThrow('map<int32, string> m = 1')
  })
})
