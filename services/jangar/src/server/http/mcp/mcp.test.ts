import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { startApiServer } from '@agents/apiserver'
import { customResourceDefinition } from '@agents/crd'
import { agent, agentRun, kinds } from '@agents/jangar-api'
import { CustomResourceDefinitionKind, type KubeObject, kindRef } from '@agents/kube'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Act } from '../../audit/audit-entry.ts'
import type { Audit } from '../../audit/open-audit.ts'
import { loopbackOrigins } from '../browser-request.ts'
import { account, startTestApi } from '../testing/test-api.ts'

const runs = kindRef<KubeObject>(agentRun)
const agents = kindRef<KubeObject>(agent)
const groups = [...new Set(kinds.map(({ group }) => group))]
const reading = [{ apiGroups: groups, resources: ['*'], verbs: ['get', 'list'] }]
const writing = [{ apiGroups: groups, resources: ['*'], verbs: ['*'] }]

let api: Awaited<ReturnType<typeof startTestApi>>
let operator: string
let reader: string
let stranger: string
const acts: Act[] = []
const audit: Audit = {
  record: async (act) => void acts.push(act),
  list: () => Promise.reject(new Error('not in this test')),
  verify: () => Promise.reject(new Error('not in this test')),
  close: () => Promise.resolve(),
}

beforeAll(async () => {
  api = await startTestApi(startApiServer, { browsers: { origins: loopbackOrigins }, audit })
  // The official client has no setting for a certificate authority.
  setDefaultCACertificates([...getCACertificates('default'), api.caCertificate])
  for (const kind of kinds.filter((each) => ['Agent', 'SignalDelivery'].includes(each.kind))) {
    await api.admin.create(CustomResourceDefinitionKind, customResourceDefinition(kind))
  }
  operator = await account(api.admin, 'red', 'operator', writing)
  reader = await account(api.admin, 'red', 'reader', reading)
  stranger = await account(api.admin, 'blue', 'operator', writing)
  await api.admin.create(agents, {
    ...{ apiVersion: `${agents.group}/${agents.version}`, kind: agents.kind },
    metadata: { namespace: 'red', name: 'writer' },
    spec: { providerRef: { name: 'scripted' } },
  } as KubeObject)
}, 120_000)

afterAll(async () => {
  await api?.stop()
})

async function connect(token: string) {
  const client = new Client({ name: 'test', version: '1.0.0' })
  const transport = new StreamableHTTPClientTransport(new URL(`${api.url}/mcp`), {
    requestInit: { headers: { authorization: `Bearer ${token}` } },
  })
  await client.connect(transport as Transport)
  const call = async (name: string, given: Record<string, unknown> = {}) => {
    const result = await client.callTool({ name, arguments: given })
    const [{ text }] = result.content as [{ text: string }]
    return { isError: result.isError === true, text }
  }
  /** What a tool returns that is allowed. */
  // biome-ignore lint/suspicious/noExplicitAny: results of all tools.
  const result = async (name: string, given: Record<string, unknown> = {}): Promise<any> => {
    const { isError, text } = await call(name, given)
    expect({ isError, text }).toEqual({ isError: false, text })
    return JSON.parse(text)
  }
  return { client, call, result }
}

const one = { namespace: 'red', name: 'one' }

