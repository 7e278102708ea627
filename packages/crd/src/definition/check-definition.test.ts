import { describe, expect, test } from 'vitest'
import { formatFieldError } from '../field-error/field-error.ts'
import type { Json } from '../schema/schema.ts'
import { checkCustomResourceDefinition } from './check-definition.ts'
import { checkCustomResourceDefinitionUpdate } from './check-update.ts'

type Edit = (crd: ReturnType<typeof widgets>) => void

function widgets() {
  return {
    metadata: { name: 'widgets.example.com', annotations: {} as Record<string, string> },
    spec: {
      group: 'example.com',
      scope: 'Namespaced',
      names: { kind: 'Widget', plural: 'widgets' } as Record<string, Json>,
      conversion: { strategy: 'None' } as Record<string, Json>,
      versions: [version('v1')],
      preserveUnknownFields: false,
    },
    status: {} as Record<string, Json>,
  }
}

function version(name: string) {
  return {
    name,
    served: true,
    storage: true,
    schema: {
      openAPIV3Schema: {
        type: 'object',
        properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
      } as Record<string, Json>,
    },
    subresources: { status: {} } as Record<string, Json>,
    additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }] as Json[],
    selectableFields: [] as Json[],
  }
}

function first(crd: ReturnType<typeof widgets>) {
  return crd.spec.versions[0] ?? version('v1')
}

const rows: { because: string; edit: Edit; errors: string[] }[] = [
  { because: 'a valid definition has no errors', edit: () => undefined, errors: [] },
  {
    because: 'the name is plural and group',
    edit: (crd) => {
      crd.metadata.name = 'gadgets.example.com'
    },
    errors: [
      'metadata.name: Invalid value: "gadgets.example.com": must be spec.names.plural+"."+spec.group',
    ],
  },
  {
    because: 'a group is a domain',
    edit: (crd) => {
      crd.metadata.name = 'widgets.example'
      crd.spec.group = 'example'
    },
    errors: ['spec.group: Invalid value: "example": should be a domain with at least one dot'],
  },
  {
    because: 'there are two scopes',
    edit: (crd) => {
      crd.spec.scope = 'World'
    },
    errors: ['spec.scope: Unsupported value: "World": supported values: "Cluster", "Namespaced"'],
  },
  {
    because: 'a kind and its names are required',
    edit: (crd) => {
      crd.spec.names = { plural: 'widgets' }
    },
    errors: [
      'spec.names.singular: Required value',
      'spec.names.kind: Required value',
      'spec.names.listKind: Required value',
    ],
  },
  {
    because: 'kind and list kind differ',
    edit: (crd) => {
      crd.spec.names.listKind = 'Widget'
    },
    errors: ['spec.names.listKind: Invalid value: "Widget": kind and listKind may not be the same'],
  },
  {
    because: 'exactly one version is stored',
    edit: (crd) => {
      crd.spec.versions.push({ ...version('v2'), storage: true })
      crd.status.storedVersions = ['v1', 'v2']
    },
    errors: [
      'spec.versions: Invalid value: ["v1","v2"]: must have exactly one version marked as storage version',
    ],
  },
  {
    because: 'version names are unique',
    edit: (crd) => {
      crd.spec.versions.push({ ...version('v1'), storage: false })
    },
    errors: ['spec.versions: Invalid value: ["v1","v1"]: must contain unique version names'],
  },
  {
    because: 'every version has a schema',
    edit: (crd) => {
      crd.spec.versions.push({ ...version('v2'), storage: false, schema: {} as never })
    },
    errors: ['spec.versions[1].schema.openAPIV3Schema: Required value'],
  },
  {
    because: 'a schema that all versions share is reported once, by its older name',
    edit: (crd) => {
      first(crd).schema.openAPIV3Schema = { type: 'object', properties: { spec: {} } }
    },
    errors: [
      'spec.validation.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields',
    ],
  },
  {
    because: 'different schemas are reported per version',
    edit: (crd) => {
      const other = { ...version('v2'), storage: false }
      other.schema = { openAPIV3Schema: { type: 'object', properties: { spec: {} } } }
      crd.spec.versions.push(other)
    },
    errors: [
      'spec.versions[1].schema.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields',
    ],
  },
  {
    because: 'columns have a type and a path',
    edit: (crd) => {
      first(crd).additionalPrinterColumns = [
        { name: 'A', type: 'text', format: 'x', jsonPath: 'spec.a' },
      ]
    },
    errors: [
      'spec.additionalPrinterColumns[0].type: Invalid value: "text": must be one of boolean,date,integer,number,string',
      'spec.additionalPrinterColumns[0].format: Invalid value: "x": must be one of byte,date,date-time,double,float,int32,int64,password',
      'spec.additionalPrinterColumns[0].JSONPath: Invalid value: "spec.a": must be a simple json path starting with .',
    ],
  },
  {
    because: 'replica paths are below spec and status',
    edit: (crd) => {
      first(crd).subresources = {
        scale: { specReplicasPath: '.status.n', statusReplicasPath: '.status.n' },
      }
    },
    errors: [
      'spec.subresources.scale.specReplicasPath: Invalid value: ".status.n": should be a json path under .spec',
    ],
  },
  {
    because: 'selectable fields are existing scalars',
    edit: (crd) => {
      first(crd).selectableFields = [
        { jsonPath: '.spec' },
        { jsonPath: '.spec.colour' },
        { jsonPath: '.spec.size' },
      ]
    },
    errors: [
      'spec.selectableFields[0].jsonPath: Invalid value: ".spec": must point to a field of type string, boolean or integer. Enum string fields and strings with formats are allowed.',
      'spec.selectableFields[1].jsonPath: Invalid value: ".spec.colour": is an invalid path: does not refer to a valid field',
    ],
  },
  {
    because: 'a webhook has one address and its review versions',
    edit: (crd) => {
      crd.spec.conversion = {
        strategy: 'Webhook',
        webhook: { clientConfig: {}, conversionReviewVersions: ['v9'] },
      }
    },
    errors: [
      'spec.conversion.webhookClientConfig: Required value: exactly one of url or service is required',
      'spec.conversion.conversionReviewVersions: Invalid value: ["v9"]: must include at least one of v1, v1beta1',
    ],
  },
  {
    because: 'groups of the Kubernetes project need approval',
    edit: (crd) => {
      crd.metadata.name = 'widgets.x.k8s.io'
      crd.spec.group = 'x.k8s.io'
    },
    errors: [
      'metadata.annotations[api-approved.kubernetes.io]: Required value: protected groups must have approval annotation "api-approved.kubernetes.io", see https://github.com/kubernetes/enhancements/pull/1111',
    ],
  },
  {
    because: 'preserveUnknownFields is not supported',
    edit: (crd) => {
      crd.spec.preserveUnknownFields = true
    },
    errors: [
      'spec.preserveUnknownFields: Invalid value: true: cannot set to true, set x-kubernetes-preserve-unknown-fields to true in spec.versions[*].schema instead',
    ],
  },
  {
    because: 'a stored version must not be removed',
    edit: (crd) => {
      crd.status.storedVersions = ['v0', 'v1']
    },
    errors: [
      'status.storedVersions[0]: Invalid value: "v0": missing from spec.versions; v0 was previously a storage version, and must remain in spec.versions until a storage migration ensures no data remains persisted in v0 and removes v0 from status.storedVersions',
    ],
  },
]

