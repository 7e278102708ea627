import { appendFileSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { createStop } from '../process/stop.ts'
import { createHarness, type RunnerHarness, shell, vcs } from '../testing/runner-harness.ts'

// Whole processes on busy machines: a limit for hangs, not for speed.
const pollOptions = { timeout: 240_000 }

const edit = shell('echo more >> README.md')

/** Somebody else's commit on a branch of the remote. */
function commitElsewhere(harness: RunnerHarness, branch: string): void {
  harness.git('seed', 'checkout', '--quiet', '-B', branch, 'main')
  writeFileSync(join(harness.root, 'seed', 'other.txt'), `${branch}\n`)
  harness.git('seed', 'add', '--all')
  harness.git('seed', 'commit', '--quiet', '--message=Elsewhere')
  harness.git('seed', 'push', '--quiet', 'origin', branch)
}

function show(harness: RunnerHarness, spec: string) {
  return harness.git('remotes/owner/app.git', 'show', spec)
}
function branches(harness: RunnerHarness) {
  return harness
    .git('remotes/owner/app.git', 'for-each-ref', '--format=%(refname:short)', 'refs/heads')
    .trim()
    .split('\n')
}

describe('a run in a repository', pollOptions, () => {
  test('commits what the program changed and pushes it', async () => {
    const harness = createHarness()
    harness.createRemote()
    const ran = await harness.run({
      run: {
        vcs: vcs(harness.remotes, {
          headBranch: 'agents/demo',
          defaults: { commitAuthorName: 'Release Agent', commitAuthorEmail: 'agent@example.com' },
        }),
      },
      argv: edit,
    })
    expect(ran.exitCode).toBe(0)
    expect(ran.message?.vcs).toEqual({
      repository: 'owner/app',
      baseBranch: 'main',
      headBranch: 'agents/demo',
      commit: harness.git('remotes/owner/app.git', 'rev-parse', 'agents/demo').trim(),
      pushed: true,
      filesChanged: 1,
      insertions: 1,
      deletions: 0,
    })
    expect(show(harness, 'agents/demo:README.md')).toBe('# App\nmore\n')
    expect(
      harness.git('remotes/owner/app.git', 'log', '-1', '--format=%an <%ae>%n%B', 'agents/demo'),
    ).toBe('Release Agent <agent@example.com>\nDo it\n\nAgent-Run: agents/demo\n\n')
  })

  test('pushes what the program committed itself', async () => {
    const harness = createHarness()
    harness.createRemote()
    const ran = await harness.run({
      run: { vcs: vcs(harness.remotes) },
      argv: shell('echo more >> README.md && git commit -qam "Mine" && git log -1 --format=%an'),
    })
    expect(ran).toMatchObject({ exitCode: 0, stdout: 'Agent\n' })
    expect(harness.git('remotes/owner/app.git', 'log', '-1', '--format=%s', 'agents/demo')).toBe(
      'Mine\n',
    )
  })

  test('pushes nothing when nothing has changed', async () => {
    const harness = createHarness()
    harness.createRemote()
    const ran = await harness.run({ run: { vcs: vcs(harness.remotes) }, argv: shell('true') })
    expect(ran).toMatchObject({ exitCode: 0, message: { vcs: { pushed: false } } })
    expect(branches(harness)).toEqual(['main'])
  })

  test('pushes nothing when the program has failed', async () => {
    const harness = createHarness()
    harness.createRemote()
    const ran = await harness.run({
      run: { vcs: vcs(harness.remotes) },
      argv: shell('echo more >> README.md; exit 3'),
    })
    expect(ran).toMatchObject({ exitCode: 3, message: { vcs: { pushed: false } } })
    expect(branches(harness)).toEqual(['main'])
  })

  test.each([
    { because: 'the policy is read-only', rest: { mode: 'read-only' } },
    { because: 'writing is switched off', rest: { writeEnabled: false } },
  ])('pushes nothing when $because', async ({ rest }) => {
    const harness = createHarness()
    harness.createRemote()
    const ran = await harness.run({ run: { vcs: vcs(harness.remotes, rest) }, argv: edit })
    expect(ran).toMatchObject({ exitCode: 0, message: { vcs: { pushed: false } } })
    expect(branches(harness)).toEqual(['main'])
  })

  test('is not used if the policy is none', async () => {
    const harness = createHarness()
    const ran = await harness.run({
      run: { vcs: vcs(harness.remotes, { mode: 'none' }) },
      argv: shell('pwd'),
    })
    expect(ran).toMatchObject({ exitCode: 0, stdout: `${harness.workspace}\n` })
    expect(ran.message?.vcs).toBeUndefined()
  })

  test('begins an empty repository', async () => {
    const harness = createHarness()
    mkdirSync(join(harness.remotes, 'owner'))
    harness.git('remotes/owner', 'init', '--quiet', '--bare', 'app.git')
    const ran = await harness.run({ run: { vcs: vcs(harness.remotes) }, argv: edit })
    expect(ran.message).toMatchObject({ outcome: 'succeeded', vcs: { pushed: true } })
    expect(show(harness, 'agents/demo:README.md')).toBe('more\n')
  })

  test.each([
    { because: 'a tag', base: (_: string) => 'v1' },
    { because: 'a commit', base: (commit: string) => commit },
  ])('starts from $because', async ({ base }) => {
    const harness = createHarness()
    harness.createRemote()
    const commit = harness.git('seed', 'rev-parse', 'HEAD').trim()
    harness.git('seed', 'tag', '--annotate', '--message=One', 'v1')
    harness.git('seed', 'push', '--quiet', 'origin', 'v1')
    commitElsewhere(harness, 'next')
    harness.git('seed', 'push', '--quiet', 'origin', 'next:main')
    const ran = await harness.run({
      run: { vcs: vcs(harness.remotes, { baseBranch: base(commit), mode: 'read-only' }) },
      argv: shell('git rev-parse HEAD; test ! -e other.txt'),
    })
    expect(ran).toMatchObject({ exitCode: 0, stdout: `${commit}\n` })
  })

  test('without a base starts from the branch that the remote prefers', async () => {
    const harness = createHarness()
    harness.createRemote()
    commitElsewhere(harness, 'trunk')
    harness.git('remotes/owner/app.git', 'symbolic-ref', 'HEAD', 'refs/heads/trunk')
    const ran = await harness.run({
      run: { vcs: vcs(harness.remotes, { baseBranch: undefined }) },
      argv: shell('cat other.txt; echo "$VCS_BASE_BRANCH $VCS_HEAD_BRANCH"'),
    })
    expect(ran.stdout).toBe('trunk\ntrunk agents/demo\n')
  })

  test('keeps input files out of the commit', async () => {
    const harness = createHarness()
    harness.createRemote()
    await harness.run({
      run: { vcs: vcs(harness.remotes) },
      runner: {
        providerSpec: {
          binary: '/bin/sh',
          argsTemplate: ['-c', 'cp "task [1].md" copy.md'],
          inputFiles: [{ path: '/workspace/repo/task [1].md', content: 'x' }],
        },
      },
    })
    expect(
      harness.git('remotes/owner/app.git', 'ls-tree', '--name-only', 'agents/demo').split('\n'),
    ).toEqual(['README.md', 'copy.md', ''])
  })

  test('in a workspace that was used before starts clean', async () => {
    const harness = createHarness()
    harness.createRemote()
    const run = { vcs: vcs(harness.remotes, { headBranch: 'work' }) }
    await harness.run({ run, argv: shell('echo junk > junk.txt; echo spoilt > README.md; exit 1') })
    const ran = await harness.run({ run, argv: shell('ls; cat README.md') })
    expect(ran.stdout).toBe('README.md\n# App\n')
  })
})

describe('the branch that the work goes to', pollOptions, () => {
  const withDefaults = (harness: RunnerHarness, defaults: object, rest: object = {}) => ({
    vcs: vcs(harness.remotes, { defaults, ...rest }),
  })

  test('is made by the template', async () => {
    const harness = createHarness()
    harness.createRemote()
    const run = withDefaults(harness, { branchTemplate: 'work/{{ parameters.stage }}' })
    const ran = await harness.run({ run, argv: edit })
    expect(ran.message?.vcs?.headBranch).toBe('work/plan')
  })

  test('is built upon when the controller chose it', async () => {
    const harness = createHarness()
    harness.createRemote()
    commitElsewhere(harness, 'work')
    const run = withDefaults(harness, {}, { headBranch: 'work' })
    const ran = await harness.run({ run, argv: edit })
    expect(ran.message?.vcs).toMatchObject({ headBranch: 'work', pushed: true })
    expect(show(harness, 'work:other.txt')).toBe('work\n')
  })

  test('gets the suffix when the template’s name is taken', async () => {
    const harness = createHarness()
    harness.createRemote()
    commitElsewhere(harness, 'work')
    const run = withDefaults(harness, {
      branchTemplate: 'work',
      branchConflictSuffixTemplate: '{{ agentRun.uid }}',
    })
    const ran = await harness.run({ run, argv: edit })
    expect(ran.message?.vcs).toMatchObject({ headBranch: 'work-u-1', pushed: true })
    expect(branches(harness)).toEqual(['main', 'work', 'work-u-1'])
  })

  test('gets the suffix when another writer was faster', async () => {
    const harness = createHarness()
    harness.createRemote()
    commitElsewhere(harness, 'elsewhere')
    const run = withDefaults(
      harness,
      { branchConflictSuffixTemplate: '{{ agentRun.uid }}' },
      { headBranch: 'work' },
    )
    const push = `git -C ${join(harness.root, 'seed')} push --quiet origin elsewhere:work`
    const ran = await harness.run({ run, argv: shell(`${push} && echo more >> README.md`) })
    expect(ran.message?.vcs).toMatchObject({ headBranch: 'work-u-1', pushed: true })
    expect(show(harness, 'work:other.txt')).toBe('elsewhere\n')
  })

  test('is pushed to though the remote has refs that look like it', async () => {
    const harness = createHarness()
    const remote = harness.createRemote()
    // Git takes the full name of the branch for an abbreviation of these, too.
    const lookalikes = ['refs/heads/refs/heads/agents/demo', 'refs/tags/refs/heads/agents/demo']
    for (const ref of lookalikes) harness.git(remote, 'update-ref', ref, 'main')
    const main = harness.git(remote, 'rev-parse', 'main')
    const ran = await harness.run({ run: withDefaults(harness, {}), argv: edit })
    expect(ran.message?.vcs).toMatchObject({ headBranch: 'agents/demo', pushed: true })
    const pushed = harness.git(remote, 'rev-parse', 'refs/heads/agents/demo').trim()
    expect(pushed).toBe(ran.message?.vcs?.commit)
    for (const ref of lookalikes) expect(harness.git(remote, 'rev-parse', ref)).toBe(main)
  })

  test.each([
    {
      because: 'a space',
      branchTemplate: 'work on {{ parameters.stage }}',
      reason: 'InvalidBranch',
    },
    { because: 'an option', branchTemplate: '--upload-pack=x', reason: 'InvalidBranch' },
    { because: 'a full name', branchTemplate: 'refs/heads/main', reason: 'InvalidBranch' },
    { because: 'what Git expands', branchTemplate: '@', reason: 'InvalidBranch' },
    { because: 'the tip', branchTemplate: 'HEAD', reason: 'InvalidBranch' },
    { because: 'an unknown path', branchTemplate: '{{ parameters.x }}', reason: 'InvalidTemplate' },
  ])('is refused for $because', async ({ branchTemplate, reason }) => {
    const harness = createHarness()
    harness.createRemote()
    const ran = await harness.run({ run: withDefaults(harness, { branchTemplate }), argv: edit })
    expect(ran).toMatchObject({ exitCode: 78, message: { reason } })
  })
})

describe('when version control fails', pollOptions, () => {
  test.each([
    { because: 'there is no such repository', rest: { repository: 'owner/none' }, exitCode: 69 },
    { because: 'there is no such base', rest: { baseBranch: 'none' }, exitCode: 69 },
    { because: 'the repository is no name', rest: { repository: '../../etc' }, exitCode: 78 },
    {
      because: 'the address has a password',
      rest: { cloneBaseUrl: 'https://a:b@x.invalid' },
      exitCode: 78,
    },
    { because: 'the address is a command', rest: { cloneBaseUrl: 'ext::sh' }, exitCode: 78 },
  ])('the program is not run: $because', async ({ rest, exitCode }) => {
    const harness = createHarness()
    harness.createRemote()
    const ran = await harness.run({
      run: { vcs: vcs(harness.remotes, rest) },
      argv: shell('touch ../ran'),
    })
    expect(ran).toMatchObject({ exitCode, message: { outcome: 'failed' } })
    expect(existsSync(join(harness.workspace, 'ran'))).toBe(false)
  })

  test('a push that the remote refuses fails the run, in the remote’s words', async () => {
    const harness = createHarness()
    const remote = harness.createRemote()
    const hook = join(harness.root, remote, 'hooks', 'pre-receive')
    writeFileSync(hook, '#!/bin/sh\necho "no robots" >&2\nexit 1\n', { mode: 0o755 })
    const ran = await harness.run({ run: { vcs: vcs(harness.remotes) }, argv: edit })
    expect(ran).toMatchObject({
      exitCode: 77,
      message: { reason: 'PushRejected', vcs: { pushed: false } },
    })
    expect(ran.message?.message).toContain('pre-receive hook declined')
  })

  test('a remote that cannot store the commits fails the run with what the remote says', async () => {
    const harness = createHarness()
    const remote = harness.createRemote()
    appendFileSync(join(harness.root, remote, 'config'), '[receive]\n\tmaxInputSize = 10\n')
    const ran = await harness.run({ run: { vcs: vcs(harness.remotes) }, argv: edit })
    expect(ran).toMatchObject({ exitCode: 77, message: { reason: 'PushRejected' } })
    expect(ran.message?.message).toContain(
      'the repository could not store the commits (unpacker error)',
    )
    expect(ran.message?.message).toContain('pack exceeds maximum allowed size')
  })

  test('commits of another writer are never overwritten', async () => {
    const harness = createHarness()
    harness.createRemote()
    commitElsewhere(harness, 'elsewhere')
    const push = `git -C ${join(harness.root, 'seed')} push --quiet origin elsewhere:work`
    const ran = await harness.run({
      run: { vcs: vcs(harness.remotes, { headBranch: 'work' }) },
      argv: shell(`${push} && echo more >> README.md`),
    })
    expect(ran).toMatchObject({ exitCode: 77, message: { reason: 'PushConflict' } })
    expect(show(harness, 'work:other.txt')).toBe('elsewhere\n')
  })

  test('a branch that another writer holds is a conflict', async () => {
    const harness = createHarness()
    const remote = harness.createRemote()
    mkdirSync(join(harness.root, remote, 'refs', 'heads', 'agents'))
    writeFileSync(join(harness.root, remote, 'refs', 'heads', 'agents', 'demo.lock'), '')
    const ran = await harness.run({ run: { vcs: vcs(harness.remotes) }, argv: edit })
    expect(ran.message).toMatchObject({ reason: 'PushConflict', vcs: { pushed: false } })
  })

  test('hooks and settings that the program leaves in the repository are not obeyed', async () => {
    const harness = createHarness()
    harness.createRemote()
    const trap = 'printf "#!/bin/sh\\ntouch %s/trapped\\n" "$AGENT_WORKSPACE"'
    const script = `for hook in pre-commit pre-push post-commit; do
        ${trap} > .git/hooks/$hook; chmod +x .git/hooks/$hook; done
      git config core.fsmonitor .git/hooks/pre-push
      git config credential.helper "!touch $AGENT_WORKSPACE/trapped"
      git config core.sshCommand "touch $AGENT_WORKSPACE/trapped"
      echo more >> README.md`
    const ran = await harness.run({ run: { vcs: vcs(harness.remotes) }, argv: shell(script) })
    expect(ran.message).toMatchObject({ outcome: 'succeeded', vcs: { pushed: true } })
    expect(existsSync(join(harness.workspace, 'trapped'))).toBe(false)
  })

  test('a stop while the repository is fetched ends the run', async () => {
    const harness = createHarness()
    harness.createRemote()
    const stop = createStop()
    stop.request({ kind: 'Terminated', signal: 'SIGTERM' })
    const ran = await harness.run({ run: { vcs: vcs(harness.remotes) }, stop, argv: edit })
    expect(ran).toMatchObject({ exitCode: 143, message: { outcome: 'cancelled' } })
  })
})
