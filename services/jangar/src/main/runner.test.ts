import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { createWorkbench, scriptedAgent, shell, vcs } from '../runner/testing/workbench.ts'

const scripted = (...options: readonly string[]) => [
  '--',
  process.execPath,
  scriptedAgent,
  ...options,
]

// Whole processes on busy machines: a limit for hangs, not for speed.
const patience = { timeout: 60_000 }
const POLL = { timeout: 30_000 }

describe('the runner as a program', patience, () => {
  test('plays the demo from a task to a pushed commit', async () => {
    const bench = createWorkbench()
    bench.createRemote()
    const child = bench.start({ run: { vcs: vcs(bench.remotes) }, argv: scripted() })
    const [stdout, [exitCode]] = await Promise.all([
      text(orFail(child.stdout)),
      once(child, 'exit'),
    ])
    expect(exitCode).toBe(0)
    expect(stdout).toMatch(/reading the task: Do it\n.*committed [0-9a-f]+\ndone\n$/s)
    expect(bench.message()).toMatchObject({
      outcome: 'succeeded',
      usage: { inputTokens: 103, outputTokens: 64, totalTokens: 167, dollars: '0' },
      outputs: { file: 'AGENT_NOTES.md' },
      vcs: { headBranch: 'agents/demo', pushed: true },
    })
    expect(bench.git('remotes/owner/app.git', 'show', 'agents/demo:AGENT_NOTES.md')).toBe(
      '- demo: Do it\n',
    )
  })

  test.each([
    { mode: 'hang', because: 'a program that obeys' },
    { mode: 'stubborn', because: 'a program that does not' },
  ])('passes SIGTERM on to $because, reports and ends', async ({ mode }) => {
    const bench = createWorkbench()
    const child = bench.start({
      run: { parameters: { scriptedMode: mode } },
      runner: { timeouts: { graceSeconds: 1 } },
      argv: scripted(),
    })
    const output = text(orFail(child.stdout))
    await expect.poll(() => bench.read('workspace/.agent/runner.log'), POLL).toContain('thinking')
    expect(bench.status()).toMatchObject({ phase: 'Running', status: 'running' })
    child.kill('SIGTERM')
    const [exitCode] = await once(child, 'exit')
    expect(exitCode).toBe(143)
    expect(bench.message()).toMatchObject({ outcome: 'cancelled', reason: 'Terminated' })
    expect(bench.status()).toMatchObject({ phase: 'Finished', status: 'cancelled' })
    expect(await output).toContain(mode === 'stubborn' ? 'not now' : 'thinking')
  })

  test('does not wait for the grace when asked twice', async () => {
    const bench = createWorkbench()
    const child = bench.start({
      runner: { timeouts: { graceSeconds: 3600 } },
      argv: scripted('--mode', 'stubborn'),
    })
    child.stdout?.resume()
    await expect.poll(() => bench.read('workspace/.agent/runner.log'), POLL).toContain('thinking')
    child.kill('SIGTERM')
    await expect.poll(() => bench.read('workspace/.agent/runner.log'), POLL).toContain('not now')
    child.kill('SIGTERM')
    expect((await once(child, 'exit'))[0]).toBe(143)
  })

  test('passes fifty megabytes on, whole, in little memory', async () => {
    const bench = createWorkbench()
    const bytes = 50_000_000
    const child = bench.start({
      argv: scripted('--mode', 'big-output', '--output-bytes', String(bytes)),
      run: { vcs: undefined },
    })
    let seen = 0
    let peakKiB = 0
    child.stdout?.on('data', (chunk: Buffer) => {
      seen += chunk.length
      peakKiB = Math.max(peakKiB, residentKiB(child.pid))
    })
    child.stderr?.resume()
    expect((await once(child, 'close'))[0]).toBe(0)
    expect(seen).toBeGreaterThan(bytes)
    expect(readFileSync(join(bench.workspace, '.agent/runner.log')).length).toBe(seen)
    expect(peakKiB).toBeLessThan(300 * 1024)
  })

  test('goes on when nobody reads its output any more', async () => {
    const bench = createWorkbench()
    const child = bench.start({ argv: shell('echo a; sleep 1; echo b; echo c >&2; touch done') })
    child.stdout?.destroy()
    child.stderr?.destroy()
    expect((await once(child, 'exit'))[0]).toBe(0)
    expect(bench.read('workspace/.agent/runner.log')).toContain('b\n')
    expect(bench.message()?.outcome).toBe('succeeded')
  })

  test('exits with 78 for documents that are wrong', async () => {
    const bench = createWorkbench()
    const child = bench.start({ run: { agentRun: {} }, argv: shell('true') })
    const errors = text(orFail(child.stderr))
    expect((await once(child, 'exit'))[0]).toBe(78)
    expect(await errors).toMatch(/agentRun\.name is missing.*agentRun\.namespace is missing/s)
  })
})

function orFail<T>(stream: T | null): T {
  if (stream === null) throw new Error('the stream is not a pipe')
  return stream
}

function residentKiB(pid: number | undefined): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0)
  } catch {
    // It has just ended, or this system tells otherwise.
    return 0
  }
}
