import { startApiServer } from '@agents/apiserver'
import { systemClock } from '@agents/controller'
import { type AgentRun, agentRun, type Budget, budget } from '@agents/jangar-api'
import { JobKind, type KubeObject, kindRef, PodKind } from '@agents/kube'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { account, startTestApi, tokenOf } from '../testing/test-api.ts'

const runKind = kindRef<AgentRun>(agentRun)
const container = { name: 'main', image: 'none' }
const condition = { message: 'x', lastTransitionTime: '2026-01-01T00:00:00Z' }

let api: Awaited<ReturnType<typeof startTestApi>>
const tokens: Record<string, string> = {}
let passedMs = 0

beforeAll(async () => {
  // Tests do not wait for the pause between reports.
  const clock = { ...systemClock, elapsed: () => systemClock.elapsed() + passedMs }
  api = await startTestApi(startApiServer, { clock })
  tokens.reader = await account(api.admin, 'red', 'reader', [])
  await account(api.admin, 'red', 'runner', [])
}, 120_000)

afterAll(() => api?.stop())

function owned({ apiVersion, kind, metadata: { name, uid } }: KubeObject) {
  return {
    namespace: 'red',
    ownerReferences: [{ apiVersion, kind, name, uid, controller: true }],
  }
}

/** A pod of the run's Job, and its token. */
async function startAttempt(run: KubeObject, name: string): Promise<KubeObject> {
  const job = await api.admin.create(JobKind, {
    ...{ apiVersion: 'batch/v1', kind: 'Job' },
    metadata: { name, ...owned(run) },
    spec: { template: { spec: { restartPolicy: 'Never', containers: [container] } } },
  } as never)
  await api.admin.create(PodKind, {
    ...{ apiVersion: 'v1', kind: 'Pod' },
    metadata: { name, ...owned(job) },
    spec: { serviceAccountName: 'runner', containers: [container] },
  } as never)
  tokens[name] = await tokenOf(api.admin, 'red', 'runner', {
    audience: 'agents.proompteng.ai',
    pod: name,
  })
  return job
}

async function startRun(name: string): Promise<KubeObject> {
  const run = await api.admin.create(runKind, {
    metadata: { name, namespace: 'red' },
    spec: {
      agentRef: { name: 'writer' },
      implementation: { inline: { text: 'x' } },
      runtime: { type: 'job' },
    },
  } as never)
  const job = await startAttempt(run, name)
  await record(name, { runtimeRef: refTo(job, 'Running') })
  return run
}

function refTo({ metadata: { name, namespace, uid } }: KubeObject, phase: string) {
  return { type: 'job', name, namespace, uid, task: { phase } }
}

/** What the controllers write. */
async function record(name: string, status: object): Promise<void> {
  const run = await runOf(name)
  const next = { ...run, status: { ...run.status, ...status } } as AgentRun
  await api.admin.update(runKind, next, { subresource: 'status' })
}

function runOf(name: string): Promise<AgentRun> {
  return api.admin.get(runKind, { namespace: 'red', name })
}

async function progressOf(name: string) {
  const { status } = await runOf(name)
  return status?.progress
}

