import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'

const main = join(import.meta.dirname, 'scripted-agent.ts')

function play(args: readonly string[], parameters?: Record<string, string>) {
  const folder = mkdtempSync(join(tmpdir(), 'scripted-agent-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const runSpec = join(folder, 'run.json')
  const run = {
    provider: 'scripted',
    agentRun: { name: 'demo', namespace: 'agents' },
    implementation: { text: 'Say hello.' },
    parameters,
  }
  if (parameters !== undefined) writeFileSync(runSpec, JSON.stringify(run))
  return spawnSync(process.execPath, [main, ...args], {
    cwd: folder,
    encoding: 'utf8',
    env: {
      PATH: '/usr/local/bin:/usr/bin:/bin',
      ...(parameters !== undefined && { AGENT_RUN_SPEC: runSpec }),
    },
  })
}

describe('the scripted agent as a bare command', { timeout: 60_000 }, () => {
  test.each([
    { because: 'without a run', args: [], status: 0, message: /committed [0-9a-f]+\ndone\n$/ },
    {
      because: 'told by parameters',
      args: [],
      parameters: { scriptedMode: 'fail', scriptedExitCode: '7' },
      status: 7,
      message: /^reading the task: Say hello\.\n/,
    },
    { because: 'told nonsense', args: ['--mode', 'dance'], status: 64, message: /^$/ },
    { because: 'asked for help', args: ['--help'], status: 0, message: /^scripted-agent: / },
  ])('ends with $status: $because', ({ args, parameters, status, message }) => {
    const played = play(args, parameters)
    expect(played.status).toBe(status)
    expect(played.stdout).toMatch(message)
  })
})
