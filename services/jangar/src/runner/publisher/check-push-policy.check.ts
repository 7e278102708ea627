import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { PushPolicy } from '../../run-contract/repository/push-policy.ts'
import { RunFailure } from '../../run-contract/run-failure.ts'
import { createSecretMask } from '../../run-contract/secrets/secret-mask.ts'
import { createStop } from '../process/stop.ts'
import { createGit } from '../vcs/git.ts'
import { checkPushPolicy } from './check-push-policy.ts'

const env = { PATH: '/usr/local/bin:/usr/bin:/bin' }
const author = ['-c', 'user.name=a', '-c', 'user.email=a@example.test']

interface Repository {
  readonly folder: string
  git(...args: string[]): string
  write(path: string, content: string): void
  commit(message?: string): string
}

function repository(): Repository {
  const folder = mkdtempSync(join(tmpdir(), 'agents-policy-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', folder, ...author, ...args], { encoding: 'utf8' }).trim()
  git('init', '--quiet', '--initial-branch=main')
  return {
    folder,
    git,
    write: (path, content) => {
      mkdirSync(dirname(join(folder, path)), { recursive: true })
      writeFileSync(join(folder, path), content)
    },
    commit: (message = 'change') => {
      git('add', '--all')
      git('commit', '--quiet', '--allow-empty', `--message=${message}`)
      return git('rev-parse', 'HEAD')
    },
  }
}

/** What the policy says about the commits since `start`. */
async function verdict(
  { folder }: Repository,
  range: { start?: string; base?: string; commit: string },
  policy: PushPolicy = {},
): Promise<string> {
  const gitFolder = join(folder, '.git')
  const git = createGit({
    ...{ folder, gitFolder, env, timeoutMs: 0, stop: createStop() },
    ...{ credentials: { kind: 'none' }, mask: createSecretMask([]) },
  })
  const { start: startCommit, base: baseCommit, commit } = range
  const checked = checkPushPolicy({
    ...{ place: { gitFolder, env }, git, policy, startCommit, baseCommit, commit },
  })
  return checked.then(
    () => 'allowed',
    (error: unknown) => {
      if (!(error instanceof RunFailure) || error.reason !== 'PushPolicyViolated') throw error
      return error.message
    },
  )
}

/** The verdict about one commit that adds these files. */
async function added(
  files: Readonly<Record<string, string>>,
  policy: PushPolicy = {},
): Promise<string> {
  const repo = repository()
  repo.write('README.md', 'hello')
  const start = repo.commit()
  for (const [path, content] of Object.entries(files)) repo.write(path, content)
  return verdict(repo, { start, base: start, commit: repo.commit() }, policy)
}

