import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKubeClient, EventKind, type KubeClient, SecretKind } from '@agents/kube'
import { startPostgres } from '@agents/local-postgres'
import { silentLogger } from '@agents/log'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { account } from '../../../services/jangar/src/server/http/testing/test-api.ts'
import {
  type LocalPlatform,
  repository,
  startPlatform,
} from '../../support/agentctl/local-platform.ts'
import { connectionTo } from '../../support/testbed/server.ts'
import { type CurlReply, curl, curlStream } from './curl.ts'
import { insaneRows } from './insane-rows.ts'

const plane = '/api/agents/control-plane'
/** Generous, for slow machines. */
const pollOptions = { timeout: 120_000, interval: 500 }
const work = { implementation: { text: 'Greet' }, runtime: { type: 'job' } }
const newRun = { namespace: 'agents', agentRef: { name: 'scripted' }, ...work }

let folder: string
let platform: LocalPlatform
let postgres: Awaited<ReturnType<typeof startPostgres>>
let admin: KubeClient
let token: string
let reader: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'predecessor-'))
  postgres = await startPostgres({ directory: join(folder, 'database'), log: silentLogger })
  platform = await startPlatform('--http-port', '0')
  const config = JSON.parse(readFileSync(join(platform.stateDir, 'kubeconfig.json'), 'utf8'))
  token = config.users[0].user.token
  const ca = readFileSync(caFile(), 'utf8')
  admin = createKubeClient(connectionTo(config.clusters[0].cluster.server, ca, token))
  reader = await account(admin, 'agents', 'reader', [
    { apiGroups: ['agents.proompteng.ai'], resources: ['*'], verbs: ['get', 'list'] },
  ])
  await admin.create(SecretKind, {
    ...{ apiVersion: 'v1', kind: 'Secret' },
    metadata: { namespace: 'agents', name: 'store' },
    stringData: { url: postgres.url },
  } as never)
})

afterAll(async () => {
  admin?.close()
  await platform?.remove()
  await postgres?.stop()
  rmSync(folder, { recursive: true, force: true })
})

function caFile(): string {
  return join(platform.stateDir, 'cluster/pki/ca.crt')
}

function ask(path: string, ...args: string[]): Promise<CurlReply> {
  return askAs(token, path, ...args)
}

/** As `curl` with these arguments does; the first is the path. */
function askAs(bearer: string | undefined, path: string, ...args: string[]): Promise<CurlReply> {
  return curl(targetOf(bearer, path), args)
}

function targetOf(bearer: string | undefined, path: string) {
  const port = readFileSync(join(platform.stateDir, 'http-port'), 'utf8').trim()
  return { ca: caFile(), url: `https://127.0.0.1:${port}${path}`, bearer }
}

function post(path: string, body: object, key?: string): Promise<CurlReply> {
  const keyed = key === undefined ? [] : ['--header', `Idempotency-Key: ${key}`]
  return ask(path, ...keyed, '--json', JSON.stringify(body))
}

/** An event of the run, as controllers would report it. */
async function note(name: string, uid: string, reason: string): Promise<void> {
  const at = reason === 'First' ? '2099-01-01T00:00:00Z' : '2099-01-02T00:00:00Z'
  await admin.create(EventKind, {
    ...{ apiVersion: 'v1', kind: 'Event', type: 'Normal', reason, message: 'seen', count: 1 },
    metadata: { namespace: 'agents', name: `${name}.${reason.toLowerCase()}` },
    involvedObject: {
      ...{ apiVersion: 'agents.proompteng.ai/v1alpha1', kind: 'AgentRun' },
      ...{ namespace: 'agents', name, uid },
    },
    ...{ firstTimestamp: at, lastTimestamp: at },
  } as never)
}

