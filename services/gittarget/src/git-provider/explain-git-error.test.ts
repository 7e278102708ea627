import { GitError } from '@agents/git'
import { expect, test } from 'vitest'
import { explainGitError } from './explain-git-error.ts'

const trailer =
  '\nfatal: Could not read from remote repository.\n\nPlease make sure you have the correct access rights\nand the repository exists.'

test.each([
  {
    because: 'what always follows helps nobody',
    error: new GitError('not-found', `git ls-remote failed: fatal: no such thing${trailer}`),
    says: 'there is no repository at this URL, or these credentials may not see it: git ls-remote failed: fatal: no such thing',
  },
  {
    because: 'a status is read in one line',
    error: new GitError('failed', 'one\n two'),
    says: 'one; two',
  },
  {
    because: 'nobody is to find out by himself that this cannot work',
    error: new GitError(
      'refused',
      "git push failed: fatal: the receiving end does not support this repository's hash algorithm\nfatal: the remote end hung up unexpectedly",
    ),
    says: "the repository names its objects by SHA-256, which is not supported; make one with git init --object-format=sha1: git push failed: fatal: the receiving end does not support this repository's hash algorithm",
  },
  {
    because: 'there are no other words',
    error: new GitError('local', 'fatal: the remote end hung up unexpectedly'),
    says: 'fatal: the remote end hung up unexpectedly',
  },
])('$says, because $because', ({ error, says }) => {
  expect(explainGitError(error)).toBe(says)
})
