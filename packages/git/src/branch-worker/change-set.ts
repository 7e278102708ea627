import type { Identity } from '../commit/commit-object.ts'
import type { AppliedChanges, RefusedChange } from '../object-writer/apply-changes.ts'

/**
 * What a file shall become: these bytes, gone (null), or what the function makes of what the branch holds at the moment
 * of writing. The function is asked again whenever the branch turns out to be elsewhere, so it must have no effect of
 * its own.
 */
export type FileChange =
  | Buffer
  | null
  | ((current: Buffer | undefined) => Buffer | null | Promise<Buffer | null>)
  | KnowingChange

/** A change that need not read again what it knows by its name. */
export interface KnowingChange {
  knows(oid: string): boolean
  /** What it makes of a file whose contents it knows; undefined: the file stays. */
  fromKnown(): Buffer | null | undefined | Promise<Buffer | null | undefined>
  /** What it makes of any other file, or of none. */
  from(current: Buffer | undefined): Buffer | null | Promise<Buffer | null>
  /**
   * Called for a file that is too large to be read, which always stays as it is. Returns whether nothing had to be
   * written to it. If not, or if omitted, the change is refused.
   */
  acceptsLarge?(): boolean
}

export interface ChangeSet {
  /** Who wants it. Sets of one owner and author that still wait become one commit; the last change of a path wins. */
  readonly owner: string
  readonly changes: ReadonlyMap<string, FileChange>
  /** Asked when the commit is made, with the paths that are really different. */
  readonly message: (
    changed: readonly string[],
    among: Pick<AppliedChanges, 'created' | 'deleted'>,
  ) => string
  /** Without one, the committer. */
  readonly author?: Identity
}

export interface Confirmation {
  /**
   * The branch's commit at which the change set is known to be in the repository; none when there is no branch to hold
   * it.
   */
  readonly commit: string | undefined
  /** Whether a commit was needed. */
  readonly written: boolean
  readonly changed: readonly string[]
  readonly refused: readonly RefusedChange[]
}
