import type { FileChange } from '@agents/git'
import { bootstrapFiles } from './bootstrap-files.ts'
import { commitMessage } from './commit-message.ts'
import type { MirrorSettings } from './mirror-settings.ts'
import { inFolder } from './plan-snapshot.ts'

interface MirroredFolder {
  readonly target: string
  readonly branch: string
  readonly folder: string
}

/** Changes as a branch takes them: whose they are, and what their commit says. */
export function changeSet(
  { target, branch, folder }: MirroredFolder,
  { messageTemplate }: MirrorSettings,
  changes: ReadonlyMap<string, FileChange>,
) {
  return {
    owner: target,
    changes,
    message: (changed: readonly string[]) =>
      commitMessage(messageTemplate, { target, branch, folder, changed }),
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
