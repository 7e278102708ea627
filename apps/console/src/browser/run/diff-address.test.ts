import { expect, test } from 'vitest'
import { diffAddress } from './diff-address.ts'

test.each([
  ['https://github.com/a/b/pull/7', 'https://github.com/a/b/pull/7/files'],
  ['https://gitea.test/a/b/pulls/7', 'https://gitea.test/a/b/pulls/7/files'],
  [
    'https://gitlab.test/a/b/-/merge_requests/7',
    'https://gitlab.test/a/b/-/merge_requests/7/diffs',
  ],
  ['https://bitbucket.org/a/b/pull-requests/7', 'https://bitbucket.org/a/b/pull-requests/7/diff'],
  ['https://other.test/change/7', undefined],
  [undefined, undefined],
])('the changes of %s', (url, address) => {
  expect(diffAddress(url)).toBe(address)
})
