import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openStateFolder } from './state-folder.ts'

let place: string
beforeAll(async () => {
  place = await mkdtemp(join(tmpdir(), 'state-folder-'))
  await writeFile(join(place, 'file'), '')
})
afterAll(() => rm(place, { recursive: true }))

test('is made with all on its way, for nobody else, and opened again', async () => {
  const { root } = await openStateFolder(join(place, 'a', 'b'))
  expect((await stat(root)).mode & 0o077).toBe(0)
  await expect(openStateFolder(root)).resolves.toMatchObject({ root })
})

test.each([
  { because: 'a file is in its place', path: 'file', says: 'it is no folder' },
  { because: 'a file is on its way', path: 'file/a/b', says: 'something on its way is no folder' },
])('is refused when $because', async ({ path, says }) => {
  await expect(openStateFolder(join(place, path))).rejects.toMatchObject({
    message: `${join(place, path)} cannot hold the state: ${says}`,
    code: 2,
    advice: [expect.stringContaining('--state-dir')],
  })
})

test.runIf(process.platform === 'linux')('is refused where no folder can be made', async () => {
  await expect(openStateFolder('/proc/agents/state')).rejects.toThrow('cannot hold the state')
})
