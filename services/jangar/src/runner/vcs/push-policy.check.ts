import { describe, expect, test } from 'vitest'
import { createHarness, type RunnerHarness, shell, vcs } from '../testing/runner-harness.ts'

// Whole processes on busy machines: a limit for hangs, not for speed.
const pollOptions = { timeout: 240_000 }

const token = `ghp${'_'}${'aB3d'.repeat(9)}`

function branches(harness: RunnerHarness): string {
  return harness.git('remotes/owner/app.git', 'for-each-ref', '--format=%(refname:short)')
}

describe('a run that breaks the push policy', pollOptions, () => {
  test.each([
    {
      because: 'a workflow',
      script: 'mkdir -p .github/workflows; echo x > .github/workflows/ci.yml',
      says: '.github/workflows/ci.yml',
    },
    { because: 'a token', script: `echo ${token} > conf.env`, says: 'conf.env contains' },
    { because: 'a link', script: 'ln -s /etc/passwd users', says: 'users: it is a symbolic link' },
    {
      because: 'a path',
      plan: { pushPolicy: { allowedPaths: ['src/*'] } },
      script: 'echo more >> README.md',
      says: 'README.md: pushPolicy.allowedPaths',
    },
  ])('by $because pushes nothing, and names the file', async ({ script, says, plan }) => {
    const harness = createHarness()
    harness.createRemote()
    const run = { vcs: vcs(harness.remotes) }
    const ran = await harness.run({ run, argv: shell(script), ...(plan && { plan }) })
    expect(ran).toMatchObject({ exitCode: 77, message: { reason: 'PushPolicyViolated' } })
    expect(ran.message?.message).toContain(says)
    expect(branches(harness)).toBe('main\n')
    expect(ran.stdout + ran.stderr + JSON.stringify(ran.message)).not.toContain(token)
    expect(ran.stdout).not.toContain('BEGIN GIT BUNDLE')
  })

  test('by the value of a Secret of its own pushes nothing', async () => {
    const harness = createHarness()
    harness.createRemote()
    const value = 'correct-horse-battery'
    const ran = await harness.run({
      run: { vcs: vcs(harness.remotes) },
      runner: { secretEnv: ['DATABASE'] },
      env: { DATABASE: value },
      argv: shell('echo "$DATABASE" | base64 > notes.txt'),
    })
    expect(ran).toMatchObject({ exitCode: 77, message: { reason: 'PushPolicyViolated' } })
    expect(branches(harness)).toBe('main\n')
    expect(ran.stdout + ran.stderr + JSON.stringify(ran.message)).not.toContain(value)
  })

  test('pushes what the policy allows', async () => {
    const harness = createHarness()
    harness.createRemote()
    const ran = await harness.run({
      run: { vcs: vcs(harness.remotes) },
      plan: { pushPolicy: { deniedPaths: [] } },
      argv: shell('mkdir -p .github/workflows; echo x > .github/workflows/ci.yml'),
    })
    expect(ran.message?.vcs?.pushed).toBe(true)
  })
})
