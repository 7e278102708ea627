import type { Json } from '@agents/crd'
import fc from 'fast-check'
import type { Body, Step } from './step.ts'

const word = fc.constantFrom('x', 'y', 'z')
const digit = fc.integer({ min: 0, max: 2 })
const words = fc.uniqueArray(word, { maxLength: 3 })

function some<T extends Record<string, fc.Arbitrary<Json>>>(fields: T): fc.Arbitrary<Body> {
  return fc.record(fields, { requiredKeys: [] }) as fc.Arbitrary<Body>
}

const dictionary = some({ k1: word, k2: word, k3: word })

function ports(fields: Record<string, fc.Arbitrary<Json>>): fc.Arbitrary<Json> {
  return fc.uniqueArray(
    fc.record(
      { port: digit.map((d) => d + 1), protocol: fc.constantFrom('TCP', 'UDP'), ...fields },
      { requiredKeys: ['port'] },
    ),
    { maxLength: 3, selector: ({ port, protocol = 'TCP' }) => `${port}/${protocol}` },
  )
}

const part = some({ a: word, b: digit })
const anything: fc.Arbitrary<Json> = fc.oneof(
  word,
  digit,
  words,
  dictionary,
  some({ deep: dictionary, list: fc.array(part, { maxLength: 2 }) }),
)

const metadata = some({
  labels: dictionary,
  annotations: dictionary,
  finalizers: fc.uniqueArray(fc.constantFrom('example.dev/a', 'example.dev/b'), { maxLength: 2 }),
})

const widgetSpec = some({
  replicas: digit,
  title: word,
  size: fc.oneof(digit, word),
  maybe: fc.oneof(word, fc.constant(null)),
  config: dictionary,
  whole: dictionary,
  part,
  wholePart: part,
  tags: words,
  numbers: fc.uniqueArray(digit, { maxLength: 3 }),
  words,
  ports: ports({ name: word, labels: dictionary, tags: words }),
  byName: some({ k1: some({ x: digit, y: word }), k2: some({ x: digit, y: word }) }),
  free: some({ a: anything, b: anything }),
  anything,
  template: some({ data: dictionary }).map((rest) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'inner' },
    ...rest,
  })),
})

const widgetStatus = some({
  phase: word,
  conditions: fc.uniqueArray(
    fc.record({ type: word, status: word, reason: word }, { requiredKeys: ['type'] }),
    { maxLength: 3, selector: ({ type }) => type },
  ) as fc.Arbitrary<Json>,
})

const widget = some({ metadata, spec: widgetSpec })
const statusOnly = widgetStatus.map((status) => ({ status }))

const applier = fc.constantFrom('one', 'two', 'kubectl')
const updater = fc.constantFrom('one', 'editor', 'kubectl-client-side-apply')

function steps(
  body: fc.Arbitrary<Body>,
  status: fc.Arbitrary<Body> | undefined,
): fc.Arbitrary<Step[]> {
  const apply = fc.record({
    do: fc.constant('apply' as const),
    manager: applier,
    force: fc.boolean(),
    body,
  })
  const merge = fc.record({ do: fc.constant('merge' as const), manager: updater, body })
  const replace = fc.record({ do: fc.constant('replace' as const), manager: updater, body })
  const managed = fc.record({
    do: fc.constant('managed' as const),
    manager: updater,
    entries: fc.constantFrom<Json>([], [{}]),
  })
  const ofStatus =
    status === undefined
      ? []
      : [
          {
            weight: 2,
            arbitrary: fc.record({
              do: fc.constant('apply' as const),
              manager: applier,
              force: fc.boolean(),
              status: fc.constant(true),
              body: status,
            }),
          },
          {
            weight: 1,
            arbitrary: fc.record({
              do: fc.constant('merge' as const),
              manager: updater,
              status: fc.constant(true),
              body: status,
            }),
          },
        ]
  const any: fc.Arbitrary<Step> = fc.oneof(
    { weight: 6, arbitrary: apply },
    { weight: 2, arbitrary: merge },
    { weight: 2, arbitrary: replace },
    { weight: 1, arbitrary: managed },
    ...ofStatus,
  )
  const first: fc.Arbitrary<Step> = fc.oneof(
    apply,
    fc.record({ do: fc.constant('create' as const), manager: updater, body }),
  )
  return fc
    .tuple(first, fc.array(any, { minLength: 3, maxLength: 9 }))
    .map(([start, rest]) => [start, ...rest])
}

export const widgetSteps = steps(widget, statusOnly)

export const configMapSteps = steps(
  some({ metadata, data: dictionary, immutable: fc.constant(false) }),
  undefined,
)

const container = fc.record(
  {
    name: fc.constantFrom('app', 'side'),
    image: word,
    args: words,
    env: fc.uniqueArray(fc.record({ name: word, value: word }, { requiredKeys: ['name'] }), {
      maxLength: 3,
      selector: ({ name }) => name,
    }) as fc.Arbitrary<Json>,
    ports: (ports({}) as fc.Arbitrary<{ port: number; protocol?: string }[]>).map((list) =>
      list.map(({ port, ...rest }) => ({ containerPort: port, ...rest })),
    ) as fc.Arbitrary<Json>,
    resources: some({ limits: some({ cpu: fc.constantFrom('1', '2') }) }),
  },
  { requiredKeys: ['name', 'image'] },
)

const podSpec = some({
  containers: fc.uniqueArray(container, {
    minLength: 1,
    maxLength: 2,
    selector: ({ name }) => name,
  }) as fc.Arbitrary<Json>,
  nodeSelector: dictionary,
  priority: fc.constant(0),
  securityContext: some({ runAsUser: digit }),
  volumes: fc.constantFrom<Json>(
    [],
    [{ name: 'v', emptyDir: {} }],
    [{ name: 'v', configMap: { name: 'c' } }],
  ),
})

const app = { app: 'x' }
export const deploymentSteps = steps(
  some({
    metadata,
    spec: some({
      replicas: digit,
      minReadySeconds: digit,
      paused: fc.boolean(),
      strategy: fc.constantFrom<Json>({}, { type: 'Recreate' }),
    }).chain((spec) =>
      podSpec.map((inner) => ({
        ...spec,
        selector: { matchLabels: app },
        template: { metadata: { labels: app }, spec: inner },
      })),
    ),
  }),
  undefined,
)

export const serviceSteps = steps(
  fc.record({
    metadata,
    spec: some({
      selector: dictionary,
      sessionAffinity: fc.constant('None'),
      publishNotReadyAddresses: fc.boolean(),
      ports: (
        ports({
          targetPort: fc.oneof(
            digit.map((d) => d + 1),
            word,
          ),
        }) as fc.Arbitrary<Body[]>
      ).map((list) =>
        list.map((port, index) => ({ ...port, name: `p${index}` })),
      ) as fc.Arbitrary<Json>,
    }).map((spec) => ({ ...spec, clusterIP: 'None' })),
  }),
  undefined,
)
