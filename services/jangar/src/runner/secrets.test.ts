import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startGitServer } from './testing/git-server.ts'
import { createHarness, type RunnerHarness, shell, vcs } from './testing/runner-harness.ts'

// Whole processes on busy machines: a limit for hangs, not for speed.
const pollOptions = { timeout: 60_000 }

const token = 'planted-"token/1234567890'
const apiKey = 'planted-api-key-0987654321'
const header = `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`
const spellings = [
  token,
  apiKey,
  header.slice('Basic '.length),
  JSON.stringify(token).slice(1, -1),
  encodeURIComponent(token),
  Buffer.from(token).toString('base64'),
]

/** A `git` and a program before the real ones that write down how they are called. */
function watchArguments(harness: RunnerHarness): Record<string, string> {
  const script = `#!/bin/sh\nprintf '%s\\n' "$0" "$@" >> ${join(harness.root, 'arguments')}\nPATH=/usr/local/bin:/usr/bin:/bin exec git "$@"\n`
  writeFileSync(join(harness.root, 'git'), script, { mode: 0o755 })
  return { PATH: `${harness.root}:/usr/local/bin:/usr/bin:/bin` }
}

/** Everything that was written anywhere, but for what the test itself wrote. */
function allFiles(harness: RunnerHarness): { path: string; text: string }[] {
  return readdirSync(harness.root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path, text: readFileSync(path, 'latin1') }))
}

describe('a secret', pollOptions, () => {
  test('reaches the remote and shows nowhere else', async () => {
    const harness = createHarness()
    harness.createRemote()
    harness.git('remotes/owner/app.git', 'config', 'http.receivepack', 'true')
    const server = await startGitServer(harness.remotes, header)
    const ran = await harness.run({
      run: {
        vcs: vcs(harness.remotes, {
          provider: 'github',
          cloneBaseUrl: server.url,
          pullRequestsEnabled: true,
        }),
      },
      env: {
        ...watchArguments(harness),
        VCS_TOKEN: token,
        GH_TOKEN: token,
        MODEL_API_KEY: apiKey,
      },
      argv: shell(`echo "token $GH_TOKEN"; echo "key $MODEL_API_KEY" >&2
        printf '%s' "$GH_TOKEN" | base64 -w0; echo
        echo '{"summary":"used '"$MODEL_API_KEY"'","outputs":{"key":"'"$MODEL_API_KEY"'"}}' > "$AGENT_REPORT_PATH"
        git config --list; echo more >> README.md`),
    })
    expect(ran.message).toMatchObject({ outcome: 'succeeded', vcs: { pushed: true } })
    expect(new Set(server.seen)).toEqual(new Set([header]))
    expect(ran.stdout).toContain('token ***\n***\n')
    expect(ran.stderr).toContain('key ***')
    expect(harness.read('arguments')).toContain('push')
    const own = join(harness.workspace, '.agent', 'report.json')
    const places = [
      { path: 'stdout', text: ran.stdout },
      { path: 'stderr', text: ran.stderr },
      { path: 'message', text: harness.read('termination-log') },
      ...allFiles(harness).filter(({ path }) => path !== own),
    ]
    for (const spelling of spellings) {
      const leaks = places.filter(({ text }) => text.includes(spelling)).map(({ path }) => path)
      expect(leaks, spelling).toEqual([])
    }
  })

  test('that is wrong is not shown when the remote rejects it', async () => {
    const harness = createHarness()
    harness.createRemote()
    const server = await startGitServer(harness.remotes, 'Basic another')
    const ran = await harness.run({
      run: { vcs: vcs(harness.remotes, { provider: 'github', cloneBaseUrl: server.url }) },
      env: { VCS_TOKEN: token },
      argv: shell('true'),
    })
    expect(ran).toMatchObject({ exitCode: 69, message: { reason: 'CheckoutFailed' } })
    for (const spelling of spellings) {
      expect(ran.stdout + ran.stderr + JSON.stringify(ran.message)).not.toContain(spelling)
    }
  })

  test.each([20_000, 100_000])(
    'of %i characters shows nowhere, and the outcome is reported',
    async (size) => {
      const harness = createHarness()
      const large = randomBytes(size / 2)
        .toString('hex')
        .replaceAll(/.{64}/g, '$&\n')
      const ran = await harness.run({
        argv: shell('printf "%s\\n" "$BIG_TOKEN" | tee /dev/stderr; exit 3'),
        env: { BIG_TOKEN: large },
      })
      expect(ran.message).toMatchObject({ outcome: 'failed', reason: 'ProgramFailed', exitCode: 3 })
      expect(ran.stdout).toContain('***')
      const shown = ran.stdout + ran.stderr + JSON.stringify(ran.message)
      expect(large.split('\n').filter((line) => line !== '' && shown.includes(line))).toEqual([])
    },
  )

  test('in the name of an output is masked, and one that is an outcome changes none', async () => {
    const harness = createHarness()
    const ran = await harness.run({
      argv: shell(`echo '{"outputs":{"'"$MODEL_API_KEY"'":"x"}}' > "$AGENT_REPORT_PATH"`),
      env: { MODEL_API_KEY: apiKey, OTHER_TOKEN: 'succeeded' },
    })
    expect(ran.message).toMatchObject({ outcome: 'succeeded', outputs: { '***': 'x' } })
  })

  test('in a document that cannot be read is not quoted', async () => {
    const harness = createHarness()
    const ran = await harness.run({
      argv: shell('true'),
      env: { AGENT_RUNNER_SPEC: `{"secret": "${apiKey}" oops` },
    })
    expect(ran.exitCode).toBe(78)
    expect(ran.stderr + JSON.stringify(ran.message)).not.toContain(apiKey)
  })
})
