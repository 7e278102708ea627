import { isBranchName } from '@agents/patterns'
import { RunFailure } from '../../run-contract/run-failure.ts'
import type { Git } from './git.ts'

export const commitId = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/

export function branchRef(name: string): string {
  return `refs/heads/${name}`
}

export async function checkBranchNames(git: Git, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const result = await git.run(['check-ref-format', branchRef(name)])
    if (result.code === 0 && isBranchName(name)) continue
    throw new RunFailure(
      'InvalidBranch',
      `${JSON.stringify(name)} is not a valid branch name in git`,
    )
  }
}