describe('the official client', () => {
  test('finds the tools with their schemas', async () => {
    const { client } = await connect(reader)
    expect(client.getServerVersion()).toMatchObject({ name: 'agents', version: '1.2.3' })
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual([
      ...['list_agents', 'list_runs', 'search_runs', 'start_run', 'get_run', 'wait_run'],
      ...['explain_run', 'read_logs', 'cancel_run', 'send_signal', 'remember', 'recall'],
    ])
    for (const { inputSchema, description, annotations } of tools) {
      expect(inputSchema).toMatchObject({ type: 'object', additionalProperties: false })
      expect(description?.length).toBeGreaterThan(20)
      expect(annotations?.readOnlyHint).toBeTypeOf('boolean')
    }
    await client.close()
  })

  test('starts, finds, waits for, explains and cancels a run', async () => {
    const { result, client } = await connect(operator)
    expect(await result('list_agents', { namespace: 'red' })).toEqual({
      agents: [{ name: 'writer', provider: 'scripted', ready: false }],
    })
    const started = await result('start_run', { ...one, agent: 'writer', text: 'Greet' })
    expect(started).toMatchObject({ kind: 'AgentRun', namespace: 'red', name: 'one', of: 'writer' })
    const { spec } = (await api.admin.get(runs, one)) as { spec?: { implementation?: object } }
    expect(spec?.implementation).toMatchObject({ inline: { text: 'Greet' } })
    expect((await result('get_run', one)).uid).toBe(started.uid)
    const waited = await result('wait_run', { ...one, timeoutSeconds: 0 })
    expect(waited).toMatchObject({ finished: false, name: 'one' })
    await setStatus()
    expect(await result('wait_run', { ...one, timeoutSeconds: 30 })).toMatchObject({
      ...{ finished: true, phase: 'Failed', message: 'the agent gave up' },
    })
    const explained = await result('explain_run', one)
    expect(explained.conditions.map(({ type }: { type: string }) => type)).toEqual([
      'Finished',
      'Succeeded',
    ])
    expect(explained.notTrue).toEqual(['Succeeded: the agent gave up'])
    await result('start_run', { ...one, name: 'two', agent: 'writer', text: 'Greet' })
    await result('cancel_run', { ...one, name: 'two' })
    const cancelled = await api.admin.get(runs, { namespace: 'red', name: 'two' })
    expect((cancelled as { spec?: { cancel?: boolean } }).spec?.cancel).toBe(true)
    const key = { namespace: 'red', agent: 'writer', text: 'Greet', idempotencyKey: 'k1' }
    const [first, again] = [await result('start_run', key), await result('start_run', key)]
    expect(again.uid).toBe(first.uid)
    const signal = await result('send_signal', { namespace: 'red', name: 'released', payload: 1 })
    expect(signal.delivery).toMatch(/^released-/)
    await client.close()
  })

  test('gets what its token may do, and no more', async () => {
    const own = await connect(operator)
    await own.result('start_run', {
      namespace: 'red',
      name: 'own',
      agent: 'writer',
      text: 'secret',
    })
    const run = { namespace: 'red', name: 'own' }
    const other = await connect(stranger)
    for (const [tool, given] of [
      ['get_run', run],
      ['wait_run', run],
      ['explain_run', run],
      ['read_logs', run],
      ['cancel_run', run],
      ['start_run', { namespace: 'red', agent: 'writer', text: 'x' }],
      ['list_agents', { namespace: 'red' }],
      ['list_runs', { namespace: 'red' }],
      ['search_runs', { namespace: 'red', text: 'secret' }],
      ['search_runs', { namespace: 'red', repository: 'org/shop', source: 'cluster' }],
      ['send_signal', { namespace: 'red', name: 'released' }],
    ] as const) {
      const { isError, text } = await other.call(tool, given)
      expect([tool, isError, text.split(':')[0]]).toEqual([tool, true, 'Forbidden'])
      expect(text).not.toContain('secret')
    }
    expect(await other.result('list_runs')).toEqual({ items: [] })
    for (const given of [
      {},
      { text: 'secret' },
      { labels: ['team'] },
      { repository: 'org/shop' },
    ]) {
      expect(await other.result('search_runs', given)).toEqual({ items: [] })
    }
    const watching = await connect(reader)
    expect((await watching.result('get_run', run)).name).toBe('own')
    expect((await watching.call('cancel_run', run)).text).toMatch(/^Forbidden: /)
    expect(await watching.call('read_logs', run)).toMatchObject({ isError: true })
    for (const { client } of [own, other, watching]) await client.close()
  })

  test('reads runs and agents as resources, as far as its token may', async () => {
    const own = await connect(operator)
    const run = { namespace: 'red', name: 'shown', agent: 'writer', text: 'confidential' }
    await own.result('start_run', run)
    const uri = 'agents://runs/red/AgentRun/shown'
    const agentUri = 'agents://agents/red/writer'
    const listed = async (client: Client) =>
      (await client.listResources()).resources.map((each) => each.uri)
    await expect.poll(() => listed(own.client)).toContain(uri)
    const { resourceTemplates } = await own.client.listResourceTemplates()
    expect(resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
      'agents://runs/{namespace}/{kind}/{name}',
      'agents://agents/{namespace}/{name}',
    ])
    const watching = await connect(reader)
    expect(await listed(watching.client)).toContain(uri)
    for (const [address, kind, name] of [
      [uri, 'AgentRun', 'shown'],
      [agentUri, 'Agent', 'writer'],
    ] as const) {
      const { contents } = await watching.client.readResource({ uri: address })
      const [{ text = '', mimeType } = {}] = contents as { text?: string; mimeType?: string }[]
      const read = JSON.parse(text)
      expect(mimeType).toBe('application/json')
      expect(read.resource ?? read).toMatchObject({ kind, metadata: { namespace: 'red', name } })
    }
    const other = await connect(stranger)
    expect(await listed(other.client)).toEqual([])
    for (const address of [uri, agentUri]) {
      const refused = await other.client.readResource({ uri: address }).catch(String)
      expect(refused).toContain('Forbidden: ')
      expect(refused).not.toContain('confidential')
    }
    for (const { client } of [own, watching, other]) await client.close()
  })

  test.each([
    { because: 'a run that is missing', uri: 'agents://runs/red/AgentRun/none', code: -32_002 },
    { because: 'another kind', uri: 'agents://runs/red/Secret/one', code: -32_600 },
    { because: 'another scheme', uri: 'file:///etc/passwd', code: -32_002 },
    { because: 'a name that leaves its place', uri: 'agents://agents/red/..', code: -32_600 },
    { because: 'an escaped slash', uri: 'agents://agents/red/a%2fb', code: -32_600 },
    { because: 'a longer address', uri: 'agents://agents/red/writer/status', code: -32_002 },
  ])('a resource with $because is refused', async ({ uri, code }) => {
    const { client } = await connect(operator)
    // The client adds the code to the message; the server must not do it, too.
    const message = expect.not.stringMatching(/MCP error .*MCP error/)
    await expect(client.readResource({ uri })).rejects.toMatchObject({ code, message })
    await client.close()
  })

  test.each([
    { because: 'an unknown tool', tool: 'delete_all', given: {}, says: 'NotFound' },
    { because: 'a missing name', tool: 'get_run', given: { namespace: 'red' }, says: 'BadRequest' },
    {
      because: 'a name that leaves its place',
      tool: 'get_run',
      given: { namespace: 'red', name: '../../secrets' },
      says: 'BadRequest',
    },
    {
      because: 'a namespace that leaves its place',
      tool: 'list_agents',
      given: { namespace: 'red/secrets?x=' },
      says: 'BadRequest',
    },
    {
      because: 'an unknown field',
      tool: 'start_run',
      given: { namespace: 'red', agent: 'writer', text: 'x', spec: {} },
      says: 'BadRequest',
    },
    {
      because: 'what the route behind it does not take',
      tool: 'list_runs',
      given: { phase: 'Run\u0000ning' },
      says: 'BadRequest',
    },
    {
      because: 'an invalid time',
      tool: 'search_runs',
      given: { since: 'yesterday' },
      says: 'BadRequest',
    },
    {
      because: 'a filter that is unknown',
      tool: 'search_runs',
      given: { owner: 'x' },
      says: 'BadRequest',
    },
    { because: 'a wait without end', tool: 'wait_run', given: { ...one, timeoutSeconds: 3600 } },
    { because: 'a run that is missing', tool: 'get_run', given: { ...one, name: 'none' } },
  ])('$because is an error that a model can read', async ({ tool, given, says }) => {
    const { call, client } = await connect(operator)
    const { isError, text } = await call(tool, given)
    expect(isError).toBe(true)
    expect(text).toMatch(new RegExp(`^${says ?? '(BadRequest|NotFound)'}: `))
    await client.close()
  })
})

