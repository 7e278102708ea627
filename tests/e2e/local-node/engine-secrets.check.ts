import { execFile } from 'node:child_process'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { PodKind, SecretKind } from '@agents/kube'
import { beforeAll, expect, test } from 'vitest'
import { tinyImage } from '../../support/testbed/container-engine.ts'
import { until } from '../../support/testbed/until.ts'
import { describePlatforms } from './engines.ts'
import { inDefault, logOf, podOf } from './platform.ts'

const values = { TOKEN: 'hush-variable', HOME: '/hush-clash' }
const inFile = 'hush-file'

await describePlatforms('a secret of a pod whose image is run', (on) => {
  const { engine } = on
  beforeAll(async () => {
    const { client } = on.platform
    await client.create(SecretKind, { metadata: inDefault('keys'), stringData: values })
    await client.create(SecretKind, { metadata: inDefault('files'), stringData: { key: inFile } })
    await client.create(
      PodKind,
      podOf({
        name: 'keeper',
        containers: [
          {
            name: 'main',
            image: tinyImage,
            command: ['sh', '-c', 'echo "$TOKEN $HOME $(cat /keys/key)"; exec sleep 600'],
            envFrom: [{ secretRef: { name: 'keys' } }],
            volumeMounts: [{ name: 'keys', mountPath: '/keys' }],
          },
        ],
        volumes: [{ name: 'keys', secret: { secretName: 'files' } }],
      }),
    )
    await until(
      async () =>
        (await logOf(client, 'keeper').catch(() => '')).includes('\n') ? true : undefined,
      'waited in vain for: its word',
    )
  })

  test('reaches the container', async () => {
    expect(await logOf(on.platform.client, 'keeper')).toBe('hush-variable /hush-clash hush-file\n')
  })

  test('appears in no command line', async () => {
    const { stdout } = await promisify(execFile)('ps', ['-eo', 'args'], { maxBuffer: 1 << 26 })
    expect(stdout).toContain('--env TOKEN')
    expect(stdout).not.toContain('hush-')
  })

  test('is in no file that another user could read', async () => {
    const places = [on.platform.stateDir, engine.environment.HOME ?? '', '/dev/shm']
    const found = (await Promise.all(places.map(openFiles))).flat()
    // The files of the image are readable, so that the scan covers the right folders.
    expect(found.length).toBeGreaterThan(10)
    for (const path of found) {
      const text = await readFile(path, 'latin1').catch(() => '')
      expect(text.includes('hush-'), path).toBe(false)
    }
  })

  test('is visible to users of the engine as a variable, but not as a file', async () => {
    const [name = ''] = (await engine.ask(['ps', '--format', '{{.Names}}'])).split('\n')
    const told = await engine.ask(['inspect', name])
    expect(told).toContain('hush-variable')
    expect(told).not.toContain('hush-file')
  })
})

/** All files below the folder that every user can reach and read. */
async function openFiles(folder: string): Promise<string[]> {
  const found: string[] = []
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  for (const entry of entries) {
    const path = join(folder, entry.name)
    const mode = (await stat(path).catch(() => undefined))?.mode ?? 0
    if (entry.isDirectory() && (mode & 0o001) !== 0) found.push(...(await openFiles(path)))
    if (entry.isFile() && (mode & 0o004) !== 0) found.push(path)
  }
  return found
}
