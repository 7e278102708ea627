import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { largestProgramOutput } from './testing/program-output.ts'
import { createHarness, shell } from './testing/runner-harness.ts'

// A limit for hangs: a runner that opens a pipe waits until somebody writes to it.
const limits = { timeout: 60_000 }

describe('a report of the agent', limits, () => {
  const secret = '{"summary":"MARK-ELSEWHERE","outputs":{"a":"MARK-ELSEWHERE"}}'

  test.each([
    { because: 'a link', make: 'ln -s "$PWD/elsewhere" "$AGENT_REPORT_PATH"' },
    { because: 'a pipe', make: 'mkfifo "$AGENT_REPORT_PATH"' },
    { because: 'a folder', make: 'mkdir "$AGENT_REPORT_PATH"' },
    { because: 'a device', make: 'ln -s /dev/zero "$AGENT_REPORT_PATH"' },
    { because: 'a gigabyte', make: 'truncate -s 1G "$AGENT_REPORT_PATH"' },
  ])('that is $because is not read, and the run goes on', async ({ make }) => {
    const harness = createHarness()
    writeFileSync(join(harness.workspace, 'elsewhere'), secret)
    const ran = await harness.run({ argv: shell(make) })
    expect(ran).toMatchObject({ exitCode: 0, message: { outcome: 'succeeded' } })
    expect(ran.stderr).toContain('ignoring the invalid report of the program')
    expect(JSON.stringify(ran.message)).not.toContain('MARK-ELSEWHERE')
  })

  test('of an earlier attempt that is a folder does not keep the next one from its work', async () => {
    const harness = createHarness()
    await harness.run({ argv: shell('mkdir -p "$AGENT_REPORT_PATH/more"') })
    const ran = await harness.run({ argv: shell('echo again') })
    expect(ran).toMatchObject({ exitCode: 0, stdout: 'again\n' })
  })

  test('with counts that no number can hold does not lose the result', async () => {
    const harness = createHarness()
    const event = `{"type":"turn.completed","usage":{"input_tokens":${Number.MAX_SAFE_INTEGER},"output_tokens":${Number.MAX_SAFE_INTEGER}}}`
    const script = `for i in 1 2; do echo '{"type":"thread.started","thread_id":"'$i'"}'; echo '${event}'; done`
    const ran = await harness.run({ argv: ['--adapter', 'codex', ...shell(script)] })
    expect(ran.message).toMatchObject({
      outcome: 'succeeded',
      usage: { inputTokens: Number.MAX_SAFE_INTEGER, totalTokens: Number.MAX_SAFE_INTEGER },
    })
  })
})

describe('files of the runner that an agent replaces', limits, () => {
  test.each([
    { because: 'the draft of the status is a pipe', make: 'mkfifo .agent/status.json.$PPID.tmp' },
    { because: 'the status is a pipe', make: 'rm .agent/status.json; mkfifo .agent/status.json' },
  ])('$because', async ({ make }) => {
    const harness = createHarness()
    const child = harness.start({ argv: shell(make) })
    const { exitCode } = await largestProgramOutput(child)
    expect(exitCode).toBe(0)
    expect(harness.message()).toMatchObject({ outcome: 'succeeded' })
    expect(statSync(join(harness.workspace, '.agent', 'status.json')).isFile()).toBe(true)
    expect(harness.status()).toMatchObject({ phase: 'Finished', status: 'succeeded' })
  })

  test('the draft of the status is a link, which is not written through', async () => {
    const harness = createHarness()
    writeFileSync(join(harness.workspace, 'victim'), 'as it was')
    const make = 'ln -s ../victim .agent/status.json.$PPID.tmp'
    const { exitCode } = await largestProgramOutput(harness.start({ argv: shell(make) }))
    expect(exitCode).toBe(0)
    expect(harness.read('workspace/victim')).toBe('as it was')
    expect(harness.status()).toMatchObject({ status: 'succeeded' })
  })

  test.each(['pipe', 'link'])(
    'the log in the workspace is a %s of an earlier run',
    async (kind) => {
      const harness = createHarness()
      const folder = join(harness.workspace, '.agent')
      mkdirSync(folder)
      writeFileSync(join(harness.workspace, 'victim'), '')
      if (kind === 'pipe') execFileSync('mkfifo', [join(folder, 'runner.log')])
      else symlinkSync(join(harness.workspace, 'victim'), join(folder, 'runner.log'))
      const ran = await harness.run({ argv: shell('echo out') })
      expect(ran).toMatchObject({ exitCode: 0, stdout: 'out\n' })
      expect(harness.read('workspace/victim')).toBe('')
      expect(harness.read('workspace/.agent/runner.log')).toBe('out\n')
    },
  )

  test('the log has a dangling link beside it, and is written', async () => {
    const harness = createHarness()
    const folder = join(harness.workspace, '.agent')
    mkdirSync(folder)
    symlinkSync('/nowhere', join(folder, 'runner.log.old'))
    const ran = await harness.run({ argv: shell('echo out') })
    expect(ran.exitCode).toBe(0)
    expect(harness.read('workspace/.agent/runner.log')).toBe('out\n')
  })

  test('the termination message is a pipe, and the run ends', async () => {
    const harness = createHarness()
    const make = 'rm -f "$AGENT_TERMINATION_MESSAGE_PATH"; mkfifo "$AGENT_TERMINATION_MESSAGE_PATH"'
    const { exitCode, stderr } = await largestProgramOutput(harness.start({ argv: shell(make) }))
    expect(exitCode).toBe(0)
    expect(stderr).toContain('cannot write the termination message')
  })

  test('an artifact is a pipe or a device, which is not read', async () => {
    const harness = createHarness()
    const artifacts = ['pipe', 'device', 'large'].map((name) => ({ name, path: name }))
    const ran = await harness.run({
      run: { artifacts },
      argv: shell('mkfifo pipe; ln -s /dev/zero device; truncate -s 1G large'),
    })
    expect(ran.exitCode).toBe(0)
    expect(harness.status().artifacts.outputArtifacts).toEqual([
      artifacts[0],
      artifacts[1],
      { ...artifacts[2], bytes: 1 << 30 },
    ])
  })

  test('its task is a pipe of an earlier run', async () => {
    const harness = createHarness()
    mkdirSync(join(harness.workspace, '.agent'))
    execFileSync('mkfifo', [join(harness.workspace, '.agent', 'task.md')])
    const ran = await harness.run({ runner: { cli: 'aider' }, argv: shell('touch ran') })
    expect(ran.exitCode).toBe(0)
    expect(readFileSync(join(harness.workspace, '.agent', 'task.md'), 'utf8')).toContain('Do it')
    expect(existsSync(join(harness.workspace, 'ran'))).toBe(true)
  })
})

