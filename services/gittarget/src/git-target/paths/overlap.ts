import { canonicalUrl, folderPath, isGitError } from '@agents/git'
import type { GitProvider, GitTarget } from '@agents/gittarget-api'
import { globMatcher } from '@agents/patterns'

/** Canonical URL of the repository that a target writes to; undefined if it has none. */
type FindRepository = (target: GitTarget) => string | undefined

/**
 * The other targets of the same repository and branch whose paths overlap with that of this target, directly or
 * through each other, because whether one of them owns its path depends on the others.
 */
export function overlappingTargets(
  target: GitTarget,
  repository: string,
  others: readonly GitTarget[],
  repositoryOfTarget: FindRepository,
): GitTarget[] {
  const folder = folderOf(target)
  if (folder === undefined) return []
  let left = others.flatMap((other) => {
    if (other.metadata.uid === target.metadata.uid || other.metadata.deletionTimestamp) return []
    if (other.spec.branch !== target.spec.branch) return []
    if (repositoryOfTarget(other) !== repository) return []
    const otherFolder = folderOf(other)
    return otherFolder === undefined ? [] : [{ target: other, folder: otherFolder }]
  })
  const queue = [{ target, folder }]
  for (const next of queue) {
    const near = left.filter((one) => overlaps(one.folder, next.folder))
    left = left.filter((one) => !near.includes(one))
    queue.push(...near)
  }
  return queue.slice(1).map((one) => one.target)
}

/**
 * The older target that owns the same or an overlapping path. A target that lost its path to another, or has no claim
 * because it has not shown that it can write to the repository, owns nothing.
 */
export function conflictingTarget(
  target: GitTarget,
  rivals: readonly GitTarget[],
  holdsClaim: (rival: GitTarget) => boolean,
): GitTarget | undefined {
  const older = rivals.filter((rival) => isOlder(rival, target) && holdsClaim(rival))
  return ownersAmong(older).find((owner) => pathsOverlap(owner.target, target))?.target
}

export function pathsOverlap(one: GitTarget, other: GitTarget): boolean {
  const [a, b] = [folderOf(one), folderOf(other)]
  return a !== undefined && b !== undefined && overlaps(a, b)
}

interface Owner {
  readonly target: GitTarget
  readonly folder: string
}

/** From the oldest on, each target owns its path if it overlaps with no path owned so far. */
function ownersAmong(targets: readonly GitTarget[]): Owner[] {
  const owners: Owner[] = []
  for (const target of targets.toSorted((a, b) => (isOlder(a, b) ? -1 : 1))) {
    const folder = folderOf(target)
    const isFree = folder !== undefined && !owners.some((owner) => overlaps(owner.folder, folder))
    if (isFree) owners.push({ target, folder })
  }
  return owners
}

/**
 * Canonical URL of the provider's repository; undefined for an invalid URL, which the status of the provider reports.
 */
export function repositoryOf({ spec }: GitProvider): string | undefined {
  return unlessRefused(() => canonicalUrl(spec.url))
}

/** Undefined for an invalid path, which no target can own. */
function folderOf({ spec }: GitTarget): string | undefined {
  return unlessRefused(() => folderPath(spec.path))
}

/** An invalid object must not block the others. */
function unlessRefused(read: () => string): string | undefined {
  try {
    return read()
  } catch (error) {
    if (isGitError(error, 'refused')) return undefined
    throw error
  }
}

export function allowsBranch({ spec }: GitProvider, branch: string): boolean {
  return spec.allowedBranches.some((pattern) => {
    try {
      return globMatcher(pattern)(branch)
    } catch {
      // The status of the provider reports the invalid pattern.
      return false
    }
  })
}

/**
 * Whether one folder is or contains the other, also on a case-insensitive file system. The root contains all folders.
 */
export function overlaps(one: string, other: string): boolean {
  const [a, b] = [folded(one), folded(other)]
  return a === b || a === '' || b === '' || a.startsWith(`${b}/`) || b.startsWith(`${a}/`)
}

function folded(folder: string): string {
  return folder.normalize('NFC').toLowerCase()
}

/** Ties are broken by uid, so that both sides agree on the owner. */
function isOlder(a: GitTarget, b: GitTarget): boolean {
  const [one = '', other = ''] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp]
  if (one !== other) return one < other
  return (a.metadata.uid ?? '') < (b.metadata.uid ?? '')
}

/** Describes a target in the status of another one, without details if it is in another namespace. */
export function describeTarget({ metadata, spec }: GitTarget, reader: GitTarget): string {
  return metadata.namespace === reader.metadata.namespace
    ? `GitTarget ${metadata.name} (path ${spec.path})`
    : 'GitTarget in another namespace'
}
