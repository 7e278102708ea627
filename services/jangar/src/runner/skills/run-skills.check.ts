import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type SkillsPlan, skillsPlanVariable } from '../../run-contract/skills-plan.ts'
import { parseTerminationMessage } from '../../run-contract/termination-message.ts'
import { createStop } from '../process/stop.ts'
import { startGitServer } from '../testing/git-server.ts'
import { createHarness, type RunnerHarness } from '../testing/runner-harness.ts'
import { runSkills } from './run-skills.ts'

const path = 'remotes/owner/skills.git'
const programPath = '/usr/local/bin:/usr/bin:/bin'
const token = 'planted-token-1234567890'

interface Setup {
  readonly harness: RunnerHarness
  readonly url: string
  /** Runs `change` in a clone and pushes what it leaves. Returns the commit. */
  push(change: (folder: string) => void): string
  fetch(skill?: object, plan?: object, env?: Record<string, string>): ReturnType<typeof fetchWith>
  /** What was written for the skill. */
  file(name: string): string
}

function setUp(): Setup {
  const harness = createHarness()
  harness.createRemote('owner/skills')
  const url = `file://${join(harness.root, path)}`
  const push: Setup['push'] = (change) => {
    change(join(harness.root, 'seed'))
    harness.git('seed', 'add', '--all')
    harness.git('seed', 'commit', '--quiet', '--message=Change')
    harness.git('seed', 'push', '--quiet', 'origin', 'HEAD:main')
    return harness.git('seed', 'rev-parse', 'HEAD').trim()
  }
  return {
    harness,
    url,
    push,
    fetch: (skill = {}, plan = {}, env = {}) =>
      fetchWith(harness, { ...notes, url, ...skill }, plan, env),
    file: (name) => readFileSync(join(harness.root, 'skills', name), 'utf8'),
  }
}

const notes = { name: 'notes', ref: 'main', path: 'skills/notes', isSigned: false }

async function fetchWith(
  harness: RunnerHarness,
  skill: SkillsPlan['skills'][number],
  plan: object,
  env: Record<string, string>,
) {
  const message = join(harness.root, 'skills.message')
  const stderr = new PassThrough()
  const exitCode = await runSkills({
    env: {
      PATH: programPath,
      [skillsPlanVariable]: JSON.stringify({ skills: [skill], ...plan }),
      AGENT_SKILLS_DIR: join(harness.root, 'skills'),
      AGENT_TERMINATION_MESSAGE_PATH: message,
      ...env,
    },
    stdout: new PassThrough(),
    stderr,
    logFormat: 'json',
    stop: createStop(),
    now: () => new Date(),
  })
  const read = parseTerminationMessage(readFileSync(message, 'utf8'))
  const log = String(stderr.read() ?? '')
  return { exitCode, message: read, log, whole: `${readFileSync(message, 'utf8')}${log}` }
}

function writeSkill(folder: string): void {
  const at = join(folder, 'skills/notes')
  mkdirSync(join(at, 'scripts'), { recursive: true })
  writeFileSync(join(at, 'SKILL.md'), 'how to')
  writeFileSync(join(at, 'scripts/run.sh'), '#!/bin/sh\n', { mode: 0o755 })
  writeFileSync(join(at, '.gitattributes'), '*.sh text eol=crlf\nSKILL.md export-ignore ident\n')
}

/** Makes a tree that git's own commands would not make, and pushes it. */
function pushTree({ harness }: Setup, entries: readonly string[]): string {
  const at = (...args: string[]) => ({
    cwd: join(harness.root, path),
    encoding: 'utf8' as const,
    input: args.join(''),
    env: { PATH: programPath, GIT_COMMITTER_NAME: 'x', GIT_COMMITTER_EMAIL: 'x@example.com' },
  })
  const blob = execFileSync('git', ['hash-object', '-w', '--stdin'], at('text')).trim()
  const raw = entries.map((entry) => {
    const [mode = '', name = ''] = entry.split(' ')
    return Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(blob, 'hex')])
  })
  const tree = execFileSync('git', ['hash-object', '-w', '-t', 'tree', '--literally', '--stdin'], {
    ...at(),
    input: Buffer.concat(raw),
  }).trim()
  const env = { ...at().env, GIT_AUTHOR_NAME: 'x', GIT_AUTHOR_EMAIL: 'x@example.com' }
  const commit = execFileSync('git', ['commit-tree', tree, '-m', 'x'], { ...at(), env }).trim()
  execFileSync('git', ['update-ref', 'refs/heads/evil', commit], at())
  return commit
}