describe('strangers', () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' })
  const ask = (headers: Readonly<Record<string, string>>, token?: string, text = body) =>
    api.ask('/mcp', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: text,
      ...(token !== undefined && { token }),
    })

  test.each([
    { because: 'no token', sent: {}, token: undefined, status: 401 },
    { because: 'a wrong token', sent: {}, token: 'wrong', status: 401 },
  ])('$because: $status', async ({ sent, token, status }) => {
    expect((await ask(sent, token)).status).toBe(status)
  })

  test.each([
    { because: 'another site', sent: { origin: 'https://evil.example' } },
    { because: 'a sandboxed page', sent: { origin: 'null' } },
    { because: 'a name that leads here by DNS', sent: { host: 'evil.example' } },
    {
      because: 'such a name with its origin',
      sent: { host: 'evil.example', origin: 'https://evil.example' },
    },
  ])('a page of $because is refused, with a token too', async ({ sent }) => {
    expect((await ask(sent as unknown as Record<string, string>, operator)).status).toBe(403)
  })

  test('its own page and programs are served', async () => {
    expect((await ask({}, operator)).json.result.tools).toHaveLength(12)
    expect((await ask({ origin: api.url }, operator)).status).toBe(200)
  })

  test('every page is a stranger where no browsers are served', async () => {
    const plain = await api.beside()
    try {
      const headers = { 'content-type': 'application/json', origin: plain.url }
      const reply = await plain.ask('/mcp', {
        ...{ method: 'POST', token: plain.adminToken, headers, body },
      })
      expect(reply.status).toBe(403)
    } finally {
      await plain.stop()
    }
  })

  test.each([
    { because: 'not a message', text: '{"jsonrpc":"2.0"}', status: 400 },
    { because: 'another protocol', text: '{"jsonrpc":"1.0"}', status: 400 },
    { because: 'a list', text: '[]', status: 400 },
    { because: 'not JSON', text: '{', status: 400 },
    { because: 'a notification', text: '{"jsonrpc":"2.0","method":"x/y"}', status: 202 },
  ])('$because: $status', async ({ text, status }) => {
    expect((await ask({}, operator, text)).status).toBe(status)
  })

  test('an unknown version of the protocol is refused, and there is no stream', async () => {
    expect((await ask({ 'mcp-protocol-version': '1999-01-01' }, operator)).status).toBe(400)
    for (const method of ['GET', 'DELETE']) {
      expect((await api.ask('/mcp', { method, token: operator })).status).toBe(405)
    }
  })
})

