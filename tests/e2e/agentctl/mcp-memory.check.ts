import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import { toolPath } from '@agents/chart-tools'
import { startPostgres } from '@agents/local-postgres'
import { silentLogger } from '@agents/log'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startProgram } from '../../support/agentctl/local-platform.ts'
import { type UsedPlatform, usePlatform } from '../../support/agentctl/use-shared-platform.ts'

let folder: string
let platform: UsedPlatform
let postgres: Awaited<ReturnType<typeof startPostgres>>
let kubectl: string
let token: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mcp-memory-'))
  kubectl = await toolPath('kubectl', '1.36')
  postgres = await startPostgres({ directory: join(folder, 'database'), log: silentLogger })
  platform = await usePlatform()
  const config = JSON.parse(readFileSync(join(platform.stateDir, 'kubeconfig.json'), 'utf8'))
  token = config.users[0].user.token
  const file = join(import.meta.dirname, '../../../charts/agents/examples/memory-sample.yaml')
  const sample = readFileSync(file, 'utf8')
  const address = 'postgres://agents@127.0.0.1:5432/memory'
  expect(sample).toContain(address)
  const manifest = join(folder, 'memory.yaml')
  writeFileSync(manifest, sample.replace(address, postgres.url), { mode: 0o600 })
  expect(await kube('apply', '-n', 'agents', '-f', manifest)).toMatchObject({ code: 0 })
  const ready = ['wait', '--for=condition=Ready', 'memory/sample', '-n', 'agents']
  expect(await kube(...ready, '--timeout=200s')).toMatchObject({ code: 0 })
})

afterAll(async () => {
  await postgres?.stop()
  rmSync(folder, { recursive: true, force: true })
})

function kube(...args: string[]) {
  return startProgram(kubectl, args, { KUBECONFIG: platform.kubeconfig }).finished
}

async function call(name: string, given: object) {
  const port = Number(readFileSync(join(platform.stateDir, 'http-port'), 'utf8'))
  const ca = readFileSync(join(platform.stateDir, 'cluster/pki/ca.crt'))
  const params = { name, arguments: { namespace: 'agents', ...given } }
  // biome-ignore lint/suspicious/noExplicitAny: a message of the protocol.
  const answer = await new Promise<any>((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const options = { host: '127.0.0.1', port, ca, path: '/mcp', method: 'POST', headers }
    const sent = request(options, (response) => json(response).then(resolve, reject))
    sent.on('error', reject)
    sent.end(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }))
  })
  const { content, isError = false } = answer.result
  return { isError, text: content[0].text as string }
}

async function result(name: string, given: object) {
  const { isError, text } = await call(name, given)
  expect({ isError, text }).toEqual({ isError: false, text })
  return JSON.parse(text)
}

test('what is remembered is recalled, by its key and by its words', async () => {
  const value = 'releases are on {{ parameters.day }}, "quoted", and cost 5 €'
  const put = await result('remember', { key: 'releases', value })
  expect(put).toMatchObject({ key: 'releases' })
  expect(await result('recall', { key: 'releases' })).toMatchObject({ found: true, value })
  expect(await result('recall', { key: 'none' })).toMatchObject({ found: false, value: '' })
  expect(await result('recall', { query: 'quoted', memory: 'sample' })).toMatchObject({
    ...{ count: 1, entries: [{ key: 'releases', value }] },
  })
  const get = ['get', 'orchestration,orchestrationrun', '-n', 'agents', '-o', 'json']
  const { items } = JSON.parse((await kube(...get)).stdout)
  const own = items.filter(({ metadata }: { metadata: { name: string } }) =>
    /^(remember|recall)-/.test(metadata.name),
  )
  expect(own).toHaveLength(8)
  expect(JSON.stringify(own)).not.toContain(new URL(postgres.url).password)
  // As its end of life would.
  const remove = ['delete', 'orchestrationrun', '-n', 'agents', put.run]
  expect(await kube(...remove)).toMatchObject({ code: 0 })
  const gone = ['wait', '--for=delete', `orchestration/${put.run}`, '-n', 'agents']
  expect(await kube(...gone, '--timeout=200s')).toMatchObject({ code: 0 })
})

test('a store that does not answer ends the call, and the run', async () => {
  const secret = ['-n', 'agents', '--type', 'merge', '-p']
  await kube(
    'patch',
    'memory',
    'sample',
    ...secret,
    '{"spec":{"connection":{"secretRef":{"name":"none"}}}}',
  )
  const unready = ['wait', '--for=condition=Ready=false', 'memory/sample', '-n', 'agents']
  expect(await kube(...unready, '--timeout=200s')).toMatchObject({ code: 0 })
  const { isError, text } = await call('recall', { key: 'releases', timeoutSeconds: 3 })
  expect([isError, text]).toEqual([true, expect.stringMatching(/^Timeout: /)])
  const [, run = ''] = /run (recall-[0-9a-f]+)/.exec(text) ?? []
  const ended = ['wait', '--for=condition=Finished', `orchestrationrun/${run}`, '-n', 'agents']
  expect(await kube(...ended, '--timeout=200s')).toMatchObject({ code: 0 })
  const phase = ['get', 'orchestrationrun', run, '-n', 'agents', '-o', 'jsonpath={.status.phase}']
  expect((await kube(...phase)).stdout).toBe('Cancelled')
})
