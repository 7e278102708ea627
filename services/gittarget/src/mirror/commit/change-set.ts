import type { ChangeSet, FileChange, Identity } from '@agents/git'
import { inFolder } from '../../document/manifest-path.ts'
import { coAuthorTrailers } from '../authors/author.ts'
import type { MirrorEncryption } from '../snapshot/render-file.ts'
import type { AuthorGroup } from './author-groups.ts'
import { bootstrapFiles } from './bootstrap-files.ts'
import { commitMessage } from './commit-message.ts'

interface MirroredFolder {
  readonly target: string
  readonly branch: string
  readonly folder: string
}

/**
 * Changes in the form that a branch worker applies. Settings and content are read when the commit is made, and again
 * if it has to be repeated: a hook may reject the message of an earlier template, and while changes are held the
 * files stay as they are.
 */
export function changeSet(
  { target, branch, folder }: MirroredFolder,
  settings: () => { readonly messageTemplate: string | undefined },
  { author, coAuthors, changes }: AuthorGroup,
  isHeld: () => boolean,
): ChangeSet {
  return {
    owner: target,
    ...(author && { author }),
    changes: new Map([...changes].map(([path, change]) => [path, unless(isHeld, change)])),
    message: (changed, { created, deleted }) =>
      withCoAuthors(
        commitMessage(settings().messageTemplate, {
          target,
          branch,
          folder,
          changed,
          created,
          deleted,
        }),
        coAuthors,
      ),
  }
}

/** Trailers are the last paragraph of a message. */
function withCoAuthors(message: string, coAuthors: readonly Identity[]): string {
  return coAuthors.length === 0 ? message : `${message.trimEnd()}\n\n${coAuthorTrailers(coAuthors)}`
}

function unless(isHeld: () => boolean, change: FileChange): FileChange {
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
    acceptsLarge: () => isHeld() || change.acceptsLarge?.() === true,
  }
}

/** The files that the mirror adds to the folder, by their path from the root of the repository. */
export function bootstrapChanges(
  { target, folder }: MirroredFolder,
  encryption: MirrorEncryption | undefined,
): Map<string, FileChange> {
  const files = bootstrapFiles(target, encryption?.recipients)
  return new Map([...files].map(([name, change]) => [inFolder(folder, name), change]))
}