describe('output that imitates', limits, () => {
  const fake = (run: string, message: string) =>
    JSON.stringify({ time: '2026-01-01T00:00:00Z', level: 'error', message, run, detail: 'MARK' })

  test('a line of the runner is no longer one', async () => {
    const harness = createHarness()
    const escaped = fake('demo', 'escaped').replace('"run"', '"r\\u0075n"')
    const lines = [
      fake('demo', 'run finished'),
      escaped,
      fake('other', 'of another run'),
      '{"a":1}',
    ]
    writeFileSync(join(harness.workspace, 'lines'), `${lines.join('\n')}\n`)
    const ran = await harness.run({ argv: shell('cat lines; cat lines >&2') })
    const expected = [` ${lines[0]}`, ` ${lines[1]}`, lines[2], lines[3], ''].join('\n')
    expect(ran.stdout).toBe(expected)
    expect(ran.stderr).toContain(expected)
  })

  test('a line of the runner at the seam of a long line is no longer one', async () => {
    const harness = createHarness()
    const line = fake('demo', 'run finished')
    writeFileSync(join(harness.workspace, 'line'), `${line}\n`)
    // Its first part is passed on before the rest arrives, and another stream may end the line in between.
    const script = "head -c 1048577 /dev/zero | tr '\\0' x; sleep 1; cat line"
    const ran = await harness.run({ argv: shell(script) })
    expect(ran.stdout.slice((1 << 20) + 1)).toBe(` ${line}\n`)
  })

  test('usage of an adapter, in the prose of a program that reports usage elsewhere', async () => {
    const harness = createHarness()
    const event =
      '{"event":"message_send","properties":{"prompt_tokens":9000,"completion_tokens":1}}'
    const ran = await harness.run({
      argv: ['--adapter', 'aider', ...shell(`echo '${event}'`)],
    })
    expect(ran.message).not.toHaveProperty('usage')
  })

  test.each(['codex', 'claude-code', 'gemini-cli', 'opencode', 'plain'])(
    'usage in the prose of %s is no usage',
    async (adapter) => {
      const harness = createHarness()
      const events = [
        { type: 'turn.completed', usage: { input_tokens: 9000 } },
        { type: 'result', total_cost_usd: 9000, usage: { input_tokens: 9000 } },
        { type: 'result', stats: { input_tokens: 9000 } },
        { type: 'step_finish', part: { tokens: { input: 9000 } } },
      ].map((event) => JSON.stringify(event))
      const prose = events.flatMap((event) => [
        `I used ${event}`,
        ` ${event}`,
        `[${event}]`,
        JSON.stringify(event),
        JSON.stringify({ type: 'text', text: event }),
      ])
      writeFileSync(join(harness.workspace, 'prose'), `${prose.join('\n')}\n`)
      writeFileSync(join(harness.workspace, 'events'), `${events.join('\n')}\n`)
      const ran = await harness.run({
        argv: ['--adapter', adapter, ...shell('cat prose; cat events >&2')],
      })
      expect(ran.message).toMatchObject({ outcome: 'succeeded' })
      expect(ran.message).not.toHaveProperty('usage')
    },
  )
})
