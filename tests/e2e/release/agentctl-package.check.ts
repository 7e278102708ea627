import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { agentctlPackage } from '../../../scripts/release/agentctl-package.ts'
import { tarArchive } from '../../../scripts/release/tar-archive.ts'
import { type Started, startProgram } from '../../support/agentctl/local-platform.ts'

const root = join(import.meta.dirname, '../../..')
const version = '9.8.7'

let folder = ''
let platform: Started | undefined

/** An environment in which neither the PATH nor the working directory leads to the repository. */
function environment(): Readonly<Record<string, string>> {
  const node = dirname(process.execPath)
  const path = [join(folder, 'prefix', 'bin'), node, '/usr/local/bin', '/usr/bin', '/bin']
  return { PATH: path.join(delimiter), HOME: join(folder, 'home') }
}

function agentctl(...args: readonly string[]): Started {
  const program = join(folder, 'prefix', 'bin', 'agentctl')
  return startProgram(program, args, environment(), join(folder, 'empty'))
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agents-installed-'))
  for (const name of ['prefix', 'home', 'empty']) await mkdir(join(folder, name))
  const tarball = join(folder, `agentctl-${version}.tgz`)
  await writeFile(tarball, tarArchive(await agentctlPackage(root, version), new Date(0)))
  const install = ['install', '--global', '--prefix', join(folder, 'prefix'), tarball]
  await promisify(execFile)('npm', install, { cwd: join(folder, 'empty') })
})
afterAll(async () => {
  platform?.child.kill('SIGTERM')
  await platform?.finished
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
})

describe('agentctl, installed from its package into an empty prefix', () => {
  test('shows its help and its version', async () => {
    const help = await agentctl('--help').finished
    expect(help).toMatchObject({ code: 0, stderr: '' })
    expect(help.stdout).toContain('agentctl COMMAND --help')
    const { stdout } = await agentctl('version', '--client').finished
    expect(stdout).toContain(`agentctl ${version} (Node `)
  })

  test('starts the platform and shows a first run', async () => {
    platform = agentctl('up', '--secure-port', '0')
    await platform.waitForOutput('Press Ctrl-C to stop it.')
    expect(platform.stderr()).toContain('first-run  Succeeded')
    expect(platform.stdout()).toContain('\n  agentctl get runs ')
    expect(platform.stderr()).toContain('The API and the console are at https://127.0.0.1:')
  })

  test('runs another task', async () => {
    const run = agentctl('run', '--agent', 'scripted', '--text', 'Greet the reader', '--name', 'hi')
    expect(await run.finished).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('reading the task: Greet the reader'),
    })
    const { stdout } = await agentctl('explain', 'run', 'hi').finished
    expect(stdout).toContain('Succeeded')
  })

  test('passes doctor', async () => {
    const { code, stdout } = await agentctl('doctor').finished
    expect({ code, stdout }).toMatchObject({ code: 0 })
  })

  test('stops, and leaves files only in the state folder of the user', async () => {
    expect(await agentctl('down').finished).toMatchObject({ code: 0 })
    expect((await platform?.finished)?.code).toBe(0)
    expect(await readdir(join(folder, 'empty'))).toEqual([])
    const state = await readdir(join(folder, 'home', '.local', 'state', 'agentctl'))
    expect(state).toContain('kubeconfig')
    expect(state).not.toContain('platform.json')
  })
})