function report(token: string, body: unknown) {
  return api.ask('/v1/usage', {
    method: 'POST',
    token: tokens[token] ?? '',
    headers: { 'content-type': 'application/json' },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
}

const some = {
  inputTokens: 100,
  cachedInputTokens: 40,
  outputTokens: 5,
  totalTokens: 105,
  dollars: '0.02',
  turns: 3,
  toolCalls: 2,
  models: [{ model: 'openai/gpt-5:low', inputTokens: 100, outputTokens: 5, totalTokens: 105 }],
}

describe('reports of usage', () => {
  test('are the progress of the run of the pod', async () => {
    await startRun('one')
    const { status, json } = await report('one', some)
    expect({ status, json }).toEqual({ status: 200, json: { reportAfterSeconds: 60 } })
    expect(await progressOf('one')).toEqual({
      job: 'one',
      reportedAt: expect.stringMatching(/^\d{4}-.*Z$/),
      ...some,
    })
  })

  test('cannot name another run, and need the token of a pod', async () => {
    await startRun('victim')
    await startRun('attacker')
    expect((await report('attacker', { ...some, run: 'victim' })).status).toBe(400)
    expect((await report('reader', some)).status).toBe(401)
    expect((await report('none', some)).status).toBe(401)
    expect((await report('attacker', some)).status).toBe(200)
    expect(await progressOf('victim')).toBeUndefined()
  })

  test.each([
    { because: 'a negative number', body: { inputTokens: -1 } },
    { because: 'a fraction', body: { inputTokens: 1.5 } },
    { because: 'a number that no attempt uses', body: { outputTokens: 2 ** 41 } },
    { because: 'a number beyond all integers', body: '{"inputTokens": 1e300}' },
    { because: 'a number of 20 digits', body: '{"inputTokens": 18446744073709551616}' },
    { because: 'NaN, which is no JSON', body: '{"inputTokens": NaN}' },
    { because: 'infinity', body: '{"inputTokens": Infinity}' },
    { because: 'a number in a string', body: { inputTokens: '5' } },
    { because: 'dollars as a number', body: { dollars: 5 } },
    { because: 'negative dollars', body: { dollars: '-5' } },
    { because: 'dollars with an exponent', body: { dollars: '1e9' } },
    { because: 'dollars that are too many', body: { dollars: '1234567890' } },
    { because: 'a list', body: [] },
    { because: 'nothing', body: 'null' },
    { because: 'a model without a name', body: { models: [{ inputTokens: 1 }] } },
    { because: 'text as the name of a model', body: { models: [{ model: 'a b' }] } },
    { because: 'more about a model', body: { models: [{ model: 'a', note: 'x' }] } },
    { because: 'many models', body: { models: Array(9).fill({ model: 'a' }) } },
    { because: 'an unknown field', body: { phase: 'Succeeded' } },
    { because: 'a field of prototypes', body: '{"__proto__": {"inputTokens": 1}}' },
  ])('refuse $because', async ({ body }) => {
    expect((await report('victim', body)).status).toBe(400)
    expect(await progressOf('victim')).toBeUndefined()
  })

  test('refuse a body that is too large, before it is read', async () => {
    const body = `{"inputTokens": 1, "turns": 1${' '.repeat(5000)}}`
    expect((await report('victim', body)).status).toBe(413)
  })

  test('count once: those that are late, doubled or in another order change nothing', async () => {
    await startRun('order')
    await report('order', { inputTokens: 100, turns: 1 })
    const before = await runOf('order')
    for (const late of [{ inputTokens: 100, turns: 1 }, { inputTokens: 40 }]) {
      passedMs += 10_000
      expect((await report('order', late)).status).toBe(200)
    }
    const after = await runOf('order')
    expect(after.status?.progress).toMatchObject({ inputTokens: 100, turns: 1 })
    expect(after.metadata.resourceVersion).toBe(before.metadata.resourceVersion)
  })

  test('of one pod are written at most once in ten seconds', async () => {
    await startRun('flood')
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, at) => report('flood', { inputTokens: at + 1 })),
    )
    const counts = { taken: 0, refused: 0 }
    for (const { status } of answers) counts[status === 200 ? 'taken' : 'refused'] += 1
    expect(counts).toEqual({ taken: 1, refused: 39 })
    expect(answers.filter(({ status }) => status === 429)).toHaveLength(39)
    expect(answers.find(({ status }) => status === 429)?.headers['retry-after']).toBeDefined()
  })

  test('of an attempt that has ended are refused', async () => {
    const run = await startRun('again')
    const first = await runOf('again')
    const second = await startAttempt(run, 'again-2')
    await record('again', { runtimeRef: refTo(second, 'Running') })
    expect((await report('again', some)).status).toBe(409)
    expect((await report('again-2', { inputTokens: 1 })).status).toBe(200)
    await record('again', {
      runtimeRef: { ...first.status?.runtimeRef, task: { phase: 'Retrying' } },
      progress: undefined,
    })
    passedMs += 10_000
    expect((await report('again', some)).status).toBe(409)
    expect(await progressOf('again')).toBeUndefined()
  })

  test('of a run that has ended are refused', async () => {
    await startRun('over')
    const finished = { ...condition, type: 'Finished', status: 'True', reason: 'Succeeded' }
    await record('over', { conditions: [finished] })
    expect((await report('over', some)).status).toBe(409)
    expect(await progressOf('over')).toBeUndefined()
  })

  test('of a workflow belong to the step that runs', async () => {
    const run = await startRun('flow')
    const job = await startAttempt(run, 'flow-step-2')
    const { name, namespace, uid } = job.metadata
    await record('flow', {
      runtimeRef: { type: 'workflow' },
      workflow: {
        steps: [
          { name: 'a', phase: 'Succeeded', jobRef: { name: 'flow', uid: 'other' } },
          { name: 'b', phase: 'Running', jobRef: { name, namespace, uid } },
        ],
      },
    })
    expect((await report('flow', some)).status).toBe(409)
    expect((await report('flow-step-2', some)).status).toBe(200)
    expect(await progressOf('flow')).toMatchObject({ job: 'flow-step-2', inputTokens: 100 })
  })

  test('begin again with each attempt', async () => {
    const run = await startRun('retried')
    await report('retried', { inputTokens: 500, turns: 9 })
    const second = await startAttempt(run, 'retried-2')
    await record('retried', { runtimeRef: refTo(second, 'Running') })
    await report('retried-2', { inputTokens: 7 })
    const { reportedAt: _, ...progress } = (await progressOf('retried')) ?? {}
    expect(progress).toEqual({ job: 'retried-2', inputTokens: 7 })
  })

  test('are asked for more often where a Budget may act on them', async () => {
    await startRun('limited')
    passedMs += 60_000
    await api.admin.create(kindRef<Budget>(budget), {
      metadata: { name: 'all', namespace: 'red' },
      spec: { limits: { tokens: '1000' } },
    } as never)
    expect((await report('limited', some)).json).toEqual({ reportAfterSeconds: 10 })
  })

  test('do not undo what the controllers write meanwhile', async () => {
    await startRun('busy')
    const writes = Array.from({ length: 5 }, async (_, at) => {
      await record('busy', { attempts: at + 1 }).catch(() => undefined)
    })
    const [{ status }] = await Promise.all([report('busy', some), ...writes])
    expect(status).toBe(200)
    const { status: kept } = await runOf('busy')
    expect(kept?.progress).toMatchObject(some)
    expect(kept?.attempts).toBeGreaterThan(0)
  })
})
