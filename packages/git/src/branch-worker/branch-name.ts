import { isBranchName } from '@agents/patterns'
import { GitError } from '../git-error.ts'

export function checkBranchName(branch: string): void {
  if (!isBranchName(branch)) {
    throw new GitError('refused', 'the branch name is not valid in Git')
  }
}
