/** A definition that uses every feature that OpenAPI and discovery expose. */
export const widgets = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.example.dev' },
  spec: {
    group: 'example.dev',
    scope: 'Namespaced',
    names: { plural: 'widgets', kind: 'Widget', shortNames: ['wd'], categories: ['all'] },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: false,
        schema: {
          openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
        },
      },
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: {
          status: {},
          scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
        },
        selectableFields: [{ jsonPath: '.spec.size' }],
        schema: {
          openAPIV3Schema: {
            description: 'A widget.',
            type: 'object',
            required: ['spec'],
            properties: {
              spec: {
                description: 'What is wanted.',
                type: 'object',
                required: ['size'],
                properties: {
                  size: { type: 'string', enum: ['s', 'm'], default: 's' },
                  replicas: { type: 'integer', format: 'int32', minimum: 0 },
                  maybe: { type: 'string', nullable: true },
                  tags: {
                    type: 'array',
                    items: { type: 'string' },
                    'x-kubernetes-list-type': 'set',
                  },
                  port: { 'x-kubernetes-int-or-string': true },
                  any: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  map: { type: 'object', additionalProperties: { type: 'string' } },
                  template: {
                    type: 'object',
                    'x-kubernetes-embedded-resource': true,
                    'x-kubernetes-preserve-unknown-fields': true,
                  },
                },
                'x-kubernetes-validations': [{ rule: 'self.replicas < 10', message: 'too many' }],
              },
              status: { type: 'object', properties: { replicas: { type: 'integer' } } },
            },
          },
        },
      },
    ],
  },
}
