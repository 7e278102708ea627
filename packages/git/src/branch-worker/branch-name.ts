import { GitError } from '../git-error.ts'

// As `git check-ref-format --branch` has it.
const forbidden = [
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0020\u007f~^:?*[\\]/,
  /\.\.|@\{|\/\/|\/\.|\.lock(\/|$)/,
  /^[-./]|[./]$|^@$|^HEAD$/,
]

export function checkBranchName(branch: string): void {
  if (branch === '' || forbidden.some((pattern) => pattern.test(branch))) {
    throw new GitError('refused', 'the branch name is not valid in Git')
  }
}
