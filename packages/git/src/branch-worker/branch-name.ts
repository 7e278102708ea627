import { GitError } from '../git-error.ts'

// As `git check-ref-format --branch` has it, without what Git would expand or take for another ref.
const forbidden = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0020\u007f~^:?*[\\]/,
  /\.\.|@\{|\/\/|\/\.|\.lock(\/|$)/,
  /^[-./]|[./]$|^@$|^HEAD$|^refs\//,
]

export function isBranchName(branch: string): boolean {
  return branch !== '' && !forbidden.some((pattern) => pattern.test(branch))
}

export function checkBranchName(branch: string): void {
  if (!isBranchName(branch)) {
    throw new GitError('refused', 'the branch name is not valid in Git')
  }
}
