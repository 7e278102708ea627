import { beforeAll, expect } from 'vitest'
import { builtinsIn, containers, dry } from './builtin-objects.ts'
import type { Fields } from './client.ts'
import { conformance } from './suite.ts'

conformance('runtime-classes', ({ client, namespace, same }) => {
  const { pods } = builtinsIn(namespace)
  const classes = '/apis/node.k8s.io/v1/runtimeclasses'
  const podOf = (runtimeClassName: string | undefined, spec: Fields = {}): Fields => ({
    metadata: { name: 'classified' },
    spec: {
      automountServiceAccountToken: false,
      containers,
      ...(runtimeClassName === undefined ? {} : { runtimeClassName }),
      ...spec,
    },
  })
  const create = (runtimeClassName: string | undefined, spec?: Fields) =>
    client.send('POST', dry(pods), podOf(runtimeClassName, spec))

  beforeAll(async () => {
    const overhead = { podFixed: { memory: '64Mi', cpu: '250m' } }
    const tolerations = [{ key: 'sandbox', operator: 'Exists', effect: 'NoSchedule' }]
    const scheduling = { nodeSelector: { runtime: 'sandbox' }, tolerations }
    const all = { plain: {}, heavy: { overhead }, placed: { scheduling } }
    for (const [name, parts] of Object.entries(all)) {
      const body = { metadata: { name: `conformance-${name}` }, handler: name, ...parts }
      const answer = await client.send('POST', classes, body as Fields)
      expect(answer.code, answer.text).toBe(201)
    }
  })

  same('an unknown class', 403, () => create('conformance-none'))
  same('a class without more', 201, () => create('conformance-plain'))
  same('a class with an overhead', 201, () => create('conformance-heavy'))
  same('the same overhead', 201, () =>
    create('conformance-heavy', { overhead: { memory: '64Mi', cpu: '250m' } }),
  )
  same('another overhead', 403, () => create('conformance-heavy', { overhead: { cpu: '1' } }))
  same('an overhead without a class', 403, () => create(undefined, { overhead: { cpu: '1' } }))
  same('an overhead that the class does not have', 403, () =>
    create('conformance-plain', { overhead: { cpu: '1' } }),
  )
  same('a class that places pods', 201, () => create('conformance-placed'))
  same('a class that adds to a selector', 201, () =>
    create('conformance-placed', {
      nodeSelector: { disk: 'fast' },
      tolerations: [{ key: 'sandbox', operator: 'Equal', value: 'x', effect: 'NoSchedule' }],
    }),
  )
  same('a selector that the class contradicts', 403, () =>
    create('conformance-placed', { nodeSelector: { runtime: 'other' } }),
  )
  same('a toleration that includes that of the class', 201, () =>
    create('conformance-placed', { tolerations: [{ operator: 'Exists' }] }),
  )
})
