const group = 'bench.example.dev'
export const collection = `/apis/${group}/v1/namespaces/default/widgets`

export const definition = JSON.stringify({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `widgets.${group}` },
  spec: {
    group,
    scope: 'Namespaced',
    names: { plural: 'widgets', singular: 'widget', kind: 'Widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: schema() },
      },
    ],
  },
})

function schema(): object {
  const text = { type: 'string' }
  const list = (items: object) => ({ type: 'array', items })
  const record = (properties: object) => ({ type: 'object', properties })
  return record({
    spec: record({
      replicas: { type: 'integer', minimum: 0, default: 1 },
      image: { type: 'string', pattern: '^[a-z0-9./:-]+$' },
      text,
      ports: {
        ...list({
          ...record({ name: text, port: { type: 'integer' }, protocol: text }),
          required: ['name'],
        }),
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['name'],
      },
      labels: { type: 'object', additionalProperties: text },
    }),
    status: record({
      phase: { type: 'string', enum: ['Pending', 'Running', 'Done'] },
      observed: { type: 'integer' },
      conditions: list(
        record({ type: text, status: text, reason: text, message: text, lastTransitionTime: text }),
      ),
    }),
  })
}

export function nameOf(n: number): string {
  return `widget-${String(n).padStart(6, '0')}`
}

/** About 1 KiB of JSON. */
export function widget(n: number, replicas = 1): string {
  return JSON.stringify({
    apiVersion: `${group}/v1`,
    kind: 'Widget',
    metadata: {
      name: nameOf(n),
      labels: { 'app.kubernetes.io/name': 'widget', 'app.kubernetes.io/instance': `i-${n % 10}` },
      annotations: { 'example.dev/note': 'n'.repeat(150) },
    },
    spec: {
      replicas,
      image: 'registry.example.dev/widget:1',
      text: 't'.repeat(250),
      ports: ['http', 'https', 'metrics'].map((name, at) => ({
        name,
        port: 8080 + at,
        protocol: 'TCP',
      })),
      labels: { a: 'b', c: 'd' },
    },
  })
}

export function statusPatch(n: number): string {
  const condition = { type: 'Ready', status: 'True', reason: 'Works', message: `round ${n}` }
  return JSON.stringify({ status: { phase: 'Running', observed: n, conditions: [condition] } })
}
