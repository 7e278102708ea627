import { describe, expect, test } from 'vitest'
import { builtinsIn, containers, dry, job, named } from './builtin-objects.ts'
import type { Fields } from './client.ts'
import { merge, strategic } from './patch-formats.ts'
import { conformance, valueAt } from './suite.ts'

conformance('pods', ({ client, namespace, same, sameEach }) => {
  const { of, pods, jobs } = builtinsIn(namespace)

  describe('pods', () => {
    const volumes = [[/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-<suffix>']] as const
    const pod = (name: string, spec: Fields = {}) =>
      client.send('POST', pods, {
        metadata: { name, labels: { name } },
        spec: { automountServiceAccountToken: false, containers, ...spec },
      })
    same(
      'a status may be set',
      200,
      async () => {
        expect((await pod('one')).code).toBe(201)
        return client.send(
          'PATCH',
          `${pods}/one/status`,
          { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } },
          strategic,
        )
      },
      volumes,
    )
    sameEach([
      [
        'an image may change',
        200,
        'PATCH',
        dry(`${pods}/one`),
        { spec: { containers: [{ name: 'a', image: 'b' }] } },
        strategic,
      ],
      [
        'a command may not change',
        422,
        'PATCH',
        dry(`${pods}/one`),
        { spec: { containers: [{ name: 'a', command: ['b'] }] } },
        strategic,
      ],
      [
        'a restart policy may not change',
        422,
        'PATCH',
        dry(`${pods}/one`),
        { spec: { restartPolicy: 'Never' } },
        merge,
      ],
      ['pods by phase', 200, 'GET', `${pods}?fieldSelector=status.phase%3DRunning`],
      ['pods by node', 200, 'GET', `${pods}?fieldSelector=spec.nodeName%3Dnone`],
      ['pods by an unknown field', 400, 'GET', `${pods}?fieldSelector=spec.odd%3Dx`],
      ['a log of a pod that is not there', 404, 'GET', `${pods}/none/log`],
      [
        'a pod that is bound',
        201,
        'POST',
        `${pods}/one/binding`,
        { metadata: { name: 'one' }, target: { kind: 'Node', name: 'somewhere' } },
      ],
      [
        'a pod that is bound twice',
        409,
        'POST',
        `${pods}/one/binding`,
        { metadata: { name: 'one' }, target: { kind: 'Node', name: 'elsewhere' } },
      ],
      [
        'a binding without a target',
        500,
        'POST',
        `${pods}/one/binding`,
        { metadata: { name: 'one' } },
      ],
    ])
    test('a pod that is bound knows its node', async () => {
      const answer = await client.get(`${pods}/one`)
      expect(valueAt(answer, 'spec.nodeName')).toBe('somewhere')
      const conditions = valueAt(answer, 'status.conditions') as { type: string; status: string }[]
      expect(conditions.find(({ type }) => type === 'PodScheduled')?.status).toBe('True')
    })
    same(
      'a pod on a node gets time to stop',
      200,
      () => client.send('DELETE', `${pods}/one`),
      volumes,
    )
    same(
      'a pod on a node goes when it is forced to',
      200,
      () => client.send('DELETE', `${pods}/one`, { gracePeriodSeconds: 0 }),
      volumes,
    )
    same('a pod without a node goes at once', 404, async () => {
      await pod('two')
      await client.send('DELETE', `${pods}/two`)
      return client.get(`${pods}/two`)
    })
    same('an eviction deletes', 201, async () => {
      await pod('three')
      return client.send('POST', `${pods}/three/eviction`, {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: 'three', namespace },
      })
    })
    same('an eviction of nothing', 404, () =>
      client.send('POST', `${pods}/none/eviction`, {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: 'none', namespace },
      }),
    )
    same('an eviction that a budget forbids', 429, async () => {
      await pod('four')
      await client.send(
        'PATCH',
        `${pods}/four/status`,
        { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } },
        merge,
      )
      await client.send(
        'POST',
        of('policy/v1', 'poddisruptionbudgets'),
        named('strict', { spec: { minAvailable: 1, selector: { matchLabels: { name: 'four' } } } }),
      )
      const counted = await client.send(
        'PATCH',
        of('policy/v1', 'poddisruptionbudgets/strict/status'),
        {
          status: {
            observedGeneration: 1,
            disruptionsAllowed: 0,
            currentHealthy: 1,
            desiredHealthy: 1,
            expectedPods: 1,
          },
        },
        merge,
      )
      expect(counted.code, counted.text).toBe(200)
      return client.send('POST', `${pods}/four/eviction`, {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: 'four', namespace },
      })
    })
  })

  describe('jobs', () => {
    same(
      'a template may not change',
      422,
      async () => {
        const made = await client.send('POST', jobs, named('fixed', { spec: job }))
        expect(made.code, made.text).toBe(201)
        return client.send(
          'PATCH',
          dry(`${jobs}/fixed`),
          { spec: { template: { spec: { restartPolicy: 'OnFailure' } } } },
          merge,
        )
      },
      [[/Invalid value: \{.*\}: field/s, 'Invalid value: {…}: field']],
    )
    same('completions may not change', 422, () =>
      client.send('PATCH', dry(`${jobs}/fixed`), { spec: { completions: 5 } }, merge),
    )
    test('parallelism may change', async () => {
      const answer = await client.send(
        'PATCH',
        dry(`${jobs}/fixed`),
        { spec: { parallelism: 5 } },
        merge,
      )
      expect([answer.code, valueAt(answer, 'spec.parallelism')]).toEqual([200, 5])
    })
    test('a job selects its pods by its own uid', async () => {
      const { body } = await client.get(`${jobs}/fixed`)
      const { metadata, spec } = body as {
        metadata: { uid: string }
        spec: { selector: { matchLabels: Fields }; template: { metadata: { labels: Fields } } }
      }
      expect(spec.selector.matchLabels).toEqual({
        'batch.kubernetes.io/controller-uid': metadata.uid,
      })
      expect(spec.template.metadata.labels).toEqual({
        'batch.kubernetes.io/controller-uid': metadata.uid,
        'batch.kubernetes.io/job-name': 'fixed',
        'controller-uid': metadata.uid,
        'job-name': 'fixed',
      })
    })
    same('a deletion without a policy leaves pods alone, with a warning', 200, () =>
      client.send('DELETE', dry(`${jobs}/fixed`)),
    )
    same('a deletion in the background returns no object', 200, () =>
      client.send('DELETE', dry(`${jobs}/fixed`), { propagationPolicy: 'Background' }),
    )
  })
})
