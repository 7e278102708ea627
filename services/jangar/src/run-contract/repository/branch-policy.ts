import { firstMatch } from '@agents/patterns'

/** Which branches runs may push to: `spec.branchPolicy` of a VersionControlProvider. */
export interface BranchPolicy {
  readonly allowBaseBranch?: boolean
  readonly protected?: readonly string[]
  readonly allow?: readonly string[]
}

/** What a branch is compared with. */
export interface BranchFacts {
  /** `defaults.baseBranch` of the VersionControlProvider. */
  readonly providerBase?: string | undefined
  /** Known once `checkout` has listed the remote's refs. */
  readonly defaultBranch?: string | undefined
  /** What the run names as its base. It can add a denial and lift none. */
  readonly runBase?: string | undefined
}

const protectedByDefault: readonly string[] = ['main', 'master', 'release/*']

/**
 * Why a run may not push to the branch; undefined if it may. Denials ignore case: some services take `Main` and `main`
 * for the same branch.
 */
export function branchProblem(
  branch: string,
  { allowBaseBranch = false, protected: listed, allow = [] }: BranchPolicy,
  { providerBase, defaultBranch, runBase }: BranchFacts,
): string | undefined {
  const name = branch.toLowerCase()
  const is = (other: string | undefined) => other?.toLowerCase() === name
  const isBase = is(providerBase) || is(defaultBranch)
  if ((isBase || is(runBase)) && !allowBaseBranch) {
    const which =
      is(providerBase) || is(runBase) ? 'the base branch' : 'the default branch of the remote'
    return `${branch} is ${which}, and branchPolicy.allowBaseBranch is not true`
  }
  // An explicit list always counts; the default one gives way where the base branch is allowed. Not where the run chose
  // the base: it could choose any protected branch.
  const patterns = listed ?? (isBase ? [] : protectedByDefault)
  const by = firstMatch(
    patterns.map((pattern) => pattern.toLowerCase()),
    name,
  )
  if (by !== undefined) return `${branch} is protected by branchPolicy.protected (${by})`
  if (allow.length === 0 || firstMatch(allow, branch) !== undefined) return undefined
  return `${branch} is not among branchPolicy.allow (${allow.join(', ')})`
}