describe('what was sane', () => {
  test('a run: started, listed, got by its id, read, and deleted', async () => {
    const started = await post('/v1/agent-runs', newRun, 'greeting')
    expect(started.status).toBe(201)
    const { agentRun } = started.json
    expect(started.json).toMatchObject({ ok: true, resource: { kind: 'AgentRun' } })
    expect(agentRun).toMatchObject({ agentName: 'scripted', namespace: 'agents' })
    const again = await post('/v1/agent-runs', newRun, 'greeting')
    expect([again.status, again.json.agentRun.id]).toEqual([200, agentRun.id])
    const byId = async () => (await ask(`/v1/agent-runs/${agentRun.id}`)).json.agentRun?.status
    await expect.poll(byId, pollOptions).toBe('Succeeded')
    const listed = await ask('/v1/agent-runs?agentId=scripted')
    const ids = listed.json.agentRuns.map(({ id }: { id: string }) => id)
    expect(ids).toContain(agentRun.id)
    const any = await ask(`/v1/runs/${agentRun.id}`)
    expect(any.json).toMatchObject({ ok: true, kind: 'agent', run: { id: agentRun.id } })

    const name = agentRun.externalRunId
    const fixed = await ask(`/v1/runs/agents/${name}`)
    expect(fixed.json.run.uid).toBe(agentRun.id)
    const logs = await ask(`${plane}/logs?namespace=agents&name=${name}&tailLines=5000`)
    expect(logs.json).toMatchObject({ ok: true, pod: expect.any(String) })
    expect(logs.json.logs).not.toBe('')
    expect(logs.json.pods[0]).toMatchObject({ name: logs.json.pod, phase: 'Succeeded' })
    expect(logs.json.pods[0].containers).toContainEqual({ name: logs.json.container, type: 'main' })
    const one = `kind=AgentRun&namespace=agents&name=${name}`
    for (const reason of ['First', 'Second']) await note(name, agentRun.id, reason)
    const events = await ask(`${plane}/events?${one}&uid=${agentRun.id}&limit=1`)
    expect(events.json).toMatchObject({ ok: true, items: [{ reason: 'Second', count: 1 }] })
    const otherUid = '6c1f3f0e-5f2b-4c58-9d0e-2f4f2f6c7a11'
    expect((await ask(`${plane}/events?${one}&uid=${otherUid}`)).json.items).toEqual([])

    const resource = await ask(`${plane}/resource?${one}`)
    expect(resource.json).toMatchObject({ ok: true, resource: { metadata: { name } } })
    const deleted = await ask(`${plane}/resource?${one}`, '--request', 'DELETE')
    expect([deleted.status, deleted.json]).toEqual([200, { ok: true }])
    await expect
      .poll(async () => (await ask(`${plane}/resource?${one}`)).status, pollOptions)
      .toBe(404)
    // Now it comes from the archive.
    const kept = async () => (await ask(`/v1/agent-runs/${agentRun.id}`)).json.agentRun
    await expect.poll(kept, pollOptions).toMatchObject({ archived: true, status: 'Succeeded' })
  })

  test('agents, orchestrations and their runs, and ImplementationSpecs', async () => {
    const agent = {
      name: 'painter',
      namespace: 'agents',
      spec: { providerRef: { name: 'scripted' } },
    }
    expect((await post('/v1/agents', agent)).json).toMatchObject({
      ...{ ok: true, agent: { kind: 'Agent', metadata: { name: 'painter' } } },
    })
    expect((await post('/v1/agents', agent)).status).toBe(200)
    const got = await ask('/v1/agents/painter?namespace=agents')
    expect(got.json.agent.spec.providerRef).toEqual({ name: 'scripted' })

    const step = {
      ...{
        name: 'greet',
        kind: 'AgentRun',
        agentRef: { name: 'scripted' },
        runtime: { type: 'job' },
      },
      implementation: { inline: { text: 'Greet' } },
    }
    const graph = { name: 'greeting', namespace: 'agents', spec: { steps: [step] } }
    expect((await post('/v1/orchestrations', graph)).json).toMatchObject({
      ...{ ok: true, orchestration: { kind: 'Orchestration' } },
    })
    const shown = await ask('/v1/orchestrations/greeting?namespace=agents')
    expect(shown.json.orchestration.spec.steps).toHaveLength(1)
    const request = { namespace: 'agents', orchestrationRef: { name: 'greeting' } }
    const started = await post('/v1/orchestration-runs', request, 'greeting')
    expect([started.status, started.json.ok]).toEqual([201, true])
    const { id } = started.json.orchestrationRun
    const status = async () =>
      (await ask(`/v1/orchestration-runs/${id}`)).json.orchestrationRun?.status
    await expect.poll(status, pollOptions).toBe('Succeeded')
    const all = await ask('/v1/orchestration-runs?orchestrationName=greeting&namespace=agents')
    expect(all.json.orchestrationRuns).toMatchObject([{ id, orchestrationName: 'greeting' }])

    const spec = { name: 'plan', namespace: 'agents', spec: { text: 'Plan' } }
    const applied = await post(`${plane}/resource`, spec)
    expect(applied.json).toMatchObject({ ok: true, resource: { kind: 'ImplementationSpec' } })
    const listed = await ask(`${plane}/resources?kind=ImplementationSpec&namespace=agents`)
    expect(listed.json).toMatchObject({ ok: true, total: 1, truncated: false })
    expect(listed.json.items[0]).toMatchObject({ spec: { text: 'Plan' } })
  })

  test('memories without their secrets, and a search in them as the caller', async () => {
    const connection = { secretRef: { name: 'store', key: 'url' } }
    const memory = { name: 'notes', namespace: 'agents', spec: { type: 'postgres', connection } }
    const applied = await post('/v1/memories', memory)
    expect(applied.json).toMatchObject({ ok: true, memory: { kind: 'Memory' } })
    const isReady = async () => {
      const { json } = await ask('/v1/memories/notes?namespace=agents')
      return json.memory.status?.conditions?.find(({ type }: { type: string }) => type === 'Ready')
    }
    await expect.poll(isReady, pollOptions).toMatchObject({ status: 'True' })
    const params = {
      name: 'remember',
      arguments: { namespace: 'agents', memory: 'notes', key: 'day', value: 'releases on Monday' },
    }
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    const stored = await post('/mcp', message)
    expect(stored.json.result.isError ?? false).toBe(false)
    const query = { memoryRef: 'agents/notes', query: 'releases' }
    const found = await post('/v1/memory-queries', query)
    expect(found.json).toMatchObject({
      ...{ ok: true, count: 1, omitted: 0, run: expect.stringMatching(/^recall-/) },
      results: [{ key: 'day', value: 'releases on Monday' }],
    })
    const refused = await askAs(reader, '/v1/memory-queries', '--json', JSON.stringify(query))
    expect(refused.status).toBe(403)
    const shown = await ask('/v1/memories/notes?namespace=agents')
    for (const { text } of [applied, shown, found]) expect(text).not.toContain(postgres.url)
  })

  test('the status tells the truth, and the summary what there is', async () => {
    const status = await ask(`${plane}/status?namespace=agents`)
    expect(status.json).toMatchObject({
      ...{
        ok: true,
        service: 'agents-control-plane',
        grpc: { enabled: false, status: 'disabled' },
      },
      generated_at: expect.stringMatching(/Z$/),
      controllers: [
        {
          name: 'agents-controller',
          enabled: true,
          started: true,
          crds_ready: true,
          status: 'healthy',
        },
      ],
      database: { configured: true, connected: true, status: 'healthy' },
      namespaces: [{ namespace: 'agents', status: 'healthy', degraded_components: [] }],
    })
    const names = status.json.runtime_adapters.map(({ name }: { name: string }) => name)
    expect(names).toEqual(['workflow', 'job', 'temporal', 'custom'])
    const summary = await ask(`${plane}/summary?namespace=agents`)
    expect(summary.json).toMatchObject({ ok: true, namespace: 'agents' })
    expect(summary.json.counts.Agent).toBeGreaterThan(0)
    expect(summary.json.phases.AgentRun.Succeeded).toBeGreaterThan(0)
    const narrow = await askAs(reader, `${plane}/summary?namespace=agents`)
    expect(narrow.json.counts.Agent).toBe(summary.json.counts.Agent)
    expect(Object.keys(narrow.json.counts)).not.toContain('Orchestration')
  })

  test('the stream has the changes of runs and the status', async () => {
    const stream = curlStream(targetOf(token, `${plane}/stream?namespace=agents`))
    onTestFinished(stream.stop)
    const sent = () =>
      // Only what has come whole.
      [...stream.text().matchAll(/^data: (.*)\r?\n/gm)].map(([, data = '']) => JSON.parse(data))
    await expect.poll(sent, pollOptions).not.toHaveLength(0)
    expect(sent()[0]).toMatchObject({
      ...{ type: 'status', namespace: 'agents', status: { service: 'agents-control-plane' } },
    })
    const { json } = await post('/v1/agent-runs', newRun, 'streamed')
    const name = json.agentRun.externalRunId
    const own = () => sent().filter((each) => each.name === name)
    const actions = () => own().map(({ action }) => action)
    await expect.poll(actions, pollOptions).toContain('MODIFIED')
    expect(own()[0]).toMatchObject({
      ...{ type: 'resource', kind: 'AgentRun', namespace: 'agents', action: 'ADDED' },
      resource: { apiVersion: 'agents.proompteng.ai/v1alpha1', metadata: { name } },
    })
  })
})

describe('what was not sane', () => {
  beforeAll(async () => {
    expect((await post('/v1/agent-runs', newRun, 'taken')).status).toBe(201)
  })

  test.each(insaneRows)('$because', async (row) => {
    const bearer = { admin: token, reader, nobody: undefined }[row.as ?? 'admin']
    const reply = await askAs(bearer, row.path, ...(row.args ?? []))
    expect([reply.status, reply.json]).toEqual([
      row.status,
      { ok: false, code: expect.any(String), error: expect.stringMatching(row.error) },
    ])
    if (row.allow !== undefined) expect(reply.headers).toMatch(`allow: ${row.allow}`)
  })

  test('the page has a row for each of them', () => {
    const page = readFileSync(join(repository, 'docs/migrate.md'), 'utf8')
    const [, section = ''] = page.split('## The REST API')
    for (const { because } of insaneRows) expect(section).toContain(`| ${because} |`)
  })

  test('nothing of it has deleted anything', async () => {
    expect((await ask('/v1/agents/scripted?namespace=agents')).status).toBe(200)
  })
})
