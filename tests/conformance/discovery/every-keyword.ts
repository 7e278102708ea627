/** A definition whose schema has every keyword that OpenAPI v2 can express. */
export const everyKeyword = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'keywords.keywords.example.dev' },
  spec: {
    group: 'keywords.example.dev',
    scope: 'Namespaced',
    names: { plural: 'keywords', kind: 'Keyword' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            title: 'Keywords',
            description: 'Quotes " and \\, ünïcode 🎉.',
            properties: {
              spec: {
                type: 'object',
                required: ['text'],
                properties: {
                  text: {
                    type: 'string',
                    format: 'hostname',
                    minLength: 1,
                    maxLength: 300,
                    pattern: '^[\\w"-]+$',
                    enum: ['yes', 'no', '0b1', '🎉'],
                  },
                  whole: {
                    type: 'integer',
                    format: 'int64',
                    minimum: -9007199254740991,
                    maximum: 3000000000,
                    exclusiveMinimum: true,
                    exclusiveMaximum: true,
                    multipleOf: 1,
                  },
                  real: { type: 'number', minimum: -0.5, maximum: 1e21, multipleOf: 0.25 },
                  list: {
                    type: 'array',
                    minItems: 0,
                    maxItems: 20000,
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['key'],
                    items: {
                      type: 'object',
                      required: ['key'],
                      properties: { key: { type: 'string', maxLength: 5 } },
                    },
                  },
                  map: {
                    type: 'object',
                    minProperties: 1,
                    maxProperties: 7,
                    additionalProperties: { type: 'boolean' },
                  },
                  anything: { type: 'object', additionalProperties: true },
                  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  either: { 'x-kubernetes-int-or-string': true },
                  inner: {
                    type: 'object',
                    'x-kubernetes-embedded-resource': true,
                    'x-kubernetes-preserve-unknown-fields': true,
                  },
                  empty: { type: 'string', nullable: true, default: 'x' },
                  documented: {
                    type: 'string',
                    externalDocs: { description: 'More', url: 'https://example.dev' },
                    example: { any: ['value', 1, null] },
                  },
                },
                'x-kubernetes-validations': [
                  { rule: 'self.text != "a: b # c"', message: 'must not be "a: b # c"' },
                ],
              },
              status: { type: 'object', properties: { phase: { type: 'string' } } },
            },
          },
        },
      },
    ],
  },
}
