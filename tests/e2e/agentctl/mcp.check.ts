import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { env } from 'node:process'
import { toolPath } from '@agents/chart-tools'
import { beforeAll, expect, test } from 'vitest'
import { startProgram } from '../../support/agentctl/local-platform.ts'
import { type UsedPlatform, usePlatform } from '../../support/agentctl/use-shared-platform.ts'
import { ensureAgentCli } from '../../support/testbed/agent-clis.ts'

let platform: UsedPlatform
let inspector: string
let kubectl: string
let url: string
let admin: string

beforeAll(async () => {
  inspector = join(await ensureAgentCli('mcp-inspector', env), 'bin/mcp-inspector')
  kubectl = await toolPath('kubectl', '1.36')
  platform = await usePlatform()
  const port = readFileSync(join(platform.stateDir, 'http-port'), 'utf8').trim()
  url = `https://127.0.0.1:${port}/mcp`
  const config = JSON.parse(readFileSync(join(platform.stateDir, 'kubeconfig.json'), 'utf8'))
  admin = config.users[0].user.token
})

async function inspect(token: string, ...args: string[]) {
  const environment = {
    NODE_EXTRA_CA_CERTS: join(platform.stateDir, 'cluster/pki/ca.crt'),
    HOME: platform.stateDir,
  }
  const header = ['--transport', 'http', '--header', `Authorization: Bearer ${token}`]
  const { code, stdout, stderr } = await startProgram(
    inspector,
    ['--cli', url, ...args, ...header],
    environment,
  ).finished
  expect(stderr).not.toContain('TypeError')
  return { code, stdout, stderr }
}

/** The text of a tool's result. */
async function call(token: string, tool: string, given: Readonly<Record<string, unknown>>) {
  const values = Object.entries(given).flatMap(([name, value]) => [
    '--tool-arg',
    `${name}=${value}`,
  ])
  const named = ['--method', 'tools/call', '--tool-name', tool]
  const { stdout } = await inspect(token, ...named, ...values)
  const { content, isError = false } = JSON.parse(stdout)
  return { isError, text: content[0].text as string }
}

test('the inspector lists the tools and has no remark about their schemas', async () => {
  const { code, stdout } = await inspect(admin, '--method', 'tools/list', '--strict')
  expect(code).toBe(0)
  const names = JSON.parse(stdout).tools.map(({ name }: { name: string }) => name)
  expect(names).toContain('start_run')
  expect(names).toHaveLength(12)
})

test('a run is started, waited for, explained and its output read', async () => {
  const task = { namespace: 'agents', name: 'by-tool', agent: 'scripted', text: 'Greet' }
  expect((await call(admin, 'start_run', task)).isError).toBe(false)
  const run = { namespace: 'agents', name: 'by-tool' }
  const waited = JSON.parse((await call(admin, 'wait_run', { ...run, timeoutSeconds: 50 })).text)
  expect(waited).toMatchObject({ finished: true, phase: 'Succeeded' })
  const explained = JSON.parse((await call(admin, 'explain_run', run)).text)
  expect(explained.conditions.length).toBeGreaterThan(2)
  expect((await call(admin, 'read_logs', run)).text).toContain('commit')
})

test('a run that hangs is cancelled', async () => {
  const run = { namespace: 'agents', name: 'hanging' }
  const parameters = JSON.stringify({ scriptedMode: 'hang' })
  await call(admin, 'start_run', { ...run, agent: 'scripted', text: 'Hang', parameters })
  expect((await call(admin, 'cancel_run', run)).isError).toBe(false)
  const waited = JSON.parse((await call(admin, 'wait_run', { ...run, timeoutSeconds: 50 })).text)
  expect(waited).toMatchObject({ finished: true, phase: 'Cancelled' })
})

test("a tenant's token does not reach the runs of others", async () => {
  const kube = (...args: string[]) =>
    startProgram(kubectl, args, { KUBECONFIG: platform.kubeconfig }).finished
  await kube('create', 'namespace', 'tenant')
  await kube('create', 'serviceaccount', 'tenant', '-n', 'tenant')
  const bind = ['create', 'rolebinding', 'tenant', '-n', 'tenant', '--clusterrole', 'cluster-admin']
  await kube(...bind, '--serviceaccount', 'tenant:tenant')
  const { stdout } = await kube('create', 'token', 'tenant', '-n', 'tenant')
  const token = stdout.trim()
  const run = { namespace: 'agents', name: 'by-tool' }
  for (const tool of ['get_run', 'explain_run', 'read_logs', 'cancel_run']) {
    const { isError, text } = await call(token, tool, run)
    expect([tool, isError]).toEqual([tool, true])
    expect(text).toMatch(/^Forbidden: /)
  }
  for (const tool of ['list_runs', 'search_runs']) {
    expect(JSON.parse((await call(token, tool, {})).text).items).toEqual([])
  }
  const log = readFileSync(join(platform.stateDir, 'platform.log'), 'utf8')
  expect(log).not.toContain(token)
})
