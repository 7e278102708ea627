import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createHarness, shell, someRun } from './testing/runner-harness.ts'

// Whole processes on busy machines: a limit for hangs, not for speed.
const pollOptions = { timeout: 60_000 }

describe('a run', pollOptions, () => {
  test('of a provider renders its templates, writes its files and runs its program', async () => {
    const harness = createHarness()
    const ran = await harness.run({
      runner: {
        providerSpec: {
          binary: '/bin/sh',
          argsTemplate: ['-c', 'cat notes/task.md; echo "$STAGE $0"', '{{ agentRun.name }}'],
          envTemplate: { STAGE: '{{ inputs.stage }}' },
          inputFiles: [
            { path: '/workspace/notes/task.md', content: '# {{ implementation.summary }}\n' },
          ],
        },
      },
    })
    expect(ran).toMatchObject({ exitCode: 0, stdout: '# Do it\nplan demo\n' })
    expect(ran.message).toMatchObject({ outcome: 'succeeded', reason: 'Succeeded', exitCode: 0 })
    expect(harness.status()).toMatchObject({
      phase: 'Finished',
      status: 'succeeded',
      provider: 'test',
      binary: '/bin/sh',
      exitCode: 0,
      artifacts: { statusPath: '/workspace/.agent/status.json' },
    })
    expect(harness.read('workspace/.agent/runner.log')).toBe('# Do it\nplan demo\n')
  })

  test('of a command line runs it as it is, without a shell', async () => {
    const harness = createHarness()
    const argv = ['--', 'printf', '%s|', '$HOME', '{{ parameters.stage }}', '; ls', '--help']
    const ran = await harness.run({ argv })
    expect(ran.stdout).toBe('$HOME|{{ parameters.stage }}|; ls|--help|\n')
  })

  test('keeps standard output and standard error apart, and logs both', async () => {
    const harness = createHarness()
    const ran = await harness.run({ argv: shell('echo out; echo err >&2') })
    expect(ran.stdout).toBe('out\n')
    expect(ran.stderr).toContain('err\n')
    const log = harness.read('workspace/.agent/runner.log').split('\n').toSorted()
    expect(log).toEqual(['', 'err', 'out'])
  })

  test('gives the program its input, its instructions and its paths', async () => {
    const harness = createHarness()
    writeFileSync(join(harness.workspace, 'task.md'), 'from a file\n')
    const ran = await harness.run({
      run: { systemPrompt: 'Be brief.' },
      argv: [
        '--stdin',
        '/workspace/task.md',
        ...shell('cat; cat "$AGENT_SYSTEM_PROMPT_PATH"; test -s "$AGENT_RUN_SPEC" && pwd'),
      ],
    })
    expect(ran.stdout).toBe(`from a file\nBe brief.${harness.workspace}\n`)
  })

  test('collects the artifacts of the program, and reports missing ones', async () => {
    const harness = createHarness()
    const ran = await harness.run({
      run: {
        artifacts: [
          { name: 'patch', path: '/workspace/out/a.patch', key: 'k' },
          { name: 'folder', path: 'out' },
          { name: 'elsewhere', url: 'https://example.com/x' },
          { name: 'lost', path: 'nowhere' },
        ],
      },
      argv: shell('mkdir out && printf abc > out/a.patch'),
    })
    expect(ran.exitCode).toBe(0)
    expect(ran.message?.artifacts).toEqual([
      { name: 'patch', path: '/workspace/out/a.patch', key: 'k' },
      { name: 'folder', path: 'out' },
      { name: 'elsewhere', url: 'https://example.com/x' },
    ])
    expect(ran.message?.message).toContain('lost')
    expect(harness.status().artifacts).toMatchObject({
      missing: ['lost'],
      outputArtifacts: [
        { bytes: 3, sha256: 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad' },
        { name: 'folder' },
        { name: 'elsewhere' },
      ],
    })
  })

  test('takes usage, outputs and a pull request from the report of the program', async () => {
    const report = {
      usage: {
        ...{ inputTokens: 7, outputTokens: 3, dollars: 0.25 },
        models: [{ model: 'small', inputTokens: 2 }],
      },
      summary: 'Did it.',
      outputs: { branch: 'x' },
    }
    const harness = createHarness()
    const argv = shell(`echo '${JSON.stringify(report)}' > "$AGENT_REPORT_PATH"`)
    const ran = await harness.run({ argv })
    expect(ran.message).toMatchObject({
      usage: {
        ...{ inputTokens: 7, outputTokens: 3, dollars: '0.25' },
        models: [{ model: 'small', inputTokens: 2 }],
      },
      outputs: { branch: 'x' },
    })
    expect(harness.status().summary).toBe('Did it.')
  })

  test('does not take an earlier attempt’s report for its own', async () => {
    const harness = createHarness()
    await harness.run({ argv: shell('echo \'{"summary":"old"}\' > "$AGENT_REPORT_PATH"') })
    await harness.run({ argv: shell('true') })
    expect(harness.status().summary).toBeUndefined()
  })

  test('goes on when the report makes no sense', async () => {
    const harness = createHarness()
    const argv = shell('echo "{\\"usage\\": 7}" > "$AGENT_REPORT_PATH"')
    const ran = await harness.run({ argv })
    expect(ran.exitCode).toBe(0)
    expect(ran.stderr).toContain('report.json: usage must be an object')
  })

  test('reads usage from what the program prints, by its adapter', async () => {
    const harness = createHarness()
    const event = '{"type":"turn.completed","usage":{"input_tokens":5,"output_tokens":2}}'
    const ran = await harness.run({
      argv: ['--adapter', 'codex', ...shell(`echo '${event}'; exit 3`)],
    })
    expect(ran.message).toMatchObject({
      outcome: 'failed',
      usage: { inputTokens: 5, outputTokens: 2, totalTokens: 7 },
    })
  })
})

describe('a run that fails reports the reason', pollOptions, () => {
  test.each([
    {
      because: 'the exit code of the program is its own',
      argv: shell('exit 42'),
      reason: 'ProgramFailed',
      exitCode: 42,
    },
    {
      because: 'a signal counts as in a shell',
      argv: shell('kill -9 $$'),
      reason: 'ProgramKilled',
      exitCode: 137,
    },
    {
      because: 'a program that is not there',
      argv: ['--', 'no-such-program'],
      reason: 'ProgramNotFound',
      exitCode: 127,
    },
    {
      because: 'a program that is a folder',
      argv: ['--', '/etc'],
      reason: 'ProgramNotStarted',
      exitCode: 126,
    },
    {
      because: 'arguments that no system takes',
      argv: ['--', '/bin/echo', 'x'.repeat(200_000)],
      reason: 'ProgramNotStarted',
      exitCode: 126,
    },
    {
      because: 'an input that is not there',
      argv: ['--stdin', 'nothing', '--', 'cat'],
      reason: 'WorkspaceFailed',
      exitCode: 73,
    },
  ])('$because', async ({ argv, reason, exitCode }) => {
    const harness = createHarness()
    const ran = await harness.run({ argv })
    expect(ran.exitCode).toBe(exitCode)
    expect(ran.message).toMatchObject({ outcome: 'failed', reason, exitCode })
    expect(harness.status()).toMatchObject({
      status: 'failed',
      reason,
      error: ran.message?.message,
    })
  })

  test('a template that leads nowhere is named, and nothing is run', async () => {
    const harness = createHarness()
    const ran = await harness.run({
      runner: {
        providerSpec: {
          binary: 'touch',
          argsTemplate: ['/workspace/ran', '{{ parameters.stge }}'],
          envTemplate: { A: '{{ agent.name }}' },
        },
      },
    })
    expect(ran.exitCode).toBe(78)
    expect(ran.message?.reason).toBe('InvalidTemplate')
    expect(ran.message?.message).toMatch(/argsTemplate\[1\].*parameters\.stge/)
    expect(ran.message?.message).toMatch(/envTemplate\.A.*agent\.name/)
    expect(existsSync(join(harness.workspace, 'ran'))).toBe(false)
  })

  test('all problems of all documents are listed together', async () => {
    const harness = createHarness()
    const ran = await harness.run({
      run: { agentRun: { name: 'x' }, parameters: { a: 1 } },
      runner: { timeouts: { runSeconds: 'soon' } },
      argv: ['--adapter', 'vim', 'one', 'two'],
    })
    expect(ran.exitCode).toBe(78)
    expect(ran.message?.reason).toBe('InvalidSpec')
    for (const problem of ['--adapter', 'more than one spec', 'agent-runner.json', 'run.json']) {
      expect(ran.message?.message).toContain(problem)
    }
  })

  test('every invalid value of the documents is reported', async () => {
    const harness = createHarness()
    const ran = await harness.run({
      run: { agentRun: { name: 'x' }, parameters: { a: 1 } },
      runner: { timeouts: { runSeconds: 'soon' } },
      argv: shell('true'),
    })
    expect(ran.message?.message.split('\n')).toEqual([
      'agent-runner.json: timeouts.runSeconds must be a whole number from 0 to 2147483647',
      'run.json: agentRun.namespace is missing',
      'run.json: parameters.a must be a string',
    ])
  })

  test.each([
    { because: 'there is nothing to run', runner: {}, expectedMessage: 'providerSpec is missing' },
    {
      because: 'the runner would run itself',
      runner: { providerSpec: { binary: '/usr/local/bin/agent-runner' } },
      expectedMessage: 'the runner itself',
    },
  ])('$because', async ({ runner, expectedMessage }) => {
    const ran = await createHarness().run({ runner })
    expect(ran).toMatchObject({ exitCode: 78, message: { reason: 'InvalidSpec' } })
    expect(ran.message?.message).toContain(expectedMessage)
  })

  test('a status file that cannot be written ends it before anything is spent', async () => {
    const harness = createHarness()
    writeFileSync(join(harness.workspace, 'file'), '')
    const ran = await harness.run({
      runner: { artifacts: { statusPath: '/workspace/file/status.json' } },
      argv: shell('touch ran'),
    })
    expect(ran).toMatchObject({ exitCode: 74, message: { reason: 'StatusUnwritable' } })
    expect(existsSync(join(harness.workspace, 'ran'))).toBe(false)
  })

  test('a status file that cannot be written any more does not spoil a run that went well', async () => {
    const harness = createHarness()
    const script = 'rm -rf ../workspace/status && touch ../workspace/status'
    const ran = await harness.run({
      runner: { artifacts: { statusPath: '/workspace/status/status.json' } },
      argv: shell(script),
    })
    expect(ran).toMatchObject({ exitCode: 0, message: { outcome: 'succeeded' } })
    expect(ran.stderr).toContain('cannot write the status file')
  })
})

describe('input files', pollOptions, () => {
  const withFile = (path: string) => ({
    runner: { providerSpec: { binary: 'true', inputFiles: [{ path, content: 'x' }] } },
  })

  test.each(['../escaped', '/workspace/../../escaped', '/etc/escaped', '/workspacex/escaped'])(
    'outside the workspace are refused: %s',
    async (path) => {
      const ran = await createHarness().run(withFile(path))
      expect(ran).toMatchObject({ exitCode: 73, message: { reason: 'WorkspaceFailed' } })
      expect(ran.message?.message).toContain('outside the workspace')
    },
  )

  test('do not follow a link out of the workspace', async () => {
    const harness = createHarness()
    mkdirSync(join(harness.root, 'outside'))
    symlinkSync(join(harness.root, 'outside'), join(harness.workspace, 'docs'))
    const ran = await harness.run(withFile('docs/deep/escaped'))
    expect(ran.message?.reason).toBe('WorkspaceFailed')
    expect(existsSync(join(harness.root, 'outside', 'deep'))).toBe(false)
  })

  test('are not written through a link at their path', async () => {
    const harness = createHarness()
    symlinkSync(join(harness.root, 'escaped'), join(harness.workspace, 'link'))
    const ran = await harness.run(withFile('/workspace/link'))
    expect(ran.message?.reason).toBe('WorkspaceFailed')
    expect(existsSync(join(harness.root, 'escaped'))).toBe(false)
  })
})

test('help is given, and nothing is run', async () => {
  const harness = createHarness()
  const ran = await harness.run({ argv: ['--help', ...shell('echo ran')] })
  expect(ran.exitCode).toBe(0)
  expect(ran.stdout).toMatch(/^agent-runner: .*Usage:/s)
  expect(ran.stdout).not.toContain('ran\n')
  expect(existsSync(join(harness.workspace, '.agent'))).toBe(false)
})

test('a workspace of earlier runs keeps their logs beside the new one, until they are old', async () => {
  const harness = createHarness()
  const folder = join(harness.workspace, '.agent')
  await harness.run({ argv: shell('echo first') })
  await harness.run({ argv: shell('echo second') })
  const logs = () => readdirSync(folder).filter((name) => name.startsWith('runner.log'))
  expect(logs().map((name) => readFileSync(join(folder, name), 'utf8'))).toEqual(
    expect.arrayContaining(['first\n', 'second\n']),
  )
  await harness.run({
    runner: { artifacts: { logRetentionSeconds: 0 } },
    argv: shell('echo third'),
  })
  expect(logs()).toEqual(['runner.log'])
})

test('a workspace that is not writable is reported at once', async () => {
  const harness = createHarness()
  const spec = join(harness.root, 'spec.json')
  writeFileSync(spec, JSON.stringify(someRun))
  const ran = await harness.run({
    env: { AGENT_WORKSPACE: '/dev/null/x', AGENT_RUN_SPEC: spec },
    argv: [spec, ...shell('true')],
  })
  expect(ran).toMatchObject({ exitCode: 74, message: { reason: 'StatusUnwritable' } })
})
