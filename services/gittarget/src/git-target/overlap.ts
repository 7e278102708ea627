import { canonicalUrl, folderPath, isGitError } from '@agents/git'
import type { GitProvider, GitTarget } from '@agents/gittarget-api'
import { formatKey } from '@agents/kube'
import { globMatcher } from '../git-provider/glob-matcher.ts'

export type FindProvider = (target: GitTarget) => GitProvider | undefined

/**
 * The older target that owns the same or an overlapping path of the same repository and branch, however its URL is spelled. One
 * that lost its path to another owns nothing, and is in nobody's way. `waitingIn`: the repository that one writes to again as soon as
 * its provider is back.
 */
export const conflictingTarget = (
  target: GitTarget,
  provider: GitProvider,
  others: readonly GitTarget[],
  providerOf: FindProvider,
  waitingIn: (target: GitTarget) => string | undefined = () => undefined,
): GitTarget | undefined => {
  const repository = repositoryOf(provider)
  const folder = folderOf(target)
  if (repository === undefined || folder === undefined) return undefined
  const older = others.filter((other) => {
    if (other.metadata.uid === target.metadata.uid || other.metadata.deletionTimestamp) return false
    if (other.spec.branch !== target.spec.branch || !isOlder(other, target)) return false
    const otherProvider = providerOf(other)
    if (otherProvider === undefined) return waitingIn(other) === repository
    return (
      repositoryOf(otherProvider) === repository &&
      // Who may not write there owns nothing.
      allowsBranch(otherProvider, other.spec.branch)
    )
  })
  return ownersAmong(older).find((owner) => overlaps(owner.folder, folder))?.target
}

interface Owner {
  readonly target: GitTarget
  readonly folder: string
}

/** From the oldest on, each owns its path that meets with none of those before. */
const ownersAmong = (targets: readonly GitTarget[]): Owner[] => {
  const owners: Owner[] = []
  for (const target of targets.toSorted((a, b) => (isOlder(a, b) ? -1 : 1))) {
    const folder = folderOf(target)
    const isFree = folder !== undefined && !owners.some((owner) => overlaps(owner.folder, folder))
    if (isFree) owners.push({ target, folder })
  }
  return owners
}

/** The repository however its URL is spelled; undefined for a URL that cannot be used, which the provider's own status says. */
export const repositoryOf = ({ spec }: GitProvider): string | undefined =>
  unlessRefused(() => canonicalUrl(spec.url))

/** Undefined for one that cannot be written, and so is nobody's. */
const folderOf = ({ spec }: GitTarget): string | undefined =>
  unlessRefused(() => folderPath(spec.path))

/** What one object has wrong must not be in the way of all others. */
const unlessRefused = (read: () => string): string | undefined => {
  try {
    return read()
  } catch (error) {
    if (isGitError(error, 'refused')) return undefined
    throw error
  }
}

export const allowsBranch = ({ spec }: GitProvider, branch: string): boolean =>
  spec.allowedBranches.some((pattern) => {
    try {
      return globMatcher(pattern)(branch)
    } catch {
      // The provider's own status says so.
      return false
    }
  })

/** Whether one folder is, or is in, the other, also for a file system that cannot tell their names apart. The root holds all. */
export const overlaps = (one: string, other: string): boolean => {
  const [a, b] = [folded(one), folded(other)]
  return a === b || a === '' || b === '' || a.startsWith(`${b}/`) || b.startsWith(`${a}/`)
}

const folded = (folder: string): string => folder.normalize('NFC').toLowerCase()

/** The tie goes by uid, so that both sides see the same winner. */
const isOlder = (a: GitTarget, b: GitTarget): boolean => {
  const [one = '', other = ''] = [a.metadata.creationTimestamp, b.metadata.creationTimestamp]
  if (one !== other) return one < other
  return (a.metadata.uid ?? '') < (b.metadata.uid ?? '')
}

export const describeTarget = ({ metadata, spec }: GitTarget): string =>
  `${formatKey(metadata)} (path ${spec.path})`
