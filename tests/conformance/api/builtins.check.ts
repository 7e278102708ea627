import type { Json } from '@agents/crd'
import { describe, expect, test } from 'vitest'
import { builtinsIn, dry, named, rbac, workload } from './builtin-objects.ts'
import type { Fields } from './client.ts'
import { merge, strategic } from './patch-formats.ts'
import { conformance, valueAt } from './suite.ts'

conformance('builtins', ({ client, namespace, same, sameEach }) => {
  const { core, of, deployments } = builtinsIn(namespace)

  describe('secrets', () => {
    const secrets = core('secrets')
    sameEach([
      [
        'plain text becomes base64',
        201,
        'POST',
        secrets,
        named('plain', { stringData: { a: 'hi', b: 'over' }, data: { b: 'aGk=' } }),
      ],
      ['plain text is not shown', 200, 'GET', `${secrets}/plain`],
      [
        'plain text of a patch becomes base64',
        200,
        'PATCH',
        `${secrets}/plain`,
        { stringData: { c: 'new' } },
        merge,
      ],
      ['a type cannot change', 422, 'PATCH', `${secrets}/plain`, { type: 'other' }, merge],
      [
        'an immutable one is made',
        201,
        'POST',
        secrets,
        named('fixed', { immutable: true, stringData: { a: 'b' } }),
      ],
      [
        'an immutable one stays',
        422,
        'PATCH',
        `${secrets}/fixed`,
        { stringData: { a: 'c' } },
        merge,
      ],
      [
        'an immutable one stays immutable',
        422,
        'PATCH',
        `${secrets}/fixed`,
        { immutable: false },
        merge,
      ],
      [
        'an immutable one may get a label',
        200,
        'PATCH',
        `${secrets}/fixed`,
        { metadata: { labels: { a: 'b' } } },
        merge,
      ],
      [
        'a secret by its type',
        200,
        'GET',
        `${secrets}?fieldSelector=type%3DOpaque,metadata.name%3Dplain`,
      ],
    ])
  })

  describe('config maps', () => {
    const maps = core('configmaps')
    sameEach([
      [
        'an immutable map is made',
        201,
        'POST',
        maps,
        named('fixed', { immutable: true, data: { a: 'b' } }),
      ],
      ['an immutable map stays', 422, 'PATCH', `${maps}/fixed`, { data: { a: 'c' } }, merge],
      ['an immutable map may be deleted', 200, 'DELETE', `${maps}/fixed`],
    ])
    test('every namespace has the root certificate', async () => {
      const answer = await client.get(`${maps}/kube-root-ca.crt`)
      expect((valueAt(answer, 'data') as { 'ca.crt': string })['ca.crt']).toContain(
        'BEGIN CERTIFICATE',
      )
    })
  })

  describe('events', () => {
    const events = core('events')
    const event = (name: string, kind: string): Fields => ({
      metadata: { name },
      involvedObject: { apiVersion: 'v1', kind, name: 'a', namespace, uid: 'u' },
      reason: 'Because',
      message: 'It was',
      type: 'Warning',
      count: 2,
      firstTimestamp: '2001-01-01T00:00:00Z',
      lastTimestamp: '2001-01-01T00:00:01Z',
      source: { component: 'tests', host: 'h' },
    })
    sameEach([
      ['an old event', 201, 'POST', events, event('old', 'Pod')],
      ['an old event, seen as a new one', 200, 'GET', of('events.k8s.io/v1', 'events/old')],
      [
        'a new event',
        201,
        'POST',
        of('events.k8s.io/v1', 'events'),
        named('new', {
          regarding: { kind: 'Job', name: 'b', namespace },
          reason: 'Then',
          action: 'Doing',
          note: 'So it is',
          type: 'Normal',
          eventTime: '2001-01-01T00:00:00.000001Z',
          reportingController: 'tests.dev/x',
          reportingInstance: 'i',
        }),
      ],
      ['a new event, seen as an old one', 200, 'GET', `${events}/new`],
      [
        'events of one object',
        200,
        'GET',
        `${events}?fieldSelector=involvedObject.kind%3DPod,involvedObject.name%3Da,involvedObject.uid%3Du`,
      ],
      ['events by reason', 200, 'GET', `${events}?fieldSelector=reason%3DBecause`],
      ['events by type', 200, 'GET', `${events}?fieldSelector=type%3DWarning`],
      ['events by an unknown field', 400, 'GET', `${events}?fieldSelector=odd%3Dx`],
      [
        'a new event without a time',
        422,
        'POST',
        of('events.k8s.io/v1', 'events'),
        named('wrong', { regarding: { kind: 'Job', name: 'b', namespace } }),
      ],
      [
        'new events of one object',
        200,
        'GET',
        `${of('events.k8s.io/v1', 'events')}?fieldSelector=regarding.kind%3DJob`,
      ],
      ['an event that is counted', 200, 'PATCH', `${events}/old`, { count: 3 }, strategic],
    ])
  })

  describe('workloads', () => {
    same('a selector may not change', 422, async () => {
      await client.send(
        'POST',
        deployments,
        named('fixed', { spec: { ...workload, paused: true } }),
      )
      return client.send(
        'PATCH',
        dry(`${deployments}/fixed`),
        {
          spec: {
            selector: { matchLabels: { b: 'c' } },
            template: { metadata: { labels: { b: 'c' } } },
          },
        },
        merge,
      )
    })
    sameEach([
      [
        'a status may not be negative',
        422,
        'PATCH',
        dry(`${deployments}/fixed/status`),
        { status: { replicas: -3 } },
        merge,
      ],
    ])
  })

  describe('roles', () => {
    sameEach([
      [
        'a binding is made',
        201,
        'POST',
        of(rbac, 'rolebindings'),
        named('fixed', {
          roleRef: { kind: 'ClusterRole', name: 'view', apiGroup: 'rbac.authorization.k8s.io' },
        }),
      ],
      [
        'a binding cannot get another role',
        422,
        'PATCH',
        of(rbac, 'rolebindings/fixed'),
        { roleRef: { name: 'edit' } },
        merge,
      ],
      [
        'a binding may get subjects',
        200,
        'PATCH',
        of(rbac, 'rolebindings/fixed'),
        { subjects: [{ kind: 'User', name: 'a', apiGroup: 'rbac.authorization.k8s.io' }] },
        merge,
      ],
    ])
    for (const name of [
      'cluster-admin',
      'admin',
      'edit',
      'view',
      'system:discovery',
      'system:basic-user',
      'system:public-info-viewer',
    ]) {
      test(`the role ${name} is there`, async () => {
        const answer = await client.get(`/apis/${rbac}/clusterroles/${name}`)
        expect(answer.code).toBe(200)
        expect((valueAt(answer, 'rules') as Json[]).length).toBeGreaterThan(0)
      })
    }
    same('the role of administrators', 200, () =>
      client.get(`/apis/${rbac}/clusterroles/cluster-admin`),
    )
    same('the binding of administrators', 200, () =>
      client.get(`/apis/${rbac}/clusterrolebindings/cluster-admin`),
    )
  })
})
