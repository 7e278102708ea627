import { beforeAll, expect } from 'vitest'
import type { Fields } from './client.ts'
import { applied } from './patch-formats.ts'
import { conformance } from './suite.ts'

conformance('apply-builtins', ({ client, namespace, same, sameEach }) => {
  const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`
  const labels = { app: 'a' }
  const deployment = (spec: Fields, pod: Fields = {}): Fields => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'app' },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: pod },
      ...spec,
    },
  })
  const at = `${deployments}/app?dryRun=All`
  const container = {
    name: 'one',
    image: 'a',
    ports: [{ containerPort: 80 }],
    env: [{ name: 'A', value: '1' }],
  }
  beforeAll(async () => {
    const body = deployment({ replicas: 0, paused: true }, { containers: [container] })
    const made = await client.send('PATCH', `${deployments}/app?fieldManager=one`, body, applied)
    expect(made.code, made.text).toBe(201)
  })
  sameEach([
    [
      'a container of another manager is added',
      200,
      'PATCH',
      `${at}&fieldManager=two`,
      deployment({}, { containers: [{ name: 'two', image: 'b' }] }),
      applied,
    ],
    [
      'an image of another manager is a conflict',
      409,
      'PATCH',
      `${at}&fieldManager=two`,
      deployment({}, { containers: [{ name: 'one', image: 'b' }] }),
      applied,
    ],
    [
      'a variable of another manager is added',
      200,
      'PATCH',
      `${at}&fieldManager=two`,
      deployment({}, { containers: [{ name: 'one', env: [{ name: 'B', value: '2' }] }] }),
      applied,
    ],
    [
      'a port is found by number and protocol',
      200,
      'PATCH',
      `${at}&fieldManager=two`,
      deployment(
        {},
        {
          containers: [
            { name: 'one', ports: [{ containerPort: 80, protocol: 'TCP', name: 'web' }] },
          ],
        },
      ),
      applied,
    ],
    [
      'a port without its number',
      422,
      'PATCH',
      `${at}&fieldManager=two`,
      deployment({}, { containers: [{ name: 'one', ports: [{ name: 'web' }] }] }),
      applied,
    ],
    [
      'the only container cannot be given up',
      422,
      'PATCH',
      `${at}&fieldManager=one`,
      deployment({}, { containers: [] }),
      applied,
    ],
    [
      'replicas of another manager',
      409,
      'PATCH',
      `${at}&fieldManager=two`,
      deployment({ replicas: 5 }),
      applied,
    ],
    [
      'replicas of another manager by force',
      200,
      'PATCH',
      `${at}&fieldManager=two&force=true`,
      deployment({ replicas: 5 }),
      applied,
    ],
    [
      'an unknown field of a container',
      500,
      'PATCH',
      `${at}&fieldManager=two`,
      deployment({}, { containers: [{ name: 'one', unknown: 1 }] }),
      applied,
    ],
    [
      'an image that is a number',
      500,
      'PATCH',
      `${at}&fieldManager=two`,
      deployment({}, { containers: [{ name: 'one', image: 5 }] }),
      applied,
    ],
  ])
  same('secrets and accounts', 201, async () => [
    await client.send(
      'PATCH',
      `/api/v1/namespaces/${namespace}/secrets/s?fieldManager=one`,
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, stringData: { a: 'b' } },
      applied,
    ),
    await client.send(
      'PATCH',
      `/api/v1/namespaces/${namespace}/serviceaccounts/s?fieldManager=one`,
      {
        apiVersion: 'v1',
        kind: 'ServiceAccount',
        metadata: { name: 's' },
        imagePullSecrets: [{ name: 'p' }],
      },
      applied,
    ),
  ])
})