/** As controllers would leave it. */
async function setStatus(): Promise<void> {
  const run = await api.admin.get(runs, one)
  const at = { lastTransitionTime: new Date().toISOString().replace(/\.\d+Z/, 'Z') }
  const conditions = [
    { ...at, type: 'Finished', status: 'True', reason: 'Failed', message: 'over' },
    { ...at, type: 'Succeeded', status: 'False', reason: 'Failed', message: 'the agent gave up' },
  ]
  const status = { phase: 'Failed', conditions }
  await api.admin.update(runs, { ...run, status } as KubeObject, { subresource: 'status' })
}

describe('the audit', () => {
  test.each([
    { tool: 'start_run', action: 'submitRun', given: { agent: 'writer', text: 'x' }, name: null },
    { tool: 'cancel_run', action: 'cancelRun', given: { name: 'none' }, name: 'none' },
    { tool: 'list_runs', action: 'listRuns', given: {}, name: null },
    { tool: 'search_runs', action: 'listRuns', given: { text: 'x' }, name: null },
    { tool: 'remember', action: 'remember', given: { key: 'a', value: 'b' }, name: null },
  ])('has what $tool was refused, beside the message', async ({ tool, action, given, name }) => {
    const { call, client } = await connect(stranger)
    const before = acts.length
    expect(await call(tool, { namespace: 'red', ...given })).toMatchObject({ isError: true })
    await client.close()
    const [behind, message, ...others] = acts.slice(before)
    const actor = 'system:serviceaccount:blue:operator'
    const refused = { actor, action, namespace: 'red', name, outcome: 'denied', code: 403 }
    expect(behind).toMatchObject(refused)
    expect(message).toMatchObject({ actor, action: 'callTools', outcome: 'allowed' })
    // The log takes one entry for an identifier.
    expect(message?.request).not.toBe(behind?.request)
    expect(others).toEqual([])
  })

  test('has what a tool did, and the resource that was read', async () => {
    const { result, client } = await connect(operator)
    const before = acts.length
    const { name } = await result('start_run', { namespace: 'red', agent: 'writer', text: 'x' })
    await client.readResource({ uri: `agents://runs/red/AgentRun/${name}` })
    await client.close()
    const seen = acts.slice(before).map(({ action, outcome }) => `${action} ${outcome}`)
    expect(seen).toEqual([
      ...['submitRun allowed', 'callTools allowed', 'getRun allowed', 'callTools allowed'],
    ])
  })
})
