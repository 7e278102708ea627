import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { checkAgentClis, cliFinding } from './check-agent-clis.ts'

test.each([
  { version: '0.166.0', isGood: true, because: 'a patch of a tested version' },
  { version: '0.1660.0', isGood: false, because: 'another version with the same start' },
  { version: '0.167.0', isGood: false, because: 'a newer version' },
  { version: undefined, isGood: false, because: 'not installed' },
])('codex $version: $because', ({ version, isGood }) => {
  const cli = { name: 'codex' as const, testedVersions: ['0.166'] }
  expect(cliFinding('mine', cli, version).isGood).toBe(isGood)
})

async function withProgram(name: string, script: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'agents-doctor-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`)
  await chmod(join(folder, name), 0o755)
  await chmod(folder, 0o755)
  return folder
}

function examined(providers: readonly object[]) {
  const list = async () => ({ items: providers })
  const { signal } = new AbortController()
  return { client: { list } as never, namespace: 'agents', signal, platformPid: 1 }
}

function provider(name: string, ...argsTemplate: string[]) {
  const cli = { name: 'codex', testedVersions: ['0.166'] }
  return { metadata: { name }, spec: { binary: 'agent-runner', argsTemplate, cli } }
}

test('the installed version is compared with the tested ones', async () => {
  const folder = await withProgram('codex', 'echo codex-cli 0.150.1')
  const finding = await checkAgentClis(examined([provider('codex')]), `${folder}:/bin`)
  expect(finding).toMatchObject({ verdict: 'doubtful' })
  expect(finding.says).toContain('codex is 0.150.1')
})

test('a program that an AgentProvider names is not started', async () => {
  const folder = await withProgram('evil', 'touch "$(dirname "$0")/started"; echo 0.166.0')
  const finding = await checkAgentClis(
    examined([provider('codex', '--', join(folder, 'evil'))]),
    `${folder}:/bin`,
  )
  expect(finding.says).toContain('codex, which AgentProvider codex runs, was not found')
  expect(await rm(join(folder, 'started')).catch(({ code }) => code)).toBe('ENOENT')
})

test.runIf(process.getuid?.() === 0)(
  'a folder that agents cannot enter does not count',
  async () => {
    const folder = await withProgram('codex', 'echo codex-cli 0.166.0')
    const path = `${folder}:/bin`
    expect(await checkAgentClis(examined([provider('codex')]), path)).toMatchObject({
      verdict: 'good',
    })
    await chmod(folder, 0o700)
    const finding = await checkAgentClis(examined([provider('codex')]), path)
    expect(finding.verdict).toBe('doubtful')
    expect(finding.says).toContain('was not found on the PATH by user 65532')
  },
)
