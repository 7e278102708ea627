import { existsSync } from 'node:fs'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import { agentctlPath, startProgram } from '../../support/agentctl/local-platform.ts'
import { type UsedPlatform, usePlatform } from '../../support/agentctl/use-shared-platform.ts'
import { until } from '../../support/testbed/until.ts'

let platform: UsedPlatform

beforeAll(async () => {
  platform = await usePlatform()
  const run = ['run', '--agent', 'scripted', '--text', 'Greet the reader', '--name', 'shown']
  expect(await platform.agentctl(...run)).toMatchObject({ code: 0 })
})

test('the output of a run is shown and downloaded byte for byte when its pods are gone', async () => {
  const { agentctl, stateDir } = platform
  const before = await agentctl('logs', 'shown', '--raw', '--quiet')
  expect(before.stdout).not.toBe('')
  const shown = await agentctl('logs', 'shown')
  const followed = await agentctl('logs', '-f', 'shown', '--quiet')
  expect(
    (await agentctl('delete', 'pods', '-l', 'agents.proompteng.ai/agent-run=shown')).code,
  ).toBe(0)
  await until(async () => /log +\d+ +Ready/.test((await agentctl('artifacts', 'shown')).stdout))
  const kept = await agentctl('logs', 'shown', '--raw')
  expect(kept).toMatchObject({ code: 0, stdout: before.stdout })
  expect(kept.stderr).not.toContain('deleted')
  const last = await agentctl('logs', 'shown', '--raw', '--tail', '1')
  expect(last.stdout).toBe(`${before.stdout.trimEnd().split('\n').at(-1)}\n`)
  expect((await agentctl('logs', 'shown')).stdout).toBe(shown.stdout)
  expect(followed.stdout).not.toBe('')
  expect(await agentctl('logs', '-f', 'shown', '--quiet')).toEqual(followed)
  const out = join(stateDir, 'out')
  const download = () => agentctl('download', 'shown', '--output', out)
  const downloaded = await download()
  expect(downloaded.code).toBe(0)
  expect(downloaded.stdout.split('\n').toSorted()).toEqual(['', 'log', 'transcript.md'])
  expect(await readFile(join(out, 'log'), 'utf8')).toBe(before.stdout)
  expect(await readFile(join(out, 'transcript.md'), 'utf8')).toMatch(/^# Run shown\n.*\n## End\n/s)
  const again = await download()
  expect(again.code).toBe(1)
  expect(again.stderr).toContain('exists already')
  await rm(out, { recursive: true })
  const other = await agentctl('download', 'shown', '--file', 'none', '--output', out)
  expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('no such artifacts') })
})

test('the HTTP API of another machine is asked where it is named', async () => {
  const { stateDir, kubeconfig, agentctl } = platform
  const elsewhere = join(stateDir, 'elsewhere')
  await mkdir(elsewhere)
  const remotely = (...args: string[]) =>
    startProgram(process.execPath, [agentctlPath, ...args, '--kubeconfig', kubeconfig], {
      AGENTCTL_STATE_DIR: elsewhere,
    }).finished
  const here = await agentctl('logs', 'shown', '--raw', '--quiet')
  expect(here.stdout).not.toBe('')
  const unknown = await remotely('logs', 'shown', '--raw')
  expect(unknown).toMatchObject({ stdout: '', stderr: expect.stringContaining('pods are deleted') })
  const port = (await readFile(join(stateDir, 'http-port'), 'utf8')).trim()
  const ca = join(elsewhere, 'ca.crt')
  const server = ['--server', `https://127.0.0.1:${port}`, '--server-ca', ca]
  const [, data = ''] =
    /certificate-authority-data["']?: *["']?([A-Za-z0-9+/=]+)/.exec(
      await readFile(kubeconfig, 'utf8'),
    ) ?? []
  await writeFile(ca, Buffer.from(data, 'base64'))
  expect(await remotely('logs', 'shown', '--raw', '--quiet', ...server)).toEqual(here)
  const out = join(elsewhere, 'out')
  const refused = await remotely('download', 'shown', '-o', out)
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('--server') })
  expect(await remotely('download', 'shown', '-o', out, ...server)).toMatchObject({ code: 0 })
  expect(await readFile(join(out, 'log'), 'utf8')).toBe(here.stdout)
})

