import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createSecretMask } from '../run-contract/secrets/secret-mask.ts'
import { createStop } from '../runner/process/stop.ts'
import { createGit } from '../runner/vcs/git.ts'
import { openDemoRepository } from './demo-repository.ts'
import { perform } from './perform.ts'
import { type Mode, modes, parseScript } from './script.ts'

const env = { PATH: '/usr/local/bin:/usr/bin:/bin' }

function createStage() {
  const folder = mkdtempSync(join(tmpdir(), 'scripted-agent-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const output: string[] = []
  const slept: number[] = []
  const stage = {
    task: { runName: 'demo', summary: 'Say hello', text: 'Say hello to all.' },
    repository: () => openDemoRepository({ folder, env, gitIn: gitFor }),
    reportPath: join(folder, 'report.json'),
    print: async (text: string) => {
      output.push(text)
    },
    sleep: async (ms: number) => {
      slept.push(ms)
    },
    forever: () => Promise.reject(new Error('for ever')),
  }
  return { folder, output, slept, stage }
}

function script(mode: Mode) {
  return {
    mode,
    exitCode: 7,
    delayMs: 10,
    outputBytes: 100_001,
    file: 'docs/NOTES.md',
    outputs: { parts: 'two' },
  }
}

function git(folder: string, ...args: string[]) {
  return execFileSync('git', args, { cwd: folder, encoding: 'utf8', env, stdio: 'pipe' })
}

describe('the scripted agent', () => {
  test('makes a repository where there is none, and commits in it', async () => {
    const { folder, stage, output } = createStage()
    expect(await perform(script('succeed'), stage)).toBe(0)
    expect(output.join('')).toMatch(/^reading the task: Say hello\n.*done\n$/s)
    expect(git(join(folder, 'repository'), 'log', '--format=%s')).toBe('Say hello\nBegin\n')
    expect(git(join(folder, 'repository'), 'show', 'HEAD:docs/NOTES.md')).toBe(
      '- demo: Say hello\n',
    )
    expect(JSON.parse(readFileSync(stage.reportPath, 'utf8'))).toMatchObject({
      usage: { inputTokens: 105, outputTokens: 64 },
      outputs: { file: 'docs/NOTES.md', parts: 'two' },
    })
  })

  test('works in the repository whose top it stands in', async () => {
    const { folder, stage } = createStage()
    git(folder, 'init', '--quiet')
    expect(await perform(script('succeed'), stage)).toBe(0)
    expect(git(folder, 'show', 'HEAD:docs/NOTES.md')).toBe('- demo: Say hello\n')
  })

  test('leaves alone a repository that it merely lies in', async () => {
    const { folder, stage } = createStage()
    git(folder, 'init', '--quiet')
    const inner = join(folder, 'inner')
    mkdirSync(inner)
    const repository = () => openDemoRepository({ folder: inner, env, gitIn: gitFor })
    expect(await perform(script('succeed'), { ...stage, repository })).toBe(0)
    expect(git(join(inner, 'repository'), 'log', '--format=%s')).toBe('Say hello\nBegin\n')
    expect(() => git(folder, 'rev-parse', '--verify', 'HEAD')).toThrow()
  })

  test('does not write outside the repository', async () => {
    const { folder, stage } = createStage()
    const attempt = perform({ ...script('succeed'), file: '../escaped.md' }, stage)
    await expect(attempt).rejects.toThrow('outside the repository')
    expect(existsSync(join(folder, 'escaped.md'))).toBe(false)
  })

  test.each([
    { mode: 'fail', exitCode: 7, because: 'it was told to' },
    { mode: 'no-change', exitCode: 0, because: 'doing nothing is no failure' },
  ] as const)('ends with $exitCode for $mode: $because', async ({ mode, exitCode }) => {
    const { folder, stage } = createStage()
    expect(await perform(script(mode), stage)).toBe(exitCode)
    expect(existsSync(join(folder, 'repository'))).toBe(false)
    expect(JSON.parse(readFileSync(stage.reportPath, 'utf8'))).toHaveProperty('usage.inputTokens')
  })

  test('reports outputs without a change, too', async () => {
    const { stage } = createStage()
    await perform(script('no-change'), stage)
    const { outputs } = JSON.parse(readFileSync(stage.reportPath, 'utf8'))
    expect(outputs).toEqual({ parts: 'two' })
  })

  test.each(['hang', 'stubborn'] as const)('never ends for %s', async (mode) => {
    await expect(perform(script(mode), createStage().stage)).rejects.toThrow('for ever')
  })

  test('takes its time for slow', async () => {
    const { stage, slept } = createStage()
    await perform(script('slow'), stage)
    expect(slept).toEqual([10, 10, 10])
  })

  test('writes the requested amount of output for big-output, in whole lines', async () => {
    const { stage, output } = createStage()
    await perform(script('big-output'), stage)
    const noise = output.filter((text) => text.includes('quick brown fox'))
    expect(noise.join('').length).toBe(100_001)
    expect(noise.every((text) => text.endsWith('\n'))).toBe(true)
  })
})

describe('the script', () => {
  test('comes from parameters, and options outrank them', () => {
    const parameters = { scriptedMode: 'fail', scriptedExitCode: '9', scriptedDelaySeconds: '0.5' }
    expect(parseScript(['--exit-code', '3'], parameters)).toEqual({
      ok: true,
      value: {
        mode: 'fail',
        exitCode: 3,
        delayMs: 500,
        outputBytes: 50_000_000,
        file: 'AGENT_NOTES.md',
        outputs: {},
      },
    })
  })

  test('has outputs from its parameters', () => {
    expect(parseScript([], { scriptedOutputs: '{"parts": "two"}' })).toMatchObject({
      ok: true,
      value: { outputs: { parts: 'two' } },
    })
  })

  test.each(['[]', 'null', '7', '{', '{"a": 1}'])(
    'with outputs %s is refused',
    (scriptedOutputs) => {
      expect(parseScript([], { scriptedOutputs })).toEqual({
        ok: false,
        problems: ['the outputs must be a JSON object of texts'],
      })
    },
  )

  test('that makes no sense is refused with all that is wrong', () => {
    const parsed = parseScript(['--mode', 'x', '--exit-code', '256'], {
      scriptedDelaySeconds: 'long',
    })
    expect(parsed.ok ? [] : parsed.problems).toHaveLength(3)
  })

  test.each(modes)('can be %s', (mode) => {
    expect(parseScript([], { scriptedMode: mode })).toMatchObject({ ok: true, value: { mode } })
  })
})

function gitFor(folder: string) {
  return createGit({
    folder,
    env,
    credentials: { kind: 'none' },
    mask: createSecretMask([]),
    stop: createStop(),
    timeoutMs: 0,
  })
}
