import { expect, test } from 'vitest'
import { createHarness, type RunnerHarness, shell, vcs } from './testing/runner-harness.ts'

function inRepository(): RunnerHarness {
  const harness = createHarness()
  harness.createRemote()
  return harness
}

test('PWD is the folder that the program is started in', async () => {
  const harness = inRepository()
  const ran = await harness.run({
    run: { vcs: vcs(harness.remotes, { mode: 'read-only' }) },
    env: { PWD: harness.workspace, OLDPWD: '/' },
    argv: ['--', process.execPath, '-e', 'console.log(process.env.PWD, process.env.OLDPWD)'],
  })
  expect(ran).toMatchObject({ exitCode: 0, stdout: `${harness.workspace}/repo undefined\n` })
})

test('what was pushed is counted by the publisher', async () => {
  const harness = inRepository()
  const ran = await harness.run({
    run: { vcs: vcs(harness.remotes) },
    argv: shell(
      'printf "a\\nb\\n" > README.md; printf "1\\n2\\n3\\n" > new.txt; printf "\\0" > b.bin',
    ),
  })
  expect(ran.message?.vcs).toMatchObject({
    headBranch: 'agents/demo',
    pushed: true,
    filesChanged: 3,
    insertions: 5,
    deletions: 1,
  })
})

test('the first commits of an empty repository are counted from nothing', async () => {
  const harness = createHarness()
  harness.git('.', 'init', '--quiet', '--bare', '--initial-branch=main', 'remotes/owner/app.git')
  const { baseBranch: _, ...repository } = vcs(harness.remotes)
  const ran = await harness.run({
    run: { vcs: repository },
    argv: shell('echo a > a; git add a; git commit -qm a; echo b > b'),
  })
  expect(ran.message?.vcs).toMatchObject({ pushed: true, filesChanged: 2, insertions: 2 })
})

test('a run without changes succeeds with a reason of its own, and names no branch', async () => {
  const harness = inRepository()
  const ran = await harness.run({ run: { vcs: vcs(harness.remotes) }, argv: shell('true') })
  expect(ran).toMatchObject({
    exitCode: 0,
    message: { outcome: 'succeeded', reason: 'NoChanges', vcs: { pushed: false } },
  })
  expect(ran.message?.vcs).not.toHaveProperty('headBranch')
})

test('a run without changes fails if changes are required', async () => {
  const harness = inRepository()
  const documents = { run: { vcs: vcs(harness.remotes) }, plan: { requireChanges: true } }
  const idle = await harness.run({ ...documents, argv: shell('true') })
  expect(idle.exitCode).toBe(65)
  const busy = await harness.run({ ...documents, argv: shell('echo more >> README.md') })
  expect(busy).toMatchObject({ exitCode: 0, message: { vcs: { pushed: true } } })
})

test.each([
  { because: 'standard error', script: 'echo out; echo the cause >&2; echo >&2; exit 3' },
  { because: 'standard output if there is no other', script: 'echo the cause; exit 3' },
  { because: 'colours removed', script: 'printf "\\033[31mthe \\033[0mcause\\n" >&2; exit 3' },
  {
    because: 'events of a known program',
    script: `echo '{"type":"turn.failed","error":{"message":"the cause"}}'; echo later >&2; exit 3`,
    adapter: 'codex',
  },
])('the message of a failure quotes the last error: $because', async ({ script, adapter }) => {
  const own = adapter === undefined ? [] : ['--adapter', adapter]
  const ran = await createHarness().run({ argv: [...own, ...shell(script)] })
  expect(ran.message).toMatchObject({
    reason: 'ProgramFailed',
    message: '/bin/sh ended with exit code 3: the cause',
  })
})

test('a Secret in the last error is masked, also where the line is shortened', async () => {
  const secret = `sk-${'0123456789abcdef'.repeat(4)}`
  const ran = await createHarness().run({
    env: { MODEL_API_KEY: secret },
    argv: shell('head -c 360 /dev/zero | tr "\\0" x >&2; echo " $MODEL_API_KEY" >&2; exit 1'),
  })
  expect(ran.message?.message).toContain('xxx')
  expect(JSON.stringify(ran.message)).not.toContain('sk-0123')
})

test('summary and outputs reach the controller', async () => {
  const report = JSON.stringify({ summary: 'Fixed it.', outputs: { ticket: 'A-1' } })
  const ran = await createHarness().run({
    argv: shell(`echo '${report}' > "$AGENT_REPORT_PATH"`),
  })
  expect(ran.message).toMatchObject({ summary: 'Fixed it.', outputs: { ticket: 'A-1' } })
})

test('a program that its model refuses to answer fails with a reason of its own', async () => {
  const event = {
    type: 'error',
    error: {
      name: 'APIError',
      data: { message: 'slow down', statusCode: 429, responseHeaders: { 'retry-after': '70' } },
    },
  }
  const harness = createHarness()
  const ran = await harness.run({
    argv: ['--adapter', 'opencode', ...shell(`echo '${JSON.stringify(event)}'; exit 4`)],
  })
  expect(ran).toMatchObject({
    exitCode: 4,
    message: { outcome: 'failed', reason: 'RateLimited', exitCode: 4, retryAfterSeconds: 70 },
  })
  expect(ran.message?.message).toContain('slow down')
})

test('a program that succeeds after a rate limit has succeeded', async () => {
  const event = { type: 'error', error: { name: 'E', data: { statusCode: 429 } } }
  const ran = await createHarness().run({
    argv: ['--adapter', 'opencode', ...shell(`echo '${JSON.stringify(event)}'`)],
  })
  expect(ran).toMatchObject({ exitCode: 0, message: { reason: 'Succeeded' } })
  expect(ran.message).not.toHaveProperty('retryAfterSeconds')
})