test('a skill is fetched with its folders, as it is in the repository, and its commit reported', async () => {
  const setup = setUp()
  const commit = setup.push(writeSkill)
  const { exitCode, message } = await setup.fetch()
  expect(message).toMatchObject({ outcome: 'succeeded', skills: [{ name: 'notes', commit }] })
  expect(exitCode).toBe(0)
  expect(setup.file('notes/SKILL.md')).toBe('how to')
  expect(setup.file('notes/scripts/run.sh')).toBe('#!/bin/sh\n')
  const folder = join(setup.harness.root, 'skills')
  expect(statSync(join(folder, 'notes/scripts/run.sh')).mode & 0o777).toBe(0o755)
  // No trace of the repository, which may have more than the skill.
  expect(readdirSync(folder)).toEqual(['notes'])
})

test.each([
  { because: 'a commit, whatever the branch has since', ref: (commit: string) => commit },
  { because: 'a tag', ref: () => 'v1' },
])('a ref can be $because', async ({ ref }) => {
  const setup = setUp()
  const commit = setup.push(writeSkill)
  setup.harness.git('seed', 'tag', '--annotate', '--message=v1', 'v1')
  setup.harness.git('seed', 'push', '--quiet', 'origin', 'v1')
  setup.push((folder) => writeFileSync(join(folder, 'skills/notes/SKILL.md'), 'changed'))
  const { message } = await setup.fetch({ ref: ref(commit) })
  expect(message).toMatchObject({ skills: [{ name: 'notes', commit }] })
  expect(setup.file('notes/SKILL.md')).toBe('how to')
})

test('what an earlier container left is not part of a skill', async () => {
  const setup = setUp()
  setup.push(writeSkill)
  const old = join(setup.harness.root, 'skills/notes')
  mkdirSync(old, { recursive: true })
  writeFileSync(join(old, 'old.md'), 'old')
  symlinkSync('/etc', join(setup.harness.root, 'skills', '.fetched.git'))
  expect(await setup.fetch()).toMatchObject({ exitCode: 0 })
  expect(existsSync(join(old, 'old.md'))).toBe(false)
})

describe('a skill is refused', () => {
  test.each([
    { because: 'a branch that does not exist', skill: { ref: 'none' }, text: /has no branch, tag/ },
    { because: 'a folder that does not exist', skill: { path: 'x' }, text: /has no folder x at/ },
    { because: 'a file as folder', skill: { path: 'README.md' }, text: /has no folder README/ },
    { because: 'a folder without SKILL.md', skill: { path: '' }, text: /has no file SKILL\.md/ },
    { because: 'an option as ref', skill: { ref: '--upload-pack=touch x' }, text: /not a valid/ },
    { because: 'a range as ref', skill: { ref: 'a..b' }, text: /not a valid/ },
    { because: 'a refspec as ref', skill: { ref: 'main:refs/heads/x' }, text: /not a valid/ },
    { because: 'a path upwards', skill: { path: '../../etc' }, text: /has no folder/ },
    { because: 'an option as path', skill: { path: '--help' }, text: /has no folder --help/ },
    {
      because: 'an option as URL',
      skill: { url: '--upload-pack=touch owned' },
      text: /cannot reach/,
    },
    { because: 'a transport that runs a program', skill: { url: 'ext::touch owned' }, text: /ext/ },
  ])('for $because', async ({ skill, text }) => {
    const setup = setUp()
    setup.push(writeSkill)
    const { message, exitCode } = await setup.fetch(skill)
    expect(message).toMatchObject({
      reason: 'SkillUnavailable',
      message: expect.stringMatching(text),
    })
    expect(message?.message).toMatch(/^skill notes: /)
    expect(exitCode).toBe(69)
    expect(existsSync(join(setup.harness.root, 'skills', 'owned'))).toBe(false)
  })

  test('if it has a link, wherever that leads', async () => {
    const setup = setUp()
    setup.push((folder) => {
      writeSkill(folder)
      symlinkSync('SKILL.md', join(folder, 'skills/notes/template.md'))
    })
    const { message } = await setup.fetch()
    expect(message?.message).toMatch(/"template.md", which is a link/)
    expect(existsSync(join(setup.harness.root, 'skills/notes'))).toBe(false)
  })

  test.each([
    { because: 'a folder upwards', entries: ['100644 SKILL.md', '100644 ..'] },
    { because: 'the folder of git', entries: ['100644 SKILL.md', '100644 .GIT'] },
    { because: 'a name with a slash', entries: ['100644 SKILL.md', '100644 ../../loot'] },
    { because: 'an escape sequence', entries: ['100644 SKILL.md', '100644 \u001b[2J'] },
    { because: 'one name twice', entries: ['100644 SKILL.md', '100644 SKILL.md'] },
    { because: 'a submodule', entries: ['100644 SKILL.md', '160000 module'] },
    { because: 'an absolute path', entries: ['100644 SKILL.md', '100644 /tmp/loot'] },
  ])('if its tree has $because', async ({ entries }) => {
    const setup = setUp()
    const commit = pushTree(setup, entries)
    const { message } = await setup.fetch({ ref: commit, path: '' })
    expect(message).toMatchObject({ reason: 'SkillUnavailable' })
    expect(existsSync(join(setup.harness.root, 'loot'))).toBe(false)
    // The control: the same tree without that entry is fine.
    const fine = pushTree(setup, entries.slice(0, 1))
    expect(await setup.fetch({ ref: fine, path: '' })).toMatchObject({ exitCode: 0 })
  })

  test('if it has too many or too large files', async () => {
    const setup = setUp()
    setup.push((folder) => {
      writeSkill(folder)
      writeFileSync(join(folder, 'skills/notes/zeros'), Buffer.alloc(11 * 1024 * 1024))
    })
    const large = await setup.fetch()
    expect(large.message?.message).toMatch(/more than 10 MiB/)
    setup.push((folder) => {
      writeFileSync(join(folder, 'skills/notes/zeros'), '')
      for (let index = 0; index < 500; index += 1) {
        writeFileSync(join(folder, `skills/notes/${index}`), '')
      }
    })
    const many = await setup.fetch()
    expect(many.message?.message).toMatch(/more than 500 files/)
  })

  test('if its repository is too large to fetch, however much the server sends', async () => {
    const setup = setUp()
    const noise = Buffer.from(
      Array.from({ length: 300_000 }, (_, at) => (at * at * 2654435761) >>> 13),
    )
    setup.push((folder) => {
      writeSkill(folder)
      writeFileSync(join(folder, 'large'), noise)
    })
    const { message } = await setup.fetch({}, { largestPack: 64 * 1024 })
    expect(message).toMatchObject({
      reason: 'SkillUnavailable',
      message: expect.stringMatching(/cannot fetch main .* at most 64 KiB/s),
    })
    expect(await setup.fetch({}, { largestPack: 1024 * 1024 })).toMatchObject({ exitCode: 0 })
  })
})

