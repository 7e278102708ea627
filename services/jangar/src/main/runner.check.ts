import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { repositoryPlanVariable } from '../run-contract/repository-plan.ts'
import { parseTerminationMessage } from '../run-contract/termination-message.ts'
import {
  createHarness,
  scriptedAgent,
  shell,
  someRun,
  vcs,
} from '../runner/testing/runner-harness.ts'

function scripted(...options: readonly string[]) {
  return ['--', process.execPath, scriptedAgent, ...options]
}

// Whole processes on busy machines: a limit for hangs, not for speed.
const testOptions = { timeout: 240_000 }
const pollOptions = { timeout: 200_000 }

describe('the runner as a program', testOptions, () => {
  test('plays the demo from a task to a pushed commit', async () => {
    const harness = createHarness()
    harness.createRemote()
    const repository = vcs(harness.remotes)
    const folders = {
      AGENT_REPOSITORY_DIR: join(harness.root, 'repository'),
      AGENT_PUBLISH_DIR: join(harness.root, 'publish'),
    }
    for (const folder of Object.values(folders)) mkdirSync(folder)
    const { agentRun } = someRun
    const plan = { agentRun, vcs: repository, head: { name: 'agents/demo', isChosen: false } }
    const role = (name: string) =>
      execFile(process.execPath, [join(import.meta.dirname, `${name}.ts`)], {
        env: {
          ...process.env,
          ...folders,
          [repositoryPlanVariable]: JSON.stringify(plan),
          AGENT_TERMINATION_MESSAGE_PATH: join(harness.root, `${name}.message`),
        },
      })
    expect(await once(role('checkout'), 'exit')).toEqual([0, null])
    const published = once(role('publish'), 'exit')
    const child = harness.start({ run: { vcs: repository }, env: folders, argv: scripted() })
    const [stdout, [exitCode]] = await Promise.all([
      text(orFail(child.stdout)),
      once(child, 'exit'),
    ])
    expect(exitCode).toBe(0)
    expect(await published).toEqual([0, null])
    expect(stdout).toMatch(/reading the task: Do it\n.*committed [0-9a-f]+\ndone\n$/s)
    expect(harness.message()).toMatchObject({
      outcome: 'succeeded',
      usage: { inputTokens: 103, outputTokens: 64, totalTokens: 167, dollars: '0' },
      outputs: { file: 'AGENT_NOTES.md' },
    })
    expect(parseTerminationMessage(harness.read('publish.message'))).toMatchObject({
      outcome: 'succeeded',
      vcs: { headBranch: 'agents/demo', pushed: true },
    })
    expect(harness.git('remotes/owner/app.git', 'show', 'agents/demo:AGENT_NOTES.md')).toBe(
      '- demo: Do it\n',
    )
  })

  test.each([
    { mode: 'hang', because: 'a program that obeys' },
    { mode: 'stubborn', because: 'a program that does not' },
  ])('passes SIGTERM on to $because, reports and ends', async ({ mode }) => {
    const harness = createHarness()
    const child = harness.start({
      run: { parameters: { scriptedMode: mode } },
      runner: { timeouts: { graceSeconds: 1 } },
      argv: scripted(),
    })
    const output = text(orFail(child.stdout))
    await expect
      .poll(() => harness.read('workspace/.agent/runner.log'), pollOptions)
      .toContain('thinking')
    expect(harness.status()).toMatchObject({ phase: 'Running', status: 'running' })
    child.kill('SIGTERM')
    const [exitCode] = await once(child, 'exit')
    expect(exitCode).toBe(143)
    expect(harness.message()).toMatchObject({ outcome: 'cancelled', reason: 'Terminated' })
    expect(harness.status()).toMatchObject({ phase: 'Finished', status: 'cancelled' })
    expect(await output).toContain(mode === 'stubborn' ? 'not now' : 'thinking')
  })

  test('does not wait for the grace when asked twice', async () => {
    const harness = createHarness()
    const child = harness.start({
      runner: { timeouts: { graceSeconds: 3600 } },
      argv: scripted('--mode', 'stubborn'),
    })
    child.stdout?.resume()
    await expect
      .poll(() => harness.read('workspace/.agent/runner.log'), pollOptions)
      .toContain('thinking')
    child.kill('SIGTERM')
    await expect
      .poll(() => harness.read('workspace/.agent/runner.log'), pollOptions)
      .toContain('not now')
    child.kill('SIGTERM')
    expect((await once(child, 'exit'))[0]).toBe(143)
  })

  test('passes fifty megabytes on, whole', async () => {
    const harness = createHarness()
    const bytes = 50_000_000
    const child = harness.start({
      argv: scripted('--mode', 'big-output', '--output-bytes', String(bytes)),
      run: { vcs: undefined },
    })
    let seen = 0
    child.stdout?.on('data', (chunk: Buffer) => {
      seen += chunk.length
    })
    child.stderr?.resume()
    expect((await once(child, 'close'))[0]).toBe(0)
    expect(seen).toBeGreaterThan(bytes)
    expect(readFileSync(join(harness.workspace, '.agent/runner.log')).length).toBe(seen)
  })

  test('continues when its output is closed', async () => {
    const harness = createHarness()
    const child = harness.start({ argv: shell('echo a; sleep 1; echo b; echo c >&2; touch done') })
    child.stdout?.destroy()
    child.stderr?.destroy()
    expect((await once(child, 'exit'))[0]).toBe(0)
    expect(harness.read('workspace/.agent/runner.log')).toContain('b\n')
    expect(harness.message()?.outcome).toBe('succeeded')
  })

  test('exits with 78 for documents that are wrong', async () => {
    const harness = createHarness()
    const child = harness.start({ run: { agentRun: {} }, argv: shell('true') })
    const errors = text(orFail(child.stderr))
    expect((await once(child, 'exit'))[0]).toBe(78)
    expect(await errors).toMatch(/agentRun\.name is missing.*agentRun\.namespace is missing/s)
  })
})

function orFail<T>(stream: T | null): T {
  if (stream === null) throw new Error('the stream is not a pipe')
  return stream
}