describe('checkCustomResourceDefinition', () => {
  test.each(rows)('$because', ({ edit, errors }) => {
    const crd = widgets()
    edit(crd)
    expect(checkCustomResourceDefinition(crd).map(formatFieldError)).toEqual(errors)
  })

  test.each([null, 5, 'x', [], {}, { spec: [] }, { spec: { versions: [1, null], names: 'x' } }])(
    'any input is checked without an exception: %j',
    (crd) => {
      expect(checkCustomResourceDefinition(crd).length).toBeGreaterThan(0)
    },
  )
})

describe('checkCustomResourceDefinitionUpdate', () => {
  const established: Json = [{ type: 'Established', status: 'True' }]
  const updates: { because: string; established: boolean; edit: Edit; errors: string[] }[] = [
    {
      because: 'scope and kind are immutable once the definition is established',
      established: true,
      edit: (crd) => {
        crd.spec.scope = 'Cluster'
        crd.spec.names.kind = 'Gadget'
      },
      errors: [
        'spec.scope: Invalid value: "Cluster": field is immutable',
        'spec.names.kind: Invalid value: "Gadget": field is immutable',
      ],
    },
    {
      because: 'scope and kind may change before that',
      established: false,
      edit: (crd) => {
        crd.spec.scope = 'Cluster'
      },
      errors: [],
    },
    {
      because: 'the group never changes',
      established: false,
      edit: (crd) => {
        crd.spec.group = 'other.com'
      },
      errors: ['spec.group: Invalid value: "other.com": field is immutable'],
    },
    {
      because: 'an update is checked like any definition',
      established: true,
      edit: (crd) => {
        first(crd).schema.openAPIV3Schema = { type: 'object', properties: { spec: {} } }
      },
      errors: [
        'spec.validation.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified object fields',
      ],
    },
  ]
  test.each(updates)('$because', ({ established: isEstablished, edit, errors }) => {
    const old = widgets()
    if (isEstablished) old.status.conditions = established
    const updated = widgets()
    edit(updated)
    expect(checkCustomResourceDefinitionUpdate(old, updated).map(formatFieldError)).toEqual(errors)
  })
})
