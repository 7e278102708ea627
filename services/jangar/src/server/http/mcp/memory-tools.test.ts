import { startApiServer } from '@agents/apiserver'
import { type Clock, systemClock } from '@agents/controller'
import { customResourceDefinition } from '@agents/crd'
import { kinds, type Memory, memory } from '@agents/jangar-api'
import { CustomResourceDefinitionKind, kindRef } from '@agents/kube'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { renderTemplate } from '../../../run-contract/templates/render-template.ts'
import { account, startTestApi } from '../testing/test-api.ts'
import { graphKind, graphRunKind, literally } from './memory-graph.ts'

const groups = [...new Set(kinds.map(({ group }) => group))]
const all = [{ apiGroups: groups, resources: ['*'], verbs: ['*'] }]
/** Everything but to create runs of this kind. */
function allBut(plural: string) {
  const resources = kinds.map((each) => each.plural)
  const verbs = ['get', 'list', 'watch', 'update', 'patch', 'delete']
  return [
    { apiGroups: groups, resources: resources.filter((each) => each !== plural), verbs: ['*'] },
    { apiGroups: groups, resources: [plural], verbs },
  ]
}

/** Waits of the platform that are longer never end. */
let longestWaitMs = Number.POSITIVE_INFINITY
const clock: Clock = {
  ...systemClock,
  after: (ms, action) => (ms <= longestWaitMs ? systemClock.after(ms, action) : () => undefined),
}

let api: Awaited<ReturnType<typeof startTestApi>>
let operator: string

beforeAll(async () => {
  api = await startTestApi(startApiServer, { clock })
  for (const kind of kinds.filter((each) => ['Memory', 'Orchestration'].includes(each.kind))) {
    await api.admin.create(CustomResourceDefinitionKind, customResourceDefinition(kind))
  }
  operator = await account(api.admin, 'red', 'operator', all)
  await store('red', 'notes', 'postgres', true)
  await store('red', 'vectors', 'pinecone')
  await store('blue', 'foreign', 'postgres', true)
}, 120_000)

afterAll(async () => {
  await api?.stop()
})

async function store(namespace: string, name: string, type: string, isDefault = false) {
  await api.admin.create(kindRef<Memory>(memory), {
    ...{
      apiVersion: 'agents.proompteng.ai/v1alpha1',
      kind: 'Memory',
      metadata: { namespace, name },
    },
    spec: { type, default: isDefault, connection: { secretRef: { name: 'memory' } } },
  } as Memory)
}

async function call(token: string, name: string, given: object) {
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name, arguments: given },
  }
  const { json } = await api.ask('/mcp', {
    ...{ method: 'POST', token, headers: { 'content-type': 'application/json' } },
    body: JSON.stringify(message),
  })
  const { content, isError = false } = json.result
  return { isError, text: content[0].text as string }
}

type Listed = typeof graphKind | typeof graphRunKind

// biome-ignore lint/suspicious/noExplicitAny: graphs and runs.
async function listed(kind: Listed, namespace = 'red'): Promise<any[]> {
  return [...(await api.admin.list(kind, { namespace })).items]
}

async function runNames(): Promise<ReadonlySet<string>> {
  return new Set((await listed(graphRunKind)).map(({ metadata }) => metadata.name))
}

/** The next run, ended as controllers would. Resolves with it and its graph. */
async function endNext(known: ReadonlySet<string>, step: object, phase = 'Succeeded') {
  const fresh = async () =>
    (await listed(graphRunKind)).find(({ metadata }) => !known.has(metadata.name))
  await expect.poll(async () => (await listed(graphKind)).length, { timeout: 20_000 }).not.toBe(0)
  await expect.poll(fresh, { timeout: 20_000 }).toBeDefined()
  const run = await fresh()
  const lastTransitionTime = new Date().toISOString().replace(/\.\d+Z/, 'Z')
  const status = {
    phase,
    conditions: ['Finished', 'Succeeded'].map((type) => ({
      ...{ type, reason: phase, message: 'the run has ended', lastTransitionTime },
      status: type === 'Finished' || phase === 'Succeeded' ? 'True' : 'False',
    })),
    stepStatuses: [{ name: 'memory', kind: 'MemoryOp', phase, ...step }],
  }
  await api.admin.update(graphRunKind, { ...run, status }, { subresource: 'status' })
  const { name } = run.metadata
  const find = async () => (await listed(graphKind)).find(({ metadata }) => metadata.name === name)
  await expect.poll(find, { timeout: 20_000 }).toBeDefined()
  return { run, graph: await find() }
}

