import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type EngineContainer, engineCommand } from './engine.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'engine-'))
})
afterEach(() => rm(folder, { recursive: true }))

const containerOf = (more: Partial<EngineContainer> = {}): EngineContainer => ({
  name: 'agents_x',
  container: { name: 'main', image: 'registry/image:1', imagePullPolicy: 'IfNotPresent' },
  command: ['run', '--fast'],
  args: ['now'],
  variables: { TOKEN: 'hush', PATH: '/own/bin' },
  mounts: [
    { mountPath: '/a', source: '/host/a', isFolder: true, readOnly: true },
    { mountPath: '/b,c', source: '/host/b"c', isFolder: true, readOnly: false },
  ],
  workingDir: '/a',
  hostname: 'pod',
  engineVariables: { PATH: '/usr/bin', HOME: '/home/user' },
  folder,
  ...more,
})

test('the image runs in the foreground, with its mounts and its command', async () => {
  const { command } = await engineCommand('docker', containerOf())
  const line = command.join(' ')
  expect(command.slice(0, 5)).toEqual(['docker', 'run', '--rm', '--name', 'agents_x'])
  expect(line).toContain('--mount type=bind,source=/host/a,target=/a,readonly')
  expect(line).toContain('--mount type=bind,"source=/host/b""c","target=/b,c"')
  expect(line).toContain('--pull missing')
  expect(line).toContain('--workdir /a')
  expect(line.endsWith('--entrypoint run registry/image:1 --fast now')).toBe(true)
})

test('without a command the image’s own runs', async () => {
  const { command } = await engineCommand('podman', containerOf({ command: undefined }))
  expect(command).not.toContain('--entrypoint')
  expect(command.slice(-2)).toEqual(['registry/image:1', 'now'])
})

test('no value of a variable is among the arguments, which everybody can read', async () => {
  const { command, environment } = await engineCommand('docker', containerOf())
  expect(command.join(' ')).not.toContain('hush')
  expect(command).toContain('TOKEN')
  expect(environment.TOKEN).toBe('hush')
})

test('variables that the engine needs itself reach the container by a file of its owner', async () => {
  const { environment } = await engineCommand('docker', containerOf())
  expect(environment.PATH).toBe('/usr/bin')
  expect(await readFile(join(folder, 'variables'), 'utf8')).toBe('PATH=/own/bin\n')
  expect((await stat(join(folder, 'variables'))).mode & 0o077).toBe(0)
})
