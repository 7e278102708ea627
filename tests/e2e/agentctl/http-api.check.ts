import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { toolPath } from '@agents/chart-tools'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  type LocalPlatform,
  repository,
  startPlatform,
  startProgram,
} from '../../support/agentctl/local-platform.ts'

let platform: LocalPlatform

beforeAll(async () => {
  platform = await startPlatform('--http-port', '0')
  mkdirSync(tools())
  symlinkSync(await toolPath('kubectl', '1.36'), join(tools(), 'kubectl'))
})
afterAll(() => platform?.remove())

function tools(): string {
  return join(platform.stateDir, 'tools')
}

function address(): string {
  const [, found = ''] =
    /^The API (?:is|and the console are) at (https:\/\/127\.0\.0\.1:\d+)$/m.exec(
      platform.up().stderr(),
    ) ?? []
  return found
}

/** The shell blocks of the page. */
function examples(): readonly string[] {
  const page = readFileSync(join(repository, 'docs/control-plane.md'), 'utf8')
  return [...page.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, text = '']) => text)
}

function shell(script: string) {
  const path = `${tools()}:/usr/local/bin:/usr/bin:/bin`
  const environment = { KUBECONFIG: platform.kubeconfig, API: address(), PATH: path }
  return startProgram('bash', ['-euc', script], environment, platform.stateDir).finished
}

test('the examples of the page work as they stand', async () => {
  const [read = '', start = ''] = examples()
  const mayStart = `kubectl create role starter --verb create,get --resource agentruns.agents.proompteng.ai
    kubectl create rolebinding starter --role starter --serviceaccount agents:reader`
  const script = `${read}\n${mayStart}\n${start}\n${start}\ncurl --silent --output /dev/null --write-out '%{http_code}\\n' --cacert ca.crt $API/v1/runs`
  const { code, stdout, stderr } = await shell(script)
  expect(stderr).not.toContain('curl: (')
  expect(code).toBe(0)
  const replies = stdout.split('\n').filter((line) => line.startsWith('{'))
  const [list, one, started, again] = replies.map((line) => JSON.parse(line))
  expect(list.items.map((item: { name: string }) => item.name)).toEqual(['first-run'])
  expect(one.run).toMatchObject({ kind: 'AgentRun', name: 'first-run', phase: 'Succeeded' })
  expect(started.run).toMatchObject({ kind: 'AgentRun', of: 'scripted' })
  expect(again.run.uid).toBe(started.run.uid)
  // Without a token.
  expect(stdout).toMatch(/^401$/m)
  expect(readFileSync(join(platform.stateDir, 'platform.log'), 'utf8')).not.toMatch(/eyJ[\w-]{20}/)
})

test('a port that is in use is named, and the last one is used again', async () => {
  const before = address()
  const { port } = new URL(before)
  const other = join(platform.stateDir, 'other')
  const flags = ['--state-dir', other, '--secure-port', '0', '--http-port', port]
  const refused = await platform.agentctl('up', ...flags)
  expect(refused.code).toBe(1)
  expect(refused.stderr).toContain(`port ${port} is already in use`)
  expect(refused.stderr).toContain('--http-port')
  const up = platform.up()
  up.child.kill('SIGTERM')
  await up.finished
  await platform.startAgain('--secure-port', '0')
  expect(address()).toBe(before)
})
