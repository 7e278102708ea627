import { chmod, mkdir, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { searchProgram } from './search-program.ts'

async function folders(...names: string[]): Promise<string[]> {
  const root = await mkdtemp(join(tmpdir(), 'agents-search-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  const paths = names.map((name) => join(root, name))
  for (const path of paths) await mkdir(path)
  return paths
}

/** Reads files as a user who cannot enter the folder. Root, who may run the tests, can enter all folders. */
function cannotEnter(folder: string) {
  return (path: string) =>
    path.startsWith(`${folder}/`)
      ? Promise.reject(Object.assign(new Error('permission denied'), { code: 'EACCES' }))
      : stat(path)
}

test('a program that no folder holds is not found, and closed folders are named', async () => {
  const [open = '', closed = ''] = await folders('open', 'closed')
  const path = [open, closed, join(open, 'missing')].join(delimiter)
  expect(await searchProgram('claude', path, cannotEnter(closed))).toEqual({
    isFound: false,
    closedFolders: [closed],
  })
})

test('a program that cannot be executed is found', async () => {
  const [first = '', second = ''] = await folders('first', 'second')
  await writeFile(join(second, 'claude'), '')
  await chmod(join(second, 'claude'), 0o644)
  const path = [first, second].join(delimiter)
  expect(await searchProgram('claude', path)).toEqual({ isFound: true, closedFolders: [] })
})

test('a folder with the name of the program is not the program', async () => {
  const [first = ''] = await folders('first')
  await mkdir(join(first, 'claude'))
  expect(await searchProgram('claude', first)).toMatchObject({ isFound: false })
})
