import { expect, test } from 'vitest'
import { path, repositoryPath } from './path.ts'

test.each([
  { value: 'a/../../admin', expected: '/x/a%2F..%2F..%2Fadmin/y' },
  { value: 'a?b#c', expected: '/x/a%3Fb%23c/y' },
  { value: 'ü', expected: '/x/%C3%BC/y' },
])('$value is one segment of a path', ({ value, expected }) => {
  const made = path`/x/${value}/y`
  expect(made).toBe(expected)
  expect(new URL(made, 'http://h').pathname).toBe(expected)
})

test.each(['', '.', '..'])('%j is refused as a segment', (value) => {
  expect(() => path`/x/${value}/y`).toThrow('not a valid name')
})

test.each(['name', '/name', 'owner/..', '../x'])('%j is refused as a repository', (repository) => {
  expect(() => repositoryPath(repository)).toThrow()
})