describe('paths', () => {
  const rows: { path: string; policy?: PushPolicy; is: RegExp | 'allowed' }[] = [
    { path: 'src/a.ts', is: 'allowed' },
    { path: '.github/workflows/ci.yml', is: /\.github\/workflows\/ci\.yml: .*deniedPaths/ },
    { path: '.github/Workflows/x/ci.yml', is: /deniedPaths/ },
    { path: '.gitlab-ci.yml', is: /deniedPaths/ },
    { path: '.gitea/workflows/x.yaml', is: /deniedPaths/ },
    { path: 'Jenkinsfile', is: /deniedPaths/ },
    { path: 'docs/Jenkinsfile.md', is: 'allowed' },
    { path: '.github/workflows/ci.yml', policy: { deniedPaths: [] }, is: 'allowed' },
    { path: 'secret/x', policy: { deniedPaths: ['secret/*'] }, is: /secret\/x: .*secret\/\*/ },
    { path: 'lib/x', policy: { allowedPaths: ['src/*'] }, is: /lib\/x: .*allowedPaths/ },
    { path: 'src/x', policy: { allowedPaths: ['src/*'] }, is: 'allowed' },
    { path: 'src/x', policy: { allowedPaths: ['*'], deniedPaths: ['src/*'] }, is: /deniedPaths/ },
    { path: 'weird\n.yml', policy: { deniedPaths: ['*.yml'] }, is: /"weird\\n\.yml": / },
  ]
  test.each(rows)('$path with $policy', async ({ path, policy, is }) => {
    const said = await added({ [path]: 'x' }, policy)
    if (is === 'allowed') expect(said).toBe('allowed')
    else expect(said).toMatch(is)
  })

  test('that are deleted are changed, too', async () => {
    const repo = repository()
    repo.write('.github/workflows/ci.yml', 'x')
    const start = repo.commit()
    repo.git('rm', '--quiet', '.github/workflows/ci.yml')
    const said = await verdict(repo, { start, base: start, commit: repo.commit() })
    expect(said).toContain('.github/workflows/ci.yml')
  })

  test('cannot be replaced by a link in place of their folder', async () => {
    const repo = repository()
    repo.write('ci/workflows/x.yml', 'x')
    const start = repo.commit()
    symlinkSync('ci', join(repo.folder, '.github'))
    const said = await verdict(repo, { start, base: start, commit: repo.commit() })
    expect(said).toMatch(/\.github: .*deniedPaths/)
  })

  test('of the base branch that the run has merged are not its changes', async () => {
    const repo = repository()
    repo.write('README.md', 'hello')
    const start = repo.commit()
    repo.write('.github/workflows/ci.yml', 'of the base')
    const base = repo.commit()
    repo.git('checkout', '--quiet', '-b', 'work', start)
    repo.write('mine.txt', 'mine')
    repo.commit()
    repo.git('merge', '--quiet', '--no-edit', 'main')
    const merged = repo.git('rev-parse', 'HEAD')
    expect(await verdict(repo, { start, base, commit: merged })).toBe('allowed')
    repo.write('.github/workflows/ci.yml', 'of the run')
    expect(await verdict(repo, { start, base, commit: repo.commit() })).toMatch(/deniedPaths/)
  })

  test('are those of the whole tree in an empty repository', async () => {
    const repo = repository()
    repo.write('Jenkinsfile', 'x')
    expect(await verdict(repo, { commit: repo.commit() })).toMatch(/^nothing was pushed: Jenkins/)
  })
})

describe('sizes', () => {
  test('10,001 files are too many', async () => {
    const files = Array.from({ length: 10_001 }, (_, at) => [`many/${at}`, ''] as const)
    expect(await added(Object.fromEntries(files))).toMatch(/change 10001 files.* is 10000/)
  })

  test('the number of files can be limited further', async () => {
    expect(await added({ a: '', b: '' }, { maxChangedFiles: 1 })).toMatch(/change 2 files/)
  })

  test('bytes are those of all versions', async () => {
    expect(await added({ a: 'x'.repeat(1000) }, { maxBytes: 1000 })).toBe('allowed')
    expect(await added({ a: 'x'.repeat(1001) }, { maxBytes: 1000 })).toMatch(/1001 bytes.*maxBytes/)
  })
})