test('a followed run shows the kept output of attempts whose pods are gone, then the others', async () => {
  const { agentctl, stateDir } = platform
  const folder = await mkdtemp(join(tmpdir(), 'agents-attempts-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  // The program of a pod may run as another user.
  await chmod(folder, 0o777)
  const [begun, go] = [join(folder, 'begun'), join(folder, 'go')]
  const script = `if [ ! -e ${begun} ]; then echo try one; touch ${begun}; exit 1; fi; echo try two; while [ ! -e ${go} ]; do sleep 0.1; done; echo end of two`
  const apiVersion = 'agents.proompteng.ai/v1alpha1'
  const objects = [
    {
      kind: 'AgentProvider',
      metadata: { name: 'tries' },
      spec: { binary: 'agent-runner', argsTemplate: ['--', 'sh', '-c', script] },
    },
    { kind: 'Agent', metadata: { name: 'tries' }, spec: { providerRef: { name: 'tries' } } },
    {
      kind: 'AgentRun',
      metadata: { name: 'tries' },
      spec: {
        agentRef: { name: 'tries' },
        implementation: { inline: { text: 'Try.' } },
        runtime: { type: 'job' },
        retries: 1,
      },
    },
  ].map((object) => ({ apiVersion, ...object }))
  const path = join(stateDir, 'tries.json')
  await writeFile(path, JSON.stringify({ apiVersion: 'v1', kind: 'List', items: objects }))
  expect(await agentctl('apply', '-f', path)).toMatchObject({ code: 0 })
  const selector = ['-l', 'agents.proompteng.ai/agent-run=tries']
  const pods = async () => {
    const { stdout } = await agentctl('get', 'pods', ...selector, '-o', 'json')
    return (JSON.parse(stdout) as { items: { status?: { phase?: string } }[] }).items
  }
  // The pods of a failed attempt are deleted when the next one begins.
  await until(async () => {
    const all = await pods()
    return existsSync(begun) && all.length === 1 && all[0]?.status?.phase === 'Running'
  })
  await until(async () => /log +\d+ +Ready/.test((await agentctl('artifacts', 'tries')).stdout))
  const following = startProgram(
    process.execPath,
    [agentctlPath, 'logs', '-f', 'tries', '--kubeconfig', platform.kubeconfig],
    { AGENTCTL_STATE_DIR: stateDir },
  )
  await following.waitForOutput(/try two/)
  await writeFile(go, '')
  const { code, stdout, stderr } = await following.finished
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'try one\ntry two\nend of two\n' })
  // The state of the run is reported between them.
  expect(stderr).toMatch(/-- pod tries-\S+\n(?:tries .*\n)*-- attempt 2\n/)
  expect((await agentctl('logs', '-f', 'tries', '--quiet')).stdout).toBe(stdout)
  await until(async () =>
    /log +\d+ +Ready.*log +\d+ +Ready/s.test((await agentctl('artifacts', 'tries')).stdout),
  )
  await agentctl('delete', 'pods', ...selector)
  expect((await agentctl('logs', '-f', 'tries', '--quiet')).stdout).toBe(stdout)
  expect((await agentctl('logs', 'tries', '--quiet')).stdout).toMatch(
    /^[^\n]*\ntry one\n.*\ntry two\nend of two\n[^\n]*\n$/s,
  )
})

test('the output of the steps of a graph is shown when their pods are gone', async () => {
  const { agentctl, stateDir } = platform
  const { spec } = JSON.parse(
    (await agentctl('get', 'agentrun', 'shown', '-o', 'json')).stdout,
  ) as { spec: { agentRef: object; implementation: object; parameters?: object } }
  const { agentRef, implementation, parameters } = spec
  const step = { name: 'only', kind: 'AgentRun', agentRef, implementation, with: parameters }
  const path = join(stateDir, 'graph.json')
  await writeFile(
    path,
    JSON.stringify({
      apiVersion: 'orchestration.proompteng.ai/v1alpha1',
      kind: 'Orchestration',
      metadata: { name: 'kept' },
      spec: { steps: [{ ...step, runtime: { type: 'job' } }] },
    }),
  )
  expect(await agentctl('apply', '-f', path)).toMatchObject({ code: 0 })
  const run = JSON.stringify({
    apiVersion: 'orchestration.proompteng.ai/v1alpha1',
    kind: 'OrchestrationRun',
    metadata: { name: 'kept' },
    spec: { orchestrationRef: { name: 'kept' } },
  })
  await writeFile(path, run)
  expect(await agentctl('apply', '-f', path)).toMatchObject({ code: 0 })
  const logs = (...options: string[]) =>
    agentctl('logs', 'orchestrationrun/kept', '--quiet', ...options)
  const followed = await logs('-f')
  expect(followed).toMatchObject({ code: 0, stdout: expect.stringContaining('only') })
  const shown = await logs()
  const { items } = JSON.parse((await agentctl('get', 'agentruns', '-o', 'json')).stdout) as {
    items: { metadata: { name: string } }[]
  }
  const child = items.find(({ metadata }) => metadata.name.startsWith('kept'))?.metadata.name ?? ''
  await agentctl('delete', 'pods', '-l', `agents.proompteng.ai/agent-run=${child}`)
  await until(async () => /log +\d+ +Ready/.test((await agentctl('artifacts', child)).stdout))
  expect((await logs()).stdout).toBe(shown.stdout)
  expect(await logs('-f')).toMatchObject({ code: 0, stdout: shown.stdout })
})
