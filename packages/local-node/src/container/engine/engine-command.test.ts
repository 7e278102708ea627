import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Pod } from '@agents/kube'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ConfigError } from '../../pod-config/config-error.ts'
import { type EngineContainer, engineCommand } from './engine-command.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'engine-'))
})
afterEach(() => rm(folder, { recursive: true }))

function containerOf(more: Partial<EngineContainer> = {}): EngineContainer {
  const container = { name: 'main', image: 'registry/image:1', workingDir: '/a' }
  return {
    name: 'agents_x',
    labels: ['owner=me', 'place=here'],
    pod: { metadata: { name: 'pod' }, spec: { containers: [container] } } as Pod,
    container,
    image: { user: '', stopSignal: undefined },
    command: ['run', '--fast'],
    args: ['now'],
    variables: { TOKEN: 'hush', PATH: '/own/bin' },
    mounts: [
      { mountPath: '/a', source: '/host/a', isFolder: true, readOnly: true },
      { mountPath: '/b,c', source: '/host/b"c', isFolder: true, readOnly: false },
    ],
    engineVariables: { PATH: '/usr/bin', HOME: '/home/user' },
    variableFile: join(folder, 'memory', 'variables'),
    ...more,
  }
}

test('the image runs in the foreground, with its mounts and its command', async () => {
  const { command } = await engineCommand('docker', containerOf())
  const line = command.join(' ')
  expect(line).toMatch(
    /^env -u AGENTS_CONTAINER docker run --name agents_x --label owner=me --label place=here /,
  )
  expect(line).toContain('--mount type=bind,source=/host/a,target=/a,readonly')
  expect(line).toContain('--mount type=bind,"source=/host/b""c","target=/b,c"')
  expect(line).toContain('--hostname pod')
  expect(line).toContain('--workdir /a')
  expect(line.endsWith('--entrypoint run registry/image:1 --fast now')).toBe(true)
})

test('without a command, that of the image runs', async () => {
  const { command } = await engineCommand('podman', containerOf({ command: undefined }))
  expect(command).not.toContain('--entrypoint')
  expect(command.slice(-2)).toEqual(['registry/image:1', 'now'])
})

describe('variables', () => {
  test('have no value in the arguments, which all users can read', async () => {
    const { command, environment } = await engineCommand('docker', containerOf())
    expect(command.join(' ')).not.toContain('hush')
    expect(command).toContain('TOKEN')
    expect(environment.TOKEN).toBe('hush')
  })

  test.each([
    { because: 'the engine has its own value', name: 'PATH' },
    { because: 'it would select another engine', name: 'DOCKER_HOST' },
    { because: 'it would change the settings of podman', name: 'CONTAINERS_CONF' },
    { because: 'it would load a library into the engine', name: 'LD_PRELOAD' },
    { because: 'it would redirect pulls', name: 'https_proxy' },
    { because: 'the starting shell sets it', name: 'PWD' },
    { because: 'the starting shell would drop it', name: 'a.b' },
    { because: 'podman would interpret it as a pattern', name: 'TOK*' },
  ])('$name is passed in a private file: $because', async ({ name }) => {
    const given = containerOf({ variables: { [name]: 'hush', OTHER: 'x' } })
    const { command, environment } = await engineCommand('podman', given)
    expect(environment[name]).not.toBe('hush')
    expect(command).toContain('OTHER')
    expect(command).not.toContain(name)
    expect(command).toContain(given.variableFile)
    expect(await readFile(given.variableFile, 'utf8')).toBe(`${name}=hush\n`)
    expect((await stat(given.variableFile)).mode & 0o077).toBe(0)
  })

  test('do not include proxies that docker adds', async () => {
    const variables = { no_proxy: 'mine' }
    const engineVariables = { HTTP_PROXY: 'http://127.0.0.1:1', no_proxy: 'theirs' }
    const given = containerOf({ variables, engineVariables })
    const { command, environment } = await engineCommand('docker', given)
    // A variable that is named without a value is unset.
    expect(command.join(' ')).toContain('--env HTTP_PROXY ')
    expect(environment).toEqual({ no_proxy: 'mine' })
  })

  test('need no file if all can be passed in the environment', async () => {
    const given = containerOf({ variables: { TOKEN: 'several\nlines' } })
    const { environment } = await engineCommand('podman', given)
    expect(environment.TOKEN).toBe('several\nlines')
    expect(existsSync(given.variableFile)).toBe(false)
  })

  test('that no shell can use are omitted if they have several lines', async () => {
    const given = containerOf({ variables: { 'a.yaml': 'several\nlines', 'b.c': 'one' } })
    await engineCommand('podman', given)
    expect(await readFile(given.variableFile, 'utf8')).toBe('b.c=one\n')
  })

  test('are rejected if a file cannot represent their lines', async () => {
    const given = containerOf({ variables: { HOME: 'several\nlines' } })
    await expect(engineCommand('podman', given)).rejects.toThrow(ConfigError)
  })
})
