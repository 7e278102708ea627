import type { Json } from '@agents/crd'
import { describe } from 'vitest'
import { until } from '../../support/testbed/until.ts'
import type { Answer } from './client.ts'
import { conformance } from './suite.ts'

conformance('odd-objects', ({ client, namespace, same }) => {
  describe('annotations of pod templates', () => {
    const template = {
      metadata: { labels: { a: 'b' }, annotations: { 'not a key!': 'x' } },
      spec: { containers: [{ name: 'a', image: 'i' }] },
    }
    const selector = { matchLabels: { a: 'b' } }
    const once = {
      ...template,
      spec: { ...template.spec, restartPolicy: 'Never' },
    }
    const kinds: readonly (readonly [string, object])[] = [
      ['apps/v1/deployments', { selector, template }],
      ['apps/v1/replicasets', { selector, template }],
      ['apps/v1/daemonsets', { selector, template }],
      ['batch/v1/jobs', { template: once }],
      ['batch/v1/cronjobs', { schedule: '* * * * *', jobTemplate: { spec: { template: once } } }],
      ['v1/replicationcontrollers', { selector: { a: 'b' }, template }],
    ]
    for (const [kind, spec] of kinds) {
      const [plural = '', ...version] = kind.trim().split('/').reverse()
      const root = version.length === 1 ? '/api' : '/apis'
      const at = `${root}/${version.toReversed().join('/')}/namespaces/${namespace}/${plural}`
      same(`of ${kind}`, 422, () =>
        client.send('POST', `${at}?dryRun=All`, { metadata: { name: 'x' }, spec } as never),
      )
    }
    same('of pod templates', 422, () =>
      client.send('POST', `/api/v1/namespaces/${namespace}/podtemplates?dryRun=All`, {
        metadata: { name: 'x' },
        template,
      }),
    )
  })

  describe('definitions of protected groups', () => {
    const protectedOf = (name: string, annotations: Record<string, string>) => ({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'CustomResourceDefinition',
      metadata: { name: `${name}s.odd.k8s.io`, annotations },
      spec: {
        group: 'odd.k8s.io',
        scope: 'Namespaced',
        names: { plural: `${name}s`, kind: `${name.slice(0, 1).toUpperCase()}${name.slice(1)}` },
        versions: [
          {
            name: 'v1',
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object' } },
          },
        ],
      },
    })
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    const approval = 'api-approved.kubernetes.io'
    for (const [name, annotations, code] of [
      ['approved', { [approval]: 'https://github.com/kubernetes/kubernetes/pull/78458' }, 201],
      ['unapproved', { [approval]: 'unapproved, experimental-only' }, 201],
      ['bad', { [approval]: 'nonsense' }, 422],
      ['missing', {}, 422],
    ] as const) {
      same(`${name}: accepted or refused`, code, async () => {
        const answer = await client.send('POST', definitions, protectedOf(name, annotations))
        return code === 201 ? { ...answer, body: 'created' } : answer
      })
      if (code !== 201) continue
      same(`${name}: condition`, 200, async () => {
        const path = `${definitions}/${name}s.odd.k8s.io`
        const found = await until(
          async () => {
            const answer = await client.get(path)
            return approvalOf(answer) === undefined ? undefined : answer
          },
          `no condition of ${name}`,
          { timeoutMs: 200_000 },
        )
        return { ...found, body: approvalOf(found) as Json }
      })
    }
  })
})

function approvalOf({ body }: Answer): object | undefined {
  const { status } = body as { status?: { conditions?: { type: string }[] } }
  return status?.conditions?.find(({ type }) => type === 'KubernetesAPIApprovalPolicyConformant')
}