describe('remember and recall', () => {
  test('have a step of kind MemoryOp do it, with the text as it is', async () => {
    const value = 'use {{ parameters.token }} and {{{x}}} "quoted"'
    const known = await runNames()
    const given = { namespace: 'red', key: 'a{{b', value, memory: 'notes' }
    const answering = call(operator, 'remember', given)
    const { run, graph } = await endNext(known, { outputs: { key: 'a{{b' } })
    const { isError, text } = await answering
    expect([isError, JSON.parse(text)]).toEqual([false, { run: run.metadata.name, key: 'a{{b' }])
    const { name, uid } = run.metadata
    expect(run.spec).toEqual({
      ...{ orchestrationRef: { name }, timeoutSeconds: 120, ttlSecondsAfterFinished: 300 },
    })
    expect(graph.metadata.ownerReferences).toMatchObject([{ kind: 'OrchestrationRun', name, uid }])
    const [step] = graph.spec.steps
    expect(step).toMatchObject({ kind: 'MemoryOp', memoryRef: { name: 'notes' } })
    expect(step.timeoutSeconds).toBeLessThanOrEqual(60)
    expect(renderTemplate(step.with.value, {})).toMatchObject({ text: value })
    expect(graph.spec.parameters).toEqual([])
  })

  test('find what is there, in the default Memory', async () => {
    const known = await runNames()
    const entries = [{ key: 'a', value: 'b' }]
    const answering = call(operator, 'recall', { namespace: 'red', query: 'b', limit: 2 })
    const { graph } = await endNext(known, { outputs: { count: 1, entries, omitted: 0 } })
    expect(JSON.parse((await answering).text)).toMatchObject({ count: 1, entries })
    expect(graph.spec.steps[0]).toMatchObject({
      ...{ memoryRef: { name: 'notes' }, with: { op: 'search', query: 'b', limit: '2' } },
    })
  })

  test('say why it failed', async () => {
    const known = await runNames()
    const answering = call(operator, 'recall', { namespace: 'red', key: 'a' })
    await endNext(known, { message: 'the database does not answer' }, 'Failed')
    const { isError, text } = await answering
    expect([isError, text]).toEqual([true, expect.stringMatching(/^Conflict: get failed in run /)])
    expect(text).toContain('the database does not answer')
  })

  test('do not wait for ever, and cancel what has not ended', async () => {
    const known = await runNames()
    longestWaitMs = 1_000
    onTestFinished(() => {
      longestWaitMs = Number.POSITIVE_INFINITY
    })
    const { isError, text } = await call(operator, 'recall', {
      ...{ namespace: 'red', key: 'a', timeoutSeconds: 1 },
    })
    expect([isError, text]).toEqual([true, expect.stringMatching(/^Timeout: .* after 1 seconds/)])
    const left = (await listed(graphRunKind)).filter(({ metadata }) => !known.has(metadata.name))
    expect(left.map(({ spec }) => spec.cancel)).toEqual([true])
  })

  test('of a client that leaves are cancelled', async () => {
    const known = await runNames()
    const leaving = new AbortController()
    const message = {
      ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
      params: { name: 'recall', arguments: { namespace: 'red', key: 'a' } },
    }
    const sent = fetchOnce(JSON.stringify(message), leaving.signal)
    const fresh = async () =>
      (await listed(graphRunKind)).find(({ metadata }) => !known.has(metadata.name))
    await expect.poll(fresh, { timeout: 20_000 }).toBeDefined()
    leaving.abort()
    await sent
    await expect.poll(async () => (await fresh())?.spec.cancel, { timeout: 20_000 }).toBe(true)
  })
})