describe('links and submodules', () => {
  test.each([
    { target: '/etc/passwd', is: false },
    { target: '../../outside', is: false },
    { target: '../..', is: false },
    { target: '..', is: true },
    { target: '../README.md', is: true },
    { target: 'file', is: true },
  ])('a link to $target: $is', async ({ target, is }) => {
    const repo = repository()
    repo.write('README.md', 'hello')
    const start = repo.commit()
    mkdirSync(join(repo.folder, 'sub'))
    symlinkSync(target, join(repo.folder, 'sub', 'link'))
    const said = await verdict(repo, { start, base: start, commit: repo.commit() })
    if (is) expect(said).toBe('allowed')
    else expect(said).toMatch(/sub\/link: it is a symbolic link out of the repository/)
  })

  /** The verdict about a commit that has these links beside those of the start. */
  async function linked(
    links: Readonly<Record<string, string>>,
    before: Readonly<Record<string, string>> = {},
  ): Promise<string> {
    const repo = repository()
    const link = (all: Readonly<Record<string, string>>) => {
      for (const [path, target] of Object.entries(all)) {
        mkdirSync(dirname(join(repo.folder, path)), { recursive: true })
        rmSync(join(repo.folder, path), { recursive: true, force: true })
        symlinkSync(target, join(repo.folder, path))
      }
    }
    repo.write('a/b/c/d/file', 'x')
    repo.write('.github/workflows/x.yml', 'x')
    link(before)
    const start = repo.commit()
    link(links)
    return verdict(repo, { start, base: start, commit: repo.commit() })
  }
  const refused = (path: string) =>
    `nothing was pushed: ${path}: it is a symbolic link out of the repository`

  test('a link that leaves through another one is refused', async () => {
    expect(await linked({ 'a/b/c/d/up': '../../..', z: 'a/b/c/d/up/../../etc/passwd' })).toBe(
      refused('z'),
    )
  })

  test('a link that leaves once another one is changed is refused, though it is as it was', async () => {
    const z = { z: 'a/b/c/d/up/../../etc/passwd' }
    expect(await linked(z, { 'a/b/c/d/up': '.' })).toBe('allowed')
    expect(await linked({ 'a/b/c/d/up': '../../..' }, { ...z, 'a/b/c/d/up': '.' })).toBe(
      refused('z'),
    )
  })

  test('a link that has left the repository before does not stop other work', async () => {
    expect(await linked({ mine: 'a/b' }, { old: '../../etc' })).toBe('allowed')
    expect(await linked({ old: '../../root' }, { old: '../../etc' })).toBe(refused('old'))
  })

  test('a merge in which a link of the base leaves through one of the run is refused', async () => {
    const repo = repository()
    repo.write('a/b/c/d/file', 'x')
    const root = repo.commit()
    symlinkSync('../../..', join(repo.folder, 'a/b/c/d/up'))
    const start = repo.commit()
    repo.git('checkout', '--quiet', '-b', 'base', root)
    symlinkSync('a/b/c/d/up/../../etc', join(repo.folder, 'z'))
    const base = repo.commit()
    repo.git('checkout', '--quiet', 'main')
    repo.git('merge', '--quiet', '--no-edit', 'base')
    const commit = repo.git('rev-parse', 'HEAD')
    expect(await verdict(repo, { start, base, commit })).toBe(refused('z'))
  })

  test('the first commits of an empty repository are judged, too', async () => {
    const repo = repository()
    symlinkSync('/etc', join(repo.folder, 'etc'))
    expect(await verdict(repo, { commit: repo.commit() })).toBe(refused('etc'))
  })

  test('a target that is too long for a path is refused', async () => {
    const repo = repository()
    const start = repo.commit()
    repo.write('target', 'a/'.repeat(100_000))
    const object = repo.git('hash-object', '-w', 'target')
    rmSync(join(repo.folder, 'target'))
    repo.git('update-index', '--add', '--cacheinfo', `120000,${object},long`)
    repo.git('commit', '--quiet', '--message=long')
    const commit = repo.git('rev-parse', 'HEAD')
    expect(await verdict(repo, { start, base: start, commit })).toBe(refused('long'))
  })

  test('a submodule is refused', async () => {
    const repo = repository()
    const start = repo.commit()
    repo.git('update-index', '--add', '--cacheinfo', `160000,${start},vendor/lib`)
    repo.git('commit', '--quiet', '--message=submodule')
    const commit = repo.git('rev-parse', 'HEAD')
    const said = await verdict(repo, { start, base: start, commit })
    expect(said).toMatch(/vendor\/lib: submodules/)
  })

  test('.gitmodules is refused', async () => {
    expect(await added({ '.gitmodules': 'x' })).toMatch(/\.gitmodules: submodules/)
  })
})

