import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { KeptResults } from './kept-results.ts'
import { UnstableTests } from './unstable-tests.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'agents-results-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const result = { suite: 'e2e/kites', passed: 3, seconds: 12.5, at: '2026-03-04T05:06:07.000Z' }

test('a result is found by its key only', async () => {
  const results = new KeptResults(folder)
  await results.keep('a', result)
  expect(await new KeptResults(folder).find('e2e/kites', 'a')).toEqual(result)
  expect(await results.find('e2e/kites', 'b')).toBeUndefined()
  expect(await results.find('e2e/other', 'a')).toBeUndefined()
})

test.each([
  { because: 'was cut off', edit: (text: string) => text.slice(0, -5) },
  { because: 'was edited', edit: (text: string) => text.replace('"passed":3', '"passed":4') },
  { because: 'is empty', edit: () => '' },
])('a file that $because is no result', async ({ edit }) => {
  const results = new KeptResults(folder)
  await results.keep('a', result)
  const path = join(folder, 'e2e-kites', 'a.json')
  await writeFile(path, edit(await readFile(path, 'utf8')))
  expect(await results.find('e2e/kites', 'a')).toBeUndefined()
})

test('a file that was copied to another key is no result', async () => {
  const results = new KeptResults(folder)
  await results.keep('a', result)
  const text = await readFile(join(folder, 'e2e-kites', 'a.json'), 'utf8')
  await writeFile(join(folder, 'e2e-kites', 'b.json'), text)
  expect(await results.find('e2e/kites', 'b')).toBeUndefined()
})

test('the oldest results are removed', async () => {
  const results = new KeptResults(folder)
  for (let day = 1; day <= 60; day++) {
    await results.keep(`key-${day}`, { ...result, at: new Date(day * 86_400_000).toISOString() })
  }
  expect(await readdir(join(folder, 'e2e-kites'))).toHaveLength(50)
  expect(await results.find('e2e/kites', 'key-10')).toBeUndefined()
  expect(await results.find('e2e/kites', 'key-11')).toBeDefined()
})

test('an unstable test stays listed until its file changes', async () => {
  const path = join(folder, 'unstable.json')
  await writeFile(join(folder, 'fly.check.ts'), 'test')
  const failure = { file: 'fly.check.ts', where: 'fly.check.ts > flies', why: 'too late' }
  const tests = new UnstableTests(path, folder)
  await tests.add([failure])
  await tests.add([failure])
  // This run's are listed with their reasons already.
  expect(await tests.lines([failure])).toEqual([])
  expect(await tests.lines([])).toEqual([
    'unstable in earlier runs, and unchanged since:',
    expect.stringContaining('fly.check.ts > flies (2×, last on '),
  ])
  await writeFile(join(folder, 'fly.check.ts'), 'mended')
  expect(await tests.lines([])).toEqual([])
})
