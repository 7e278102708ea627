import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createHarness, type RunnerHarness } from '../testing/runner-harness.ts'

/** Prints where it was told to look for skills. */
const program = `
const { CODEX_HOME, GEMINI_CLI_HOME, CLAUDE_CONFIG_DIR, OPENCODE_CONFIG_CONTENT } = process.env
console.log(JSON.stringify({
  args: process.argv.slice(1),
  codex: CODEX_HOME, gemini: GEMINI_CLI_HOME, claude: CLAUDE_CONFIG_DIR,
  opencode: OPENCODE_CONFIG_CONTENT && JSON.parse(OPENCODE_CONFIG_CONTENT).skills,
}))`

/** As the kubelet mounts a ConfigMap: its keys are links into a hidden folder. */
function mount({ workspace }: RunnerHarness): void {
  const folder = join(workspace, '.agent-skills', 'release-notes')
  mkdirSync(join(folder, '..2026'), { recursive: true })
  writeFileSync(join(folder, '..2026', 'SKILL.md'), 'how to')
  symlinkSync('..2026', join(folder, '..data'))
  symlinkSync(join('..data', 'SKILL.md'), join(folder, 'SKILL.md'))
}

async function given(
  cli: string | undefined,
  { env = {}, harness = createHarness(), name = 'release-notes' } = {},
) {
  mount(harness)
  const ran = await harness.run({
    runner: { cli, skills: [{ name }] },
    env,
    argv: ['--', process.execPath, '-e', program, 'end'],
  })
  return { harness, ran, seen: ran.exitCode === 0 ? JSON.parse(ran.stdout) : {} }
}

function filesIn(folder: string) {
  return readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')])
}

test.each([
  { cli: 'codex', folder: ({ codex }: Record<string, string>) => join(codex ?? '', 'skills') },
  {
    cli: 'claude-code',
    folder: ({ claude }: Record<string, string>) => join(claude ?? '', 'skills'),
  },
  {
    cli: 'gemini-cli',
    folder: ({ gemini }: Record<string, string>) => join(gemini ?? '', '.gemini/skills'),
  },
  {
    cli: 'opencode',
    folder: ({ opencode }: { opencode?: { paths: string[] } }) => opencode?.paths[0] ?? '',
  },
])('$cli finds the files of a skill, without the folders of the mount', async ({ cli, folder }) => {
  const { seen, harness } = await given(cli)
  const at = folder(seen)
  expect(at.startsWith(join(harness.workspace, '.agent/'))).toBe(true)
  expect(filesIn(join(at, 'release-notes'))).toEqual([['SKILL.md', 'how to']])
})

test('aider reads the file of a skill', async () => {
  const { seen, harness } = await given('aider')
  const file = join(harness.workspace, '.agent/skills/release-notes/SKILL.md')
  expect(seen.args.slice(-2)).toEqual(['--read', file])
  expect(readFileSync(file, 'utf8')).toBe('how to')
})

test.each([
  { cli: 'codex', variable: 'CODEX_HOME', shown: 'codex' },
  { cli: 'claude-code', variable: 'CLAUDE_CONFIG_DIR', shown: 'claude' },
])('skills and files in $variable stay beside those of the agent', async (each) => {
  const harness = createHarness()
  const home = join(harness.root, 'home')
  for (const name of ['own', 'release-notes']) {
    mkdirSync(join(home, 'skills', name), { recursive: true })
    writeFileSync(join(home, 'skills', name, 'SKILL.md'), 'of the image')
  }
  writeFileSync(join(home, 'auth.json'), '{}')
  const { seen } = await given(each.cli, { env: { [each.variable]: home }, harness })
  const folder = seen[each.shown]
  expect(folder).not.toBe(home)
  expect(existsSync(join(folder, 'auth.json'))).toBe(true)
  expect(filesIn(join(folder, 'skills', 'own'))).toEqual([['SKILL.md', 'of the image']])
  expect(filesIn(join(folder, 'skills', 'release-notes'))).toEqual([['SKILL.md', 'how to']])
  // The folder of the image is not written to.
  expect(filesIn(join(home, 'skills', 'release-notes'))).toEqual([['SKILL.md', 'of the image']])
})

test('a skill from a repository has its folders and programs, and no links', async () => {
  const harness = createHarness()
  const fetched = join(harness.root, 'fetched')
  const folder = join(fetched, 'release-notes')
  mkdirSync(join(folder, 'scripts'), { recursive: true })
  writeFileSync(join(folder, 'SKILL.md'), 'from git')
  writeFileSync(join(folder, 'scripts/run.sh'), 'true', { mode: 0o755 })
  symlinkSync('/etc/passwd', join(folder, 'scripts/link'))
  symlinkSync('/etc', join(folder, 'etc'))
  const ran = await harness.run({
    runner: { cli: 'codex', skills: [{ name: 'release-notes', isFetched: true }] },
    env: { AGENT_SKILLS_DIR: fetched },
    argv: ['--', process.execPath, '-e', program, 'end'],
  })
  const { codex } = JSON.parse(ran.stdout) as { codex: string }
  const at = join(codex, 'skills/release-notes')
  expect(readFileSync(join(at, 'SKILL.md'), 'utf8')).toBe('from git')
  expect(readdirSync(at).toSorted()).toEqual(['SKILL.md', 'scripts'])
  expect(readdirSync(join(at, 'scripts'))).toEqual(['run.sh'])
  expect(statSync(join(at, 'scripts/run.sh')).mode & 0o100).toBe(0o100)
})

test('a name that leads elsewhere is refused', async () => {
  const { ran } = await given('codex', { name: '../../outside' })
  expect(ran.message).toMatchObject({ reason: 'InvalidSpec' })
})

test('a provider without a cli has no skills, which is a warning', async () => {
  const { ran } = await given(undefined)
  expect(ran.message?.warnings).toEqual(['provider test has no cli, so the agent had no skills'])
})
