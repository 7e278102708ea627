import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startProgram } from '../../support/agentctl/local-platform.ts'
import { until } from '../../support/testbed/until.ts'

const cases = [
  {
    script: 'start',
    flags: ['--no-sample', '--verbose'],
    ready: 'Press Ctrl-C to stop it.',
    because: 'the whole platform runs below npm and a shell',
  },
  {
    script: 'apiserver',
    flags: ['--ephemeral'],
    ready: 'ready https://',
    because: 'the API server alone is started the same way',
  },
]

describe.skipIf(process.platform === 'win32')('SIGTERM to npm', () => {
  test.each(cases)('ends npm run $script and leaves no process: $because', async (row) => {
    const folder = await mkdtemp(join(tmpdir(), 'agents-npm-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
    const npm = startProgram('npm', ['run', row.script, '--', '--secure-port=0', ...row.flags], {
      AGENTCTL_STATE_DIR: folder,
    })
    onTestFinished(() => void npm.child.kill('SIGKILL'))
    await npm.waitForOutput(row.ready)
    const below = await descendants(npm.child.pid ?? 0)
    expect(below.length).toBeGreaterThan(0)
    npm.child.kill('SIGTERM')
    await npm.finished
    await until(async () => !below.some(isRunning))
  })
})

async function descendants(of: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-eo', 'pid=,ppid='])
  const rows = stdout
    .trim()
    .split('\n')
    .map((row) => row.trim().split(/\s+/).map(Number))
  const below = (parent: number): number[] =>
    rows.flatMap(([pid = 0, ppid]) => (ppid === parent ? [pid, ...below(pid)] : []))
  return below(of)
}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}