/** Assembled here, so that nobody takes this file for one with secrets. */
const tokens: Readonly<Record<string, string>> = {
  'GitHub classic': `ghp${'_'}${'aB3d'.repeat(9)}`,
  'GitHub app': `ghs${'_'}${'aB3d'.repeat(9)}`,
  'GitHub fine-grained': `github_pat${'_'}${'A'.repeat(22)}_${'b'.repeat(59)}`,
  GitLab: `glpat${'-'}${'x1Y2'.repeat(5)}`,
  Slack: `xoxb${'-'}${'1234567890'.repeat(2)}-abcdef`,
  'Slack webhook': `https://hooks.slack.com/${'services'}/T0000000A/B0000000B/${'x'.repeat(24)}`,
  Anthropic: `sk-ant${'-'}api03-${'a1'.repeat(40)}`,
  OpenAI: `sk-proj${'-'}${'a1B2'.repeat(12)}`,
  Stripe: `sk_live${'_'}${'a1B2'.repeat(6)}`,
  npm: `npm${'_'}${'aB3d'.repeat(9)}`,
  PyPI: `pypi${'-'}AgEIcHlwaS5vcmc${'a1'.repeat(30)}`,
  'Hugging Face': `hf${'_'}${'aB'.repeat(17)}`,
  'Google API': `AIza${'x1Y2z'.repeat(7)}`,
  'Google OAuth': `ya29${'.'}${'a1B2'.repeat(12)}`,
  AWS: `AKIA${'ABCD2345'.repeat(2)}`,
  Linear: `lin_api${'_'}${'a1B2'.repeat(10)}`,
  DigitalOcean: `dop_v1${'_'}${'a1'.repeat(32)}`,
  Vault: `hvs${'.'}${'a1B2'.repeat(8)}`,
  age: `AGE-SECRET-KEY${'-'}1${'Q'.repeat(58)}`,
  'private key': `-----BEGIN ${'RSA'} PRIVATE KEY-----`,
  'OpenSSH key': `-----BEGIN ${'OPENSSH'} PRIVATE KEY-----`,
  SendGrid: `SG${'.'}${'a'.repeat(22)}.${'b'.repeat(43)}`,
  Shopify: `shpat${'_'}${'a1'.repeat(16)}`,
  Databricks: `dapi${'a1'.repeat(16)}`,
  'Docker Hub': `dckr_pat${'_'}${'a1B'.repeat(9)}`,
  Grafana: `glsa${'_'}${'a1'.repeat(16)}_0123abcd`,
  Atlassian: `ATATT3${'a1B2'.repeat(16)}`,
  'Azure Storage': `AccountKey${'='}${'a1'.repeat(43)}==`,
}

describe('tokens', () => {
  test.each(Object.entries(tokens))('%s is found, and not shown', async (_name, token) => {
    const said = await added({ 'conf/x.env': `KEY="${token}"\n` })
    expect(said).toMatch(/conf\/x\.env contains an? /)
    expect(said).not.toContain(token)
  })

  const token = tokens['GitHub classic'] ?? ''

  test('are found in names of files, and not shown', async () => {
    const said = await added({ [`conf/${token}/x.env`]: 'x', 'Jenkinsfile.txt': '' })
    expect(said).toMatch(/the name of a file contains a token of GitHub$/)
    expect(await added({ [token]: 'x' }, { allowTokens: true })).toBe('allowed')
  })

  test('are found across the pieces of a large file', async () => {
    for (const before of [65_500, 65_530, 131_050]) {
      expect(await added({ big: `${'x '.repeat(before / 2)}${token}\n` })).toMatch(
        /^.*big contains/,
      )
    }
  })

  test('are found in earlier commits and in messages', async () => {
    const repo = repository()
    const start = repo.commit()
    repo.write('x', token)
    repo.commit()
    repo.git('rm', '--quiet', 'x')
    expect(await verdict(repo, { start, base: start, commit: repo.commit() })).toMatch(/x contains/)
    const other = repository()
    const first = other.commit()
    const commit = other.commit(`Use ${token}`)
    const said = await verdict(other, { start: first, base: first, commit })
    expect(said).toMatch(/the message of a commit contains/)
  })

  test('that the repository has already are not the work of the run', async () => {
    const repo = repository()
    repo.write('fixture', token)
    const start = repo.commit()
    repo.write('fixture', `${token}\nmore`)
    expect(await verdict(repo, { start, base: start, commit: repo.commit() })).toBe('allowed')
  })

  test('can be allowed', async () => {
    expect(await added({ x: token }, { allowTokens: true })).toBe('allowed')
  })

  test.each(['ghp_short', 'npm_config_registry', 'AKIA', 'task-ant-colony', 'sk-learn-something'])(
    '%s is none',
    async (text) => {
      expect(await added({ x: text })).toBe('allowed')
    },
  )
})
