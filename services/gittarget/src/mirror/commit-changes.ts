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
 * Changes as a branch takes them: whose they are, and what their commit says. The settings are those of the moment when the commit
 * is made: a hook may refuse what an earlier template says, until there is a better one.
 */
export function changeSet(
  { target, branch, folder }: MirroredFolder,
  settings: () => Pick<MirrorSettings, 'messageTemplate'>,
  changes: ReadonlyMap<string, FileChange>,
): ChangeSet {
  return {
    owner: target,
    changes,
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

/** The files beside the manifests, by their path from the root. */
export function bootstrapChanges(
  { target, folder }: MirroredFolder,
  { encryption }: MirrorSettings,
): Map<string, FileChange> {
  const files = bootstrapFiles(target, encryption?.recipients)
  return new Map([...files].map(([name, change]) => [inFolder(folder, name), change]))
}
