import { beforeAll, expect } from 'vitest'
import { builtinsIn, containers, dry, named } from './builtin-objects.ts'
import type { Fields } from './client.ts'
import { merge } from './patch-formats.ts'
import { conformance } from './suite.ts'

conformance('replaced-pods', ({ client, namespace, same }) => {
  const { pods } = builtinsIn(namespace)
  const spec = { automountServiceAccountToken: false, containers }
  const put = async (change: Fields, name = 'one') => {
    const { body } = await client.get(`${pods}/${name}`)
    const pod = body as { spec: Fields }
    const { priority: _, preemptionPolicy: __, ...rest } = pod.spec
    return client.send('PUT', dry(`${pods}/${name}`), { ...pod, spec: { ...rest, ...change } })
  }

  beforeAll(async () => {
    const classes = '/apis/scheduling.k8s.io/v1/priorityclasses'
    const urgent = { value: 1000, preemptionPolicy: 'Never' }
    const made = [
      await client.send('POST', classes, named('replaced-pods-urgent', urgent)),
      await client.send('POST', pods, named('one', { spec })),
      await client.send(
        'POST',
        pods,
        named('urgent', { spec: { ...spec, priorityClassName: 'replaced-pods-urgent' } }),
      ),
    ]
    for (const answer of made) expect(answer.code, answer.text).toBe(201)
    return async () => {
      await client.send('DELETE', `${classes}/replaced-pods-urgent`)
    }
  })

  same('a pod keeps its priority and preemption policy', 200, () => put({}))
  same('a pod with a class keeps its priority and preemption policy', 200, () => put({}, 'urgent'))
  same('a pod keeps the preemption policy that is missing', 200, () => put({ priority: 0 }))
  same('a patch that removes the priority of a pod', 200, () =>
    client.send(
      'PATCH',
      dry(`${pods}/urgent`),
      { spec: { priority: null, preemptionPolicy: null } },
      merge,
    ),
  )
})
