import { expect, test } from 'vitest'
import { checkBranchName } from '../branch-worker/branch-name.ts'
import { folderPath, pathProblem } from './repository-path.ts'

test.each(['a', 'a/b.yaml', '.github/x', '.gitignore', 'a b/ž', '%2e%2e/x', 'con', 'git/x'])(
  '%s can be written',
  (path) => {
    expect(pathProblem(path)).toBeUndefined()
  },
)

test.each([
  '',
  '/a',
  'a/',
  'a//b',
  '.',
  '..',
  'a/../b',
  'a/./b',
  '.git/config',
  'a/.Git/hooks',
  '.git ',
  '.git.',
  '.git::$INDEX_ALLOCATION',
  'GIT~1/config',
  '.g\u200cit/config',
  'a\\..\\b',
  'a\0b',
  'a\nb',
  '\ud800',
  'x'.repeat(256),
])('%j cannot', (path) => {
  expect(pathProblem(path)).toEqual(expect.any(String))
})

test.each([
  ['.', ''],
  ['', ''],
  ['/', ''],
  ['a/b/', 'a/b'],
])('the folder %j is %j', (path, folder) => {
  expect(folderPath(path)).toBe(folder)
})

test('a folder that leads elsewhere is refused', () => {
  expect(() => folderPath('a/../..')).toThrow(expect.objectContaining({ code: 'refused' }))
})

test.each(['main', 'release/1.0', 'feature/a-b_c', 'ž', 'a@b'])(
  'a branch may be called %s',
  (name) => {
    expect(() => checkBranchName(name)).not.toThrow()
  },
)

test.each([
  '',
  '-x',
  '/a',
  'a/',
  'a..b',
  'a b',
  'a~1',
  'a^',
  'a:b',
  'a?',
  'a*',
  'a[',
  'a\\b',
  '@',
  'a@{1}',
  'HEAD',
  'a.lock',
  'a/.b',
  'a//b',
  'a\n',
])('but not %j', (name) => {
  expect(() => checkBranchName(name)).toThrow(expect.objectContaining({ code: 'refused' }))
})
