import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { inRoot } from '../container/change-user.ts'
import { canMount, type MountNamespace, mountNamespace } from './mount-namespace.ts'

async function run([file = '', ...args]: readonly string[]): Promise<string> {
  return (await promisify(execFile)(file, args)).stdout
}

describe.skipIf(!(await canMount(tmpdir())))('mounts beside files of the machine', () => {
  async function setUp() {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'agents-mounts-')))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const [place, volume, attempt] = ['place', 'volume', 'attempt'].map((it) => join(folder, it))
    for (const each of [place, volume, attempt]) await mkdir(each ?? '')
    await writeFile(join(folder, 'volume', 'key'), 'value')
    const machineHas = async (name: string) => writeFile(join(folder, 'place', name), name)
    const prepare = () =>
      mountNamespace({
        folder: attempt ?? '',
        ownRoot: folder,
        mounts: [
          {
            mountPath: join(folder, 'place', 'point'),
            source: volume ?? '',
            isFolder: true,
            readOnly: true,
          },
        ],
        workingDir: '/',
        allowed: [folder],
      })
    const show = ({ through, root }: MountNamespace) =>
      run([
        ...through,
        ...inRoot(root, undefined, ['/bin/sh', '-c', `cd ${place} && cat kept point/key && ls`]),
      ])
    return { machineHas, prepare, show, vanish: (name: string) => rm(join(place ?? '', name)) }
  }

  test('are visible together with them', async () => {
    const { machineHas, prepare, show } = await setUp()
    await machineHas('kept')
    expect(await show(await prepare())).toBe('keptvaluekept\npoint\n')
  })

  test('do not fail if a file of the machine is deleted meanwhile', async () => {
    const { machineHas, prepare, show, vanish } = await setUp()
    await machineHas('kept')
    await machineHas('passing')
    const command = await prepare()
    await vanish('passing')
    expect(await show(command)).toMatch(/^keptvalue/)
  })

  test('do not follow a link that replaces a folder meanwhile', async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), 'agents-mounts-')))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const at = (name: string) => join(folder, name)
    for (const name of ['data', 'evil', 'attempt', 'machine']) await mkdir(at(name))
    const mount = { isFolder: true, readOnly: false }
    const { through } = await mountNamespace({
      folder: at('attempt'),
      ownRoot: at('own'),
      mounts: [
        { mountPath: '/data', source: at('data'), ...mount },
        { mountPath: '/data/sub', source: at('evil'), ...mount },
      ],
      workingDir: '/',
      allowed: [folder],
    })
    await expect(run([...through, 'echo', 'runs'])).resolves.toBe('runs\n')
    await rm(at('data/sub'), { recursive: true })
    await symlink(at('machine'), at('data/sub'))
    await expect(run([...through, 'echo', 'runs'])).rejects.toMatchObject({ code: 125, stdout: '' })
  })
})
