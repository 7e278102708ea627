import { execFileSync } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readlinkSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  ready,
  repository,
  type Started,
  startProgram,
} from '../../support/agentctl/local-platform.ts'
import { followPage } from './followed-page.ts'

const copy = mkdtempSync(join(tmpdir(), 'agents-new-kind-'))
const bin = join(copy, 'node_modules', '.bin')
const agentctl = join(copy, 'apps', 'agentctl', 'src', 'main', 'agentctl.mjs')
const environment = {
  AGENTCTL_STATE_DIR: join(copy, '.state'),
  PATH: `${join(repository, 'node_modules', '.bin')}:/usr/local/bin:/usr/bin:/bin`,
}
let platform: Started | undefined

function run(...[program = '', ...args]: string[]): string {
  const env = { ...environment, HOME: copy }
  return execFileSync(program, args, { cwd: copy, env, encoding: 'utf8' })
}

function command(...args: string[]): Started['finished'] {
  return startProgram(process.execPath, [agentctl, ...args], environment, copy).finished
}

/** Copies the tracked files and links `@agents/…` to the copy, so that imports resolve to it. */
function copyProject(): void {
  const listed = execFileSync(
    'git',
    ['ls-files', '-z', '--cached', '--others', '--exclude-standard'],
    {
      cwd: repository,
      encoding: 'utf8',
    },
  )
  for (const path of listed.split('\0').filter((name) => name !== '')) {
    mkdirSync(dirname(join(copy, path)), { recursive: true })
    cpSync(join(repository, path), join(copy, path))
  }
  const installed = join(repository, 'node_modules')
  mkdirSync(join(copy, 'node_modules', '@agents'), { recursive: true })
  for (const name of readdirSync(installed).filter((each) => each !== '@agents')) {
    symlinkSync(join(installed, name), join(copy, 'node_modules', name))
  }
  for (const name of readdirSync(join(installed, '@agents'))) {
    const link = readlinkSync(join(installed, '@agents', name))
    symlinkSync(link, join(copy, 'node_modules', '@agents', name))
  }
}

beforeAll(async () => {
  copyProject()
  await followPage(join(repository, 'docs', 'add-a-kind.md'), copy)
})
afterAll(async () => {
  if (platform !== undefined) {
    await command('down')
    await platform.finished
  }
  rmSync(copy, { recursive: true, force: true, maxRetries: 5 })
})

test('following the page about adding a kind leaves a project that compiles and passes its tests', () => {
  run(process.execPath, 'scripts/generate.ts')
  run(join(bin, 'tsc'), '--noEmit')
  run(
    join(bin, 'vitest'),
    'run',
    '--root',
    '.',
    '--project',
    'quick',
    'services/jangar/src/server/agents-controller/prompt',
    'services/jangar/api',
    'tests/contract/kinds',
    'tests/contract/status/embedded',
  )
})

test('the platform reconciles the new kind', async () => {
  const up = ['up', '--no-sample', '--secure-port', '0']
  platform = startProgram(process.execPath, [agentctl, ...up], environment, copy)
  await platform.waitForOutput(ready)
  const applied = await command('apply', '-f', 'charts/agents/examples/prompt-sample.yaml')
  expect(applied.stdout).toContain('brief created')
  const waited = await command(
    'wait',
    'prompt',
    'brief',
    '--for',
    'condition=Ready',
    '--timeout=200s',
  )
  expect(waited).toMatchObject({ code: 0 })
  const shown = await command('get', 'prompts')
  expect(shown.stdout).toMatch(/^brief +True +OK/m)
})
