import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, onTestFinished, test } from 'vitest'
import { canMount, mountNamespace } from './mount-namespace.ts'

describe.skipIf(!(await canMount(tmpdir())))('mounts beside what the machine has', () => {
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
    const show = async ([file = '', ...args]: readonly string[]) => {
      const script = `cd ${place} && cat kept point/key && ls`
      return (await promisify(execFile)(file, [...args, '/bin/sh', '-c', script])).stdout
    }
    return { machineHas, prepare, show, vanish: (name: string) => rm(join(place ?? '', name)) }
  }

  test('are seen together with it', async () => {
    const { machineHas, prepare, show } = await setUp()
    await machineHas('kept')
    expect(await show(await prepare())).toBe('keptvaluekept\npoint\n')
  })

  test('do not fail when something of it vanishes just then', async () => {
    const { machineHas, prepare, show, vanish } = await setUp()
    await machineHas('kept')
    await machineHas('passing')
    const command = await prepare()
    await vanish('passing')
    expect(await show(command)).toMatch(/^keptvalue/)
  })
})