describe('a credential', () => {
  const service = { provider: 'github' }
  const header = `Basic ${Buffer.from(`x-access-token:${token}`).toString('base64')}`

  test('opens the repository that it is for', async () => {
    const setup = setUp()
    setup.push(writeSkill)
    const server = await startGitServer(setup.harness.remotes, header)
    const url = `${server.url}/owner/skills.git`
    const fetched = await setup.fetch({ url, isSigned: true }, { service }, { VCS_TOKEN: token })
    expect(fetched).toMatchObject({ exitCode: 0 })
    expect(fetched.whole).not.toContain(token)
  })

  test('is not sent to a repository that it is not for, nor shown when it is refused', async () => {
    const setup = setUp()
    const server = await startGitServer(setup.harness.remotes, 'Basic other')
    const url = `${server.url}/owner/skills.git`
    const unsigned = await setup.fetch({ url }, { service }, { VCS_TOKEN: token })
    expect(unsigned.message).toMatchObject({ reason: 'SkillUnavailable' })
    expect(server.seen.filter((one) => one !== undefined)).toEqual([])
    const signed = await setup.fetch({ url, isSigned: true }, { service }, { VCS_TOKEN: token })
    expect(signed.message).toMatchObject({ reason: 'SkillUnavailable' })
    expect(server.seen).toContain(header)
    expect(signed.whole).not.toContain(token)
    expect(signed.whole).not.toContain(header.slice('Basic '.length))
  })

  test('does not follow a redirect', async () => {
    const setup = setUp()
    setup.push(writeSkill)
    const target = await startGitServer(setup.harness.remotes, header)
    const server = createServer((request, response) => {
      response.writeHead(302, { location: `${target.url}${request.url}` }).end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      server.close()
      server.closeAllConnections()
    })
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/owner/skills.git`
    const { message } = await setup.fetch(
      { url, isSigned: true },
      { service },
      { VCS_TOKEN: token },
    )
    expect(message).toMatchObject({ reason: 'SkillUnavailable' })
    expect(target.seen).toEqual([])
  })
})

test('a name that leads elsewhere is refused', async () => {
  const setup = setUp()
  setup.push(writeSkill)
  const { message } = await setup.fetch({ name: '../outside' })
  expect(message).toMatchObject({ reason: 'InvalidSpec' })
})
