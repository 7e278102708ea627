import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LocalPlatform, startPlatformIn } from '../../support/agentctl/local-platform.ts'
import { runTool } from '../../support/tools/run-tool.ts'
import { type SpanReceiver, startSpanReceiver } from '../tracing/span-receiver.ts'
import { leakSource } from './marked-work.ts'
import { filesGivingAway, markersIn, newMarker } from './marker-secrets.ts'

/** A value that exists only in a Secret. */
const marker = newMarker('agent')

function found(text: string): string[] {
  return markersIn([marker], text)
}

let platform: LocalPlatform
let receiver: SpanReceiver
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agents-marker-sweep-'))
  await chmod(folder, 0o755)
  await mkdir(join(folder, 'temporary'))
  await writeFile(join(folder, 'leak.mjs'), leakSource)
  receiver = await startSpanReceiver()
  platform = await startPlatformIn({
    TMPDIR: join(folder, 'temporary'),
    OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  })
}, 300_000)
afterAll(async () => {
  await platform?.remove()
  await receiver?.stop()
  await rm(folder, { recursive: true, force: true })
}, 120_000)

function kubectl(...args: string[]) {
  return runTool(['kubectl', '1.36'], args, { kubeconfig: platform.kubeconfig, timeoutMs: 120_000 })
}

const apiVersion = 'agents.proompteng.ai/v1alpha1'

function run(name: string, agent: string, more: object) {
  return {
    ...{ apiVersion, kind: 'AgentRun', metadata: { name, namespace: 'agents' } },
    spec: {
      ...{ agentRef: { name: agent }, secrets: ['marked'], runtime: { type: 'job' } },
      implementation: { inline: { text: 'Work.' } },
      ...more,
    },
  }
}

function provider(name: string, binary: string, argsTemplate: readonly string[]) {
  return [
    {
      ...{ apiVersion, kind: 'AgentProvider', metadata: { name, namespace: 'agents' } },
      spec: { binary, argsTemplate },
    },
    {
      ...{ apiVersion, kind: 'Agent', metadata: { name, namespace: 'agents' } },
      spec: { providerRef: { name } },
    },
  ]
}

test('a Secret that a program prints reaches nothing but the log of its own container', async () => {
  const leak = [join(folder, 'leak.mjs'), '3']
  const objects = [
    {
      ...{ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'marked', namespace: 'agents' } },
      stringData: { MARKED_TOKEN: marker.value },
    },
    ...provider('leaky', process.execPath, leak),
    ...provider('leaky-runner', 'agent-runner', ['--', process.execPath, ...leak]),
    run('bare-and-failing', 'leaky', {}),
    run('leaky-with-runner', 'leaky-runner', {}),
    run('with-runner', 'scripted', { parameters: { scriptedMode: 'succeed' } }),
    run('with-runner-failing', 'scripted', { parameters: { scriptedMode: 'fail' } }),
  ]
  const file = join(platform.stateDir, '..', `marked-${process.pid}.yaml`)
  await writeFile(file, objects.map((object) => JSON.stringify(object)).join('\n---\n'))
  const created = await kubectl('create', '-f', file)
  expect(created.code, created.stderr).toBe(0)
  await rm(file)
  const names = ['bare-and-failing', 'leaky-with-runner', 'with-runner', 'with-runner-failing']
  for (const name of names) {
    const waited = await kubectl(
      'wait',
      '--for=condition=Finished',
      `agentrun/${name}`,
      '-n',
      'agents',
    )
    expect(waited.code, waited.stderr).toBe(0)
  }
  const logs = await kubectl('logs', 'job/bare-and-failing-job', '-n', 'agents')
  expect(logs.stdout, 'the program has printed it').toContain(marker.value)
  const masked = await kubectl('logs', 'job/leaky-with-runner-job', '-n', 'agents')
  expect(masked.stdout, 'the runner has masked it').toContain('***')
  expect(found(masked.stdout), 'the output of the runner').toEqual([])
  await untilArchived(names)

  const kinds = ['agentruns', 'agents', 'events', 'jobs', 'pods', 'configmaps', 'agentproviders']
  const shown = await kubectl('get', kinds.join(','), '-A', '-o', 'json')
  expect(found(shown.stdout), 'objects of the API').toEqual([])
  const explained = await platform.agentctl('explain', 'run', 'bare-and-failing')
  expect(explained.stdout, 'quotes the output').toContain('***')
  expect(found(explained.stdout + explained.stderr), 'agentctl explain').toEqual([])
  expect(found(JSON.stringify(await archive('select * from run_archive'))), 'archive').toEqual([])
  expect(found(await readFile(join(platform.stateDir, 'platform.log'), 'utf8'))).toEqual([])
  expect(await filesWith(platform.stateDir)).toEqual([])
  expect(await filesGivingAway([marker], join(folder, 'temporary')), 'temporary files').toEqual([])
  await expect.poll(() => receiver.spans.length, { timeout: 60_000 }).toBeGreaterThan(0)
  expect(found(JSON.stringify(receiver.spans)), 'traces').toEqual([])
}, 300_000)

/**
 * Files of the state folder that contain the marker, except the API server's store, which holds the Secret, and the
 * files of the pods.
 */
async function filesWith(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { recursive: true })
  const hits: string[] = []
  for (const entry of entries) {
    const path = join(directory, entry)
    if (/^(cluster|pods|logs|node)(\/|$)/.test(entry)) continue
    const isFile = await stat(path)
      .then((one) => one.isFile())
      .catch(() => false)
    if (isFile && found(await readFile(path, 'latin1')).length > 0) hits.push(entry)
  }
  return hits
}

async function archive(query: string): Promise<unknown[]> {
  const folder = join(platform.stateDir, 'postgres')
  const lock = await readFile(join(folder, 'data', 'postmaster.pid'), 'utf8').catch(() => '')
  const password = await readFile(join(folder, 'password'), 'utf8')
  const login = { host: '127.0.0.1', port: Number(lock.split('\n')[3]), user: 'agents' }
  const client = new Client({ ...login, database: 'agents', password })
  try {
    await client.connect()
    return (await client.query(query)).rows
  } finally {
    await client.end().catch(() => undefined)
  }
}

async function untilArchived(names: readonly string[]): Promise<void> {
  for (;;) {
    const rows = await archive('select name from run_archive').catch(() => [])
    const known = rows.map((row) => (row as { name: string }).name)
    if (names.every((name) => known.includes(name))) return
    await new Promise((resolve) => setTimeout(resolve, 500))
  }
}
