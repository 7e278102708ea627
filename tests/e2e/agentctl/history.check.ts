import { readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type LocalPlatform, startPlatformIn } from '../../support/agentctl/local-platform.ts'
import { until } from '../../support/testbed/until.ts'

let platform: LocalPlatform
let server: string
let ca: string
beforeAll(async () => {
  platform = await startPlatformIn({})
  const port = (await readFile(join(platform.stateDir, 'http-port'), 'utf8')).trim()
  server = `https://127.0.0.1:${port}`
  ca = join(platform.stateDir, 'ca.crt')
  const kubeconfig = await readFile(platform.kubeconfig, 'utf8')
  const [, data = ''] =
    /certificate-authority-data["']?: *["']?([A-Za-z0-9+/=]+)/.exec(kubeconfig) ?? []
  await writeFile(ca, Buffer.from(data, 'base64'))
}, 300_000)
afterAll(() => platform.remove(), 120_000)

test('archived runs are listed, exported and imported', async () => {
  const line = await until(async () => {
    const { stdout } = await platform.agentctl('archive', 'list')
    return /^agents +AgentRun +first-run .*$/m.exec(stdout)?.[0]
  })
  expect(line).toMatch(/ Succeeded +20\d\d-/)
  expect(await platform.agentctl('archive', 'list', '--text', 'nosuchword')).toMatchObject({
    stdout: '',
    code: 0,
  })
  const file = join(platform.stateDir, 'runs.jsonl')
  expect(await platform.agentctl('archive', 'export', file, '-A')).toMatchObject({
    code: 0,
    stderr: 'Exported 1 runs.\n',
  })
  const text = await readFile(file, 'utf8')
  expect(JSON.parse(text)).toMatchObject({ kind: 'AgentRun', metadata: { name: 'first-run' } })
  expect((await stat(file)).mode & 0o777).toBe(0o600)
  expect((await platform.agentctl('archive', 'export', '-A')).stdout).toBe(text)
  expect((await platform.agentctl('archive', 'export', '--kind', 'ToolRun')).stdout).toBe('')
  // Another run, as another archive would have it.
  const other = JSON.parse(text) as { metadata: Record<string, unknown> }
  other.metadata.uid = '11111111-2222-4333-8444-555555555555'
  other.metadata.name = 'moved'
  await writeFile(file, `${text}${JSON.stringify(other)}\n`)
  expect(await platform.agentctl('archive', 'import', file)).toMatchObject({
    code: 0,
    stderr: 'Imported 1 runs; 1 were in the archive already.\n',
  })
  expect((await platform.agentctl('archive', 'list')).stdout).toContain('moved')
  await writeFile(file, '{}\n')
  const refused = await platform.agentctl('archive', 'import', file)
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('line 1') })
})

test('the audit is listed and verified', async () => {
  const { stdout } = await platform.agentctl('audit', 'list', '--action', 'importArchive')
  expect(stdout.split('\n')[0]).toMatch(/^SEQ +TIME +ACTOR +ACTION +OBJECT +OUTCOME +CODE$/)
  expect(stdout).toMatch(/ importArchive .* allowed +200$/m)
  const whole = await platform.agentctl('audit', 'verify')
  expect(whole).toMatchObject({ code: 0, stdout: expect.stringMatching(/^\d+:[0-9a-f]{64}\n$/) })
  const anchor = ['audit', 'verify', '--anchor']
  expect((await platform.agentctl(...anchor, whole.stdout.trim())).code).toBe(0)
  const forged = whole.stdout.trim().replace(/.{4}$/, '0000')
  expect(await platform.agentctl(...anchor, forged)).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('is not the one of the anchor'),
  })
})

test('what runs have used is summed up', async () => {
  const sums = await until(async () => {
    const { stdout } = await platform.agentctl('usage')
    return /^\S+ +1 +\d+ +\$[\d.]+ +\d+$/m.test(stdout) ? stdout : undefined
  })
  expect(sums).toMatch(/^AGENT +RUNS +TOKENS +COST +UNPRICED TOKENS$/m)
  const { stdout } = await platform.agentctl('usage', '-A', '--by', 'namespace', '--csv')
  expect(stdout).toMatch(/^group,runs,tokens,dollars,unpricedTokens\r\nagents,1,\d+,/)
  expect(await platform.agentctl('usage', '--by', 'label')).toMatchObject({ code: 2 })
})

test.each([
  { because: 'of the authority of the platform', flags: () => ['--server-ca', ca], code: 0 },
  { because: 'of no authority that the system knows', flags: () => [], code: 1 },
])('--server asks the API with a certificate $because: $code', async ({ flags, code }) => {
  const asked = await platform.agentctl('audit', 'verify', '--server', server, ...flags())
  expect(asked.code).toBe(code)
})

test.each(['http://127.0.0.1:1', 'https://user@127.0.0.1:1', 'https://127.0.0.1:1/path', 'x'])(
  '--server %s is refused before the token is sent',
  async (address) => {
    const { code, stderr } = await platform.agentctl('audit', 'list', '--server', address)
    expect([code, stderr]).toEqual([2, expect.stringContaining('--server must be the address')])
  },
)