describe('nothing is created', () => {
  test.each([
    { because: 'in the namespace of another tenant', given: { namespace: 'blue', key: 'a' } },
    { because: 'for a Memory of another namespace', given: { memory: 'foreign', key: 'a' } },
    { because: 'for a Memory that cannot be searched', given: { memory: 'vectors', key: 'a' } },
    { because: 'for a key and a query', given: { key: 'a', query: 'b' } },
    { because: 'for neither', given: {} },
    { because: 'for a limit with a key', given: { key: 'a', limit: 3 } },
    { because: 'for a name that leaves its place', given: { memory: '../x', key: 'a' } },
    { because: 'for a NUL character', given: { key: 'a\u0000b' } },
    { because: 'for a wait without end', given: { key: 'a', timeoutSeconds: 3600 } },
    { because: 'for a huge query', given: { query: 'x'.repeat(2000) } },
  ])('$because', async ({ given }) => {
    await refusal(operator, 'recall', { namespace: 'red', ...given })
  })

  test.each([
    { because: 'in characters', value: 'x'.repeat(100_000), code: 'BadRequest' },
    { because: 'in bytes', value: 'é'.repeat(3000), code: 'TooLarge' },
    { because: 'as JSON', value: '"'.repeat(2000), code: 'TooLarge' },
  ])('for a value that is too large $because', async ({ value, code }) => {
    const text = await refusal(operator, 'remember', { namespace: 'red', key: 'a', value })
    expect(text).toMatch(new RegExp(`^${code}: `))
    expect(text.length).toBeLessThan(1000)
  })

  test.each(['agentruns', 'toolruns', 'orchestrations', 'orchestrationruns', 'memories'])(
    'for whoever may not use %s',
    async (plural) => {
      const rules =
        plural === 'memories'
          ? [
              {
                apiGroups: groups,
                resources: kinds.map((kind) => kind.plural).filter((each) => each !== plural),
                verbs: ['*'],
              },
            ]
          : allBut(plural)
      const token = await account(api.admin, 'red', `no-${plural}`, rules)
      for (const memoryName of [undefined, 'notes']) {
        const given = { namespace: 'red', key: 'a', ...(memoryName && { memory: memoryName }) }
        expect(await refusal(token, 'recall', given)).toMatch(/^Forbidden: /)
      }
    },
  )
})

test('any text is given to the store as it is', () => {
  const part = fc.constantFrom('{', '}', '{{', '}}', '"', ' ', 'x', 'parameters.a', "'")
  fc.assert(
    fc.property(fc.array(part, { maxLength: 30 }), (parts) => {
      const text = parts.join('')
      expect(renderTemplate(literally(text), {})).toMatchObject({ text })
    }),
  )
})

async function refusal(token: string, tool: string, given: object): Promise<string> {
  const count = async () =>
    (
      await Promise.all(
        [graphKind, graphRunKind].flatMap((kind) => [listed(kind), listed(kind, 'blue')]),
      )
    ).flat().length
  const before = await count()
  const { isError, text } = await call(token, tool, given)
  expect([isError, await count()]).toEqual([true, before])
  return text
}

async function fetchOnce(body: string, signal: AbortSignal): Promise<void> {
  const { request } = await import('node:https')
  await new Promise<void>((resolve) => {
    const sent = request({
      ...{ host: '127.0.0.1', port: api.port, path: '/mcp', method: 'POST', signal },
      ...{ ca: api.caCertificate, servername: 'localhost', agent: false },
      headers: { authorization: `Bearer ${operator}`, 'content-type': 'application/json' },
    })
    sent.on('error', () => resolve())
    sent.on('response', (response) => response.resume().on('close', resolve))
    sent.end(body)
  })
}
