import type { VersionControlProvider } from '@agents/jangar-api'
import {
  ciDefinitions,
  type PushPolicy,
  pathProblem,
} from '../../../run-contract/repository/push-policy.ts'

/**
 * Why the provider may not ask for merging automatically. A run that can change the definitions of CI decides about the
 * checks that its own work has to pass.
 */
export function autoMergeProblem({
  defaults,
  pushPolicy = {},
}: VersionControlProvider['spec']): string | undefined {
  if (defaults?.pullRequest?.autoMerge !== true) return undefined
  const open = ciDefinitions.find((pattern) => mayChange(pattern, pushPolicy))
  if (open === undefined) return undefined
  return `spec.defaults.pullRequest.autoMerge needs a spec.pushPolicy that denies definitions of CI, but it allows ${open}; add it to deniedPaths, or remove deniedPaths`
}

export function wantsAutoMerge({ spec }: VersionControlProvider): boolean {
  return spec.defaults?.pullRequest?.autoMerge === true && autoMergeProblem(spec) === undefined
}

/** Also true if it is not certain. */
function mayChange(pattern: string, { allowedPaths = [], deniedPaths }: PushPolicy): boolean {
  const denies = deniedPaths === undefined ? {} : { deniedPaths }
  // What matches the * of a pattern is itself a *, so that it matches whatever stands for it. A symbolic link in place
  // of a folder above would replace it.
  const folders = [...pattern.matchAll(/\//g)].map(({ index }) => pattern.slice(0, index))
  const isDenied = [pattern, ...folders].every((path) => pathProblem(path, denies) !== undefined)
  if (isDenied) return false
  const begin = beginOf(pattern)
  return (
    allowedPaths.length === 0 ||
    allowedPaths.some((allowed) => {
      const other = beginOf(allowed)
      return begin.startsWith(other) || other.startsWith(begin)
    })
  )
}

/** What all paths that match begin with; services and file systems may ignore case. */
function beginOf(pattern: string): string {
  return (pattern.split('*', 1)[0] ?? '').toLowerCase()
}
