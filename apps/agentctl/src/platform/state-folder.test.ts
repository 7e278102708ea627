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

test('the state folder is created with its parents, private to the user, and reopened', async () => {
  const { root } = await openStateFolder(join(place, 'a', 'b'))
  expect((await stat(root)).mode & 0o077).toBe(0)
  await expect(openStateFolder(root)).resolves.toMatchObject({ root })
})

test.each([
  { because: 'the path is a file', path: 'file', expectedMessage: 'it is not a folder' },
  { because: 'a parent is a file', path: 'file/a/b', expectedMessage: 'a parent is not a folder' },
])('the state folder is rejected if $because', async ({ path, expectedMessage }) => {
  await expect(openStateFolder(join(place, path))).rejects.toMatchObject({
    message: `${join(place, path)} cannot be used as the state folder: ${expectedMessage}`,
    code: 2,
    advice: [expect.stringContaining('--state-dir')],
  })
})

test.runIf(process.platform === 'linux')(
  'the state folder is rejected if it cannot be created',
  async () => {
    await expect(openStateFolder('/proc/agents/state')).rejects.toThrow(
      'cannot be used as the state folder',
    )
  },
)
