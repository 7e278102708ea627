import { GitError } from '@agents/git'
import { expect, test } from 'vitest'
import { explainGitError } from './explain-git-error.ts'

const trailer =
  '\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.'

test.each([
  {
    because: 'the usual trailer of Git is removed',
    error: new GitError('not-found', `git ls-remote failed: fatal: no such thing${trailer}`),
    message:
      'the repository does not exist at this URL, or the credentials have no access to it: git ls-remote failed: fatal: no such thing',
  },
  {
    because: 'the message is one line',
    error: new GitError('failed', 'one\n two'),
    message: 'one; two',
  },
  {
    because: 'the cause is explained',
    error: new GitError(
      'refused',
      "git push failed: fatal: the receiving end does not support this repository's hash algorithm\nfatal: the remote end hung up unexpectedly",
    ),
    message:
      "the repository uses SHA-256 object names, which are not supported; create one with git init --object-format=sha1: git push failed: fatal: the receiving end does not support this repository's hash algorithm",
  },
  {
    because: 'the message consists of the trailer only',
    error: new GitError('local', 'fatal: the remote end hung up unexpectedly'),
    message: 'fatal: the remote end hung up unexpectedly',
  },
])('$message, because $because', ({ error, message }) => {
  expect(explainGitError(error)).toBe(message)
})

test('an answer of a mebibyte of blanks is read once', () => {
  // The server chooses it. Read again from each blank, it takes hours.
  const error = new GitError('failed', `a${' '.repeat(2 ** 20)}b\n\n c`)
  expect(explainGitError(error)).toMatch(/b; c$/)
})
