import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { startGitServer } from './testing/git-server.ts'
import { createWorkbench, shell, vcs, type Workbench } from './testing/workbench.ts'

// Whole processes on busy machines: a limit for hangs, not for speed.
const patience = { timeout: 60_000 }

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
function watchArguments(bench: Workbench): Record<string, string> {
  const script = `#!/bin/sh\nprintf '%s\\n' "$0" "$@" >> ${join(bench.root, 'arguments')}\nPATH=/usr/local/bin:/usr/bin:/bin exec git "$@"\n`
  writeFileSync(join(bench.root, 'git'), script, { mode: 0o755 })
  return { PATH: `${bench.root}:/usr/local/bin:/usr/bin:/bin` }
}

/** Everything that was written anywhere, but for what the test itself wrote. */
function allFiles(bench: Workbench): { path: string; text: string }[] {
  return readdirSync(bench.root, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => ({ path, text: readFileSync(path, 'latin1') }))
}

describe('a secret', patience, () => {
  test('reaches the remote and shows nowhere else', async () => {
    const bench = createWorkbench()
    bench.createRemote()
    bench.git('remotes/owner/app.git', 'config', 'http.receivepack', 'true')
    const server = await startGitServer(bench.remotes, header)
    const ran = await bench.run({
      run: {
        vcs: vcs(bench.remotes, {
          provider: 'github',
          cloneBaseUrl: server.url,
          pullRequestsEnabled: true,
        }),
      },
      env: {
        ...watchArguments(bench),
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
    expect(bench.read('arguments')).toContain('push')
    const own = join(bench.workspace, '.agent', 'report.json')
    const places = [
      { path: 'stdout', text: ran.stdout },
      { path: 'stderr', text: ran.stderr },
      { path: 'message', text: bench.read('termination-log') },
      ...allFiles(bench).filter(({ path }) => path !== own),
    ]
    for (const spelling of spellings) {
      const leaks = places.filter(({ text }) => text.includes(spelling)).map(({ path }) => path)
      expect(leaks, spelling).toEqual([])
    }
  })

  test('that is wrong is not told when the remote refuses it', async () => {
    const bench = createWorkbench()
    bench.createRemote()
    const server = await startGitServer(bench.remotes, 'Basic another')
    const ran = await bench.run({
      run: { vcs: vcs(bench.remotes, { provider: 'github', cloneBaseUrl: server.url }) },
      env: { VCS_TOKEN: token },
      argv: shell('true'),
    })
    expect(ran).toMatchObject({ exitCode: 69, message: { reason: 'CheckoutFailed' } })
    for (const spelling of spellings) {
      expect(ran.stdout + ran.stderr + JSON.stringify(ran.message)).not.toContain(spelling)
    }
  })

  test('for the repository is kept from a program that may not open pull requests', async () => {
    const bench = createWorkbench()
    bench.createRemote()
    const ran = await bench.run({
      run: { vcs: vcs(bench.remotes) },
      env: { VCS_TOKEN: token, GITHUB_TOKEN: token, MODEL_API_KEY: apiKey },
      argv: shell('echo "<$VCS_TOKEN><$GITHUB_TOKEN>"; test -n "$MODEL_API_KEY"'),
    })
    expect(ran).toMatchObject({ exitCode: 0, stdout: '<><>\n' })
  })

  test('in a document that cannot be read is not quoted', async () => {
    const bench = createWorkbench()
    const ran = await bench.run({
      argv: shell('true'),
      env: { AGENT_RUNNER_SPEC: `{"secret": "${apiKey}" oops` },
    })
    expect(ran.exitCode).toBe(78)
    expect(ran.stderr + JSON.stringify(ran.message)).not.toContain(apiKey)
  })
})
