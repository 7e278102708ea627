import { policyObjects } from '@agents/crd'
import type { KubeClient } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { platformPolicies, policyKinds } from '../cluster/admission-policies.ts'
import { startTestCluster } from '../cluster/testing/test-cluster.ts'
import { checkPolicies } from './check-policies.ts'

let client: KubeClient
let stop: () => Promise<void>

beforeAll(async () => {
  ;({ client, stop } = await startTestCluster())
})

afterAll(() => stop?.())

function check() {
  return checkPolicies({ client, signal: new AbortController().signal })
}

const installation = { prefix: 'team-agents', accounts: [] }

describe('doctor, about admission policies', () => {
  test('warns if none is installed, with advice', async () => {
    const { verdict, says, advice } = await check()
    expect(verdict).toBe('doubtful')
    expect(says).toContain('gitproviders.gitops.proompteng.ai')
    expect(advice?.join()).toContain('docs/chart.md')
  })

  test('warns about a policy without a binding, or with one that only warns', async () => {
    const objects = policyObjects(platformPolicies, installation)
    for (const { kind, metadata, spec } of objects) {
      const ref = policyKinds[kind]
      if (ref !== undefined && kind.startsWith('Validating')) {
        await client.create(ref, { metadata, spec })
      }
    }
    const installed = objects.filter(({ kind }) => kind === 'ValidatingAdmissionPolicy')
    expect(await check()).toEqual({
      about: 'policies',
      verdict: 'good',
      says: `all ${installed.length} are installed and bound`,
    })
    const bindings = policyKinds.ValidatingAdmissionPolicyBinding
    const name = 'team-agents-memories.agents.proompteng.ai'
    if (bindings === undefined) throw new Error('bindings have a kind')
    await client.patch(
      bindings,
      { name },
      { type: 'merge', body: { spec: { validationActions: ['Warn'] } } },
    )
    expect(await check()).toMatchObject({
      verdict: 'doubtful',
      says: 'missing, or without a binding that has the action Deny: memories.agents.proompteng.ai',
    })
    await client.delete(bindings, { name })
    expect(await check()).toMatchObject({ verdict: 'doubtful' })
  })
})
