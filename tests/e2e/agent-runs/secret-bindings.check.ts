import {
  type Orchestration,
  type OrchestrationRun,
  orchestration,
  orchestrationRun,
  type Schedule,
  type SecretBinding,
  schedule,
  secretBinding,
  type Tool,
  type ToolRun,
  tool,
  toolRun,
} from '@agents/jangar-api'
import { type KindRef, type KubeObject, kindRef, SecretKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { until } from '../../support/testbed/until.ts'
import {
  conditionText,
  messageOf,
  pollOptions,
  type RunHarness,
  runKind,
  startHarness,
} from './run-harness.ts'

const namespace = 'agents'
const bindings = kindRef<SecretBinding>(secretBinding)
const tools = kindRef<Tool>(tool)
const toolRuns = kindRef<ToolRun>(toolRun)

let harness: RunHarness
beforeAll(async () => {
  harness = await startHarness()
  for (const name of ['forbidden', 'allowed']) {
    await harness.client.create(SecretKind, {
      metadata: { name, namespace },
      data: { TOKEN: 'c2VjcmV0' },
    })
  }
  await harness.createAgent('bound')
  await bind('bound', [{ kind: 'Agent', name: 'bound' }], ['allowed'])
})
afterAll(() => harness.stop())

function create(kind: KindRef, name: string, spec: object): Promise<KubeObject> {
  return harness.client.create(kind, { metadata: { name, namespace }, spec } as never)
}

function bind(name: string, subjects: object[], allowedSecrets: string[]): Promise<KubeObject> {
  return create(bindings, name, { subjects, allowedSecrets })
}

function createdJobs(name: string): string[] {
  return harness.writes.filter((write) => write.startsWith(`create jobs ${name}`))
}

const forbiddenRun = {
  agentRef: { name: 'bound' },
  implementation: { inline: { text: 'Take it.' } },
  runtime: { type: 'job' },
  secrets: ['forbidden'],
}

describe('SecretBindings', pollOptions, () => {
  test('stop the next attempt of a run when the permission is taken away', async () => {
    await harness.createAgent('losing')
    await bind('losing', [{ kind: 'Agent', name: 'losing' }], ['allowed'])
    await harness.create('losing', 'exit 3', {
      agentRef: { name: 'losing' },
      secrets: ['allowed'],
      retries: 3,
      retryBackoffSeconds: 3,
    })
    await harness.until('losing', ({ status }) => status?.nextRetryAt !== undefined, 'its wait')
    await harness.client.patch(
      bindings,
      { namespace, name: 'losing' },
      { type: 'merge', body: { spec: { allowedSecrets: ['other'] } } },
    )
    const run = await harness.untilFinished('losing')
    expect(conditionText(run, 'Finished')).toBe('True/SecretNotAllowed')
    expect(messageOf(run, 'Succeeded')).toMatch(/Secret allowed, listed in secrets, is not in/)
    expect(run.status).toMatchObject({ phase: 'Failed', attempts: 1 })
    expect(createdJobs('losing')).toHaveLength(1)
  })

  test('hold for a run that is applied', async () => {
    await create(runKind, 'applied', forbiddenRun)
    const run = await harness.untilFinished('applied')
    expect(conditionText(run, 'Accepted')).toBe('False/SecretNotAllowed')
    expect(conditionText(run, 'Finished')).toBe('True/SecretNotAllowed')
    expect(messageOf(run, 'Accepted')).toMatch(/^Secret forbidden, listed in secrets, /)
    expect(createdJobs('applied')).toEqual([])
  })

  test('hold for a run that an Orchestration starts', async () => {
    await create(kindRef<Orchestration>(orchestration), 'graph', {
      steps: [{ name: 'take', kind: 'AgentRun', ...forbiddenRun }],
    })
    await create(kindRef<OrchestrationRun>(orchestrationRun), 'graph', {
      orchestrationRef: { name: 'graph' },
    })
    const run = await startedBy(({ metadata }) => metadata.name.startsWith('graph'))
    expect(conditionText(run, 'Accepted')).toBe('False/SecretNotAllowed')
  })

  test('hold for a run that a Schedule starts', async () => {
    await create(kindRef<Schedule>(schedule), 'often', {
      cron: '* * * * *',
      template: { kind: 'AgentRun', spec: forbiddenRun },
    })
    const run = await startedBy(({ metadata }) => metadata.name.startsWith('often'))
    expect(conditionText(run, 'Accepted')).toBe('False/SecretNotAllowed')
  })

  test('hold for the Secrets of a Tool', async () => {
    const env = [{ name: 'T', valueFrom: { secretKeyRef: { name: 'forbidden', key: 'TOKEN' } } }]
    const spec = { image: 'local', command: ['/bin/sh', '-c'], args: ['exit 0'], env }
    await bind('tools', [{ kind: 'Tool', name: 'held' }], ['allowed'])
    for (const name of ['held', 'free']) {
      await create(tools, name, spec)
      await create(toolRuns, name, { toolRef: { name } })
    }
    const finished = await Promise.all(
      ['held', 'free'].map(async (name) => {
        let run: ToolRun | undefined
        await until(async () => {
          run = await harness.client.get(toolRuns, { namespace, name })
          return run.status?.phase === 'Failed' || run.status?.phase === 'Succeeded'
        })
        return run?.status?.conditions?.find(({ type }) => type === 'Finished')
      }),
    )
    expect(finished.map((condition) => condition?.reason)).toEqual([
      'SecretNotAllowed',
      'Succeeded',
    ])
    expect(finished[0]?.message).toMatch(/^Secret forbidden, which Tool held refers to, is not in/)
  })

  test('that are named and do not exist yet let the run wait, and start it', async () => {
    await harness.create('early', 'exit 0', {
      agentRef: { name: 'bound' },
      secrets: ['allowed'],
      policy: { secretBindingRef: { name: 'late' } },
    })
    await harness.until(
      'early',
      (run) => conditionText(run, 'Accepted') === 'False/DependencyMissing',
    )
    await bind('late', [{ kind: 'AgentRun', name: 'early' }], ['allowed'])
    const run = await harness.untilFinished('early')
    expect(conditionText(run, 'Succeeded')).toBe('True/Succeeded')
  })

  test.each([
    ['no-subjects', { subjects: [], allowedSecrets: ['s'] }, 'NoSubjects', 'spec.subjects'],
    [
      'no-secrets',
      { subjects: [{ kind: 'Agent', name: 'a' }] },
      'NoSecrets',
      'spec.allowedSecrets is empty',
    ],
    [
      'user',
      { subjects: [{ kind: 'User', name: 'a' }], allowedSecrets: ['s'] },
      'UnsupportedSubject',
      'spec.subjects[0].kind',
    ],
    [
      'foreign',
      {
        subjects: [
          { kind: 'Agent', name: 'a' },
          { kind: 'Agent', name: 'a', namespace: 'b' },
        ],
        allowedSecrets: ['s'],
      },
      'ForeignNamespace',
      'spec.subjects[1].namespace',
    ],
    [
      'other-namespace',
      { subjects: [{ kind: 'Namespace', name: 'b' }], allowedSecrets: ['s'] },
      'ForeignNamespace',
      'spec.subjects[0].name',
    ],
    [
      'pattern',
      { subjects: [{ kind: 'Agent', name: 'a' }], allowedSecrets: ['s', 'prod-*'] },
      'InvalidSecret',
      'spec.allowedSecrets[1]',
    ],
  ])('that are invalid say why: %s', async (name, spec, reason, field) => {
    await create(bindings, name, spec)
    let found: SecretBinding | undefined
    await until(async () => {
      found = await harness.client.get(bindings, { namespace, name })
      return found.status?.phase === 'Invalid'
    })
    const ready = found?.status?.conditions?.find(({ type }) => type === 'Ready')
    expect(ready).toMatchObject({
      status: 'False',
      reason,
      message: expect.stringContaining(field),
    })
  })
})

async function startedBy(isIt: (run: KubeObject) => boolean) {
  let name: string | undefined
  await until(async () => {
    const { items } = await harness.client.list(runKind, { namespace })
    name = items.find(isIt)?.metadata.name
    return name !== undefined
  }, undefined)
  return harness.untilFinished(name ?? '')
}
