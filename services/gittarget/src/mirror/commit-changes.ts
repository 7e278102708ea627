import type { ChangeSet, FileChange } from '@agents/git'
import { bootstrapFiles } from './bootstrap-files.ts'
import { commitMessage } from './commit-message.ts'
import type { MirrorSettings } from './mirror-settings.ts'
import { inFolder } from './plan-snapshot.ts'

interface MirroredFolder {
  readonly target: string
  readonly branch: string
  readonly folder: string
}

/**
 * Changes as a branch takes them: whose they are, and what their commit says. All is asked when the commit is made, and again when
 * it has to be made anew: a hook may refuse what an earlier template says until there is a better one, and while changes are held
 * the files stay as they are.
 */
export function changeSet(
  { target, branch, folder }: MirroredFolder,
  settings: () => Pick<MirrorSettings, 'messageTemplate'>,
  changes: ReadonlyMap<string, FileChange>,
  isHeld: () => boolean,
): ChangeSet {
  return {
    owner: target,
    changes: new Map([...changes].map(([path, change]) => [path, unless(isHeld, change)])),
    message: (changed, { created, deleted }) =>
      commitMessage(settings().messageTemplate, {
        target,
        branch,
        folder,
        changed,
        created,
        deleted,
      }),
  }
}

const unless = (isHeld: () => boolean, change: FileChange): FileChange => {
  if (change === null || Buffer.isBuffer(change)) {
    return (current) => (isHeld() ? (current ?? null) : change)
  }
  const from = typeof change === 'function' ? change : change.from.bind(change)
  const held = (current: Buffer | undefined) => (isHeld() ? (current ?? null) : from(current))
  if (typeof change === 'function') return held
  return {
    knows: (oid) => change.knows(oid),
    fromKnown: () => (isHeld() ? undefined : change.fromKnown()),
    from: held,
  }
}

/** The files beside the manifests, by their path from the root. */
export function bootstrapChanges(
  { target, folder }: MirroredFolder,
  { encryption }: MirrorSettings,
): Map<string, FileChange> {
  const files = bootstrapFiles(target, encryption?.recipients)
  return new Map([...files].map(([name, change]) => [inFolder(folder, name), change]))
}
