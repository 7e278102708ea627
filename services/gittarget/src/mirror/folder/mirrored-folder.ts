import type { Clock } from '@agents/controller'
import type { BranchWorker, Confirmation, FileChange } from '@agents/git'
import type { Logger } from '@agents/log'
import { identityKey, type ManifestIdentity } from '../../document/identity.ts'
import { inFolder } from '../../document/manifest-path.ts'
import type { Authorship, ChangeAuthors } from '../authors/change-authors.ts'
import { groupByAuthor, mergeConfirmations, nobody } from '../commit/author-groups.ts'
import { bootstrapChanges, changeSet } from '../commit/change-set.ts'
import type { DeletionJournal } from '../deletions/deletion-journal.ts'
import type { ResourceType } from '../selection/resource-type.ts'
import {
  desiredState,
  isConfirmedDeleted,
  isCovered,
  isDesiredNow,
  pathOf,
  wantsDeletion,
} from '../snapshot/desired-state.ts'
import type { PlacedManifest } from '../snapshot/locate-manifests.ts'
import { isOwnPath } from '../snapshot/manifest-files.ts'
import {
  planSnapshot,
  type SnapshotPlan,
  type SnapshotStats,
  snapshotStats,
} from '../snapshot/plan-snapshot.ts'
import { sweepProblem } from '../snapshot/sweep-guard.ts'
import type { WatchedStreams } from '../stream/watched-streams.ts'
import { BlockedFiles } from './blocked-files.ts'
import type { ChangedObjects } from './changed-objects.ts'
import { DriftedFiles } from './drifted-files.ts'
import { FolderIndex } from './folder-index.ts'
import type { FolderSettings } from './folder-settings.ts'
import { ManifestWriter } from './manifest-writer.ts'

interface MirroredFolderPorts {
  /** `namespace/name` of the GitTarget. */
  readonly target: string
  readonly branch: string
  /** Without leading and trailing slashes; empty for the root. */
  readonly folder: string
  readonly clock: Pick<Clock, 'now'>
  readonly log: Logger
  readonly watched: WatchedStreams
  readonly changed: ChangedObjects
  readonly authors: Pick<ChangeAuthors, 'of'>
  /**
   * Objects whose deletion was reported while a rule selected them. The rule may no longer watch their type or
   * namespace when the files are deleted.
   */
  readonly deletions: DeletionJournal
  /** The current settings. */
  settings(): FolderSettings
  /** Whether the server does not serve a resource that the rules select. */
  isResourceMissing(): boolean
  /** Whether another writer moved the branch to the commit while no process of this mirror ran. */
  hasMovedBefore(commit: string | undefined): boolean
  /** Paths of the manifests whose drift the previous mirror of the target reported, by identity. If omitted, none. */
  readonly drifted?: ReadonlyMap<string, string> | undefined
}

export type Batch = ReadonlyMap<string, ManifestIdentity>

/** Result of an attempt to write. */
export interface WriteOutcome {
  readonly confirmation: Confirmation
  /** Whether the files that the mirror adds to the folder were written. */
  readonly isBootstrap: boolean
  /** Whether the target was suspended meanwhile. The objects wait again, to be compared after it is resumed. */
  readonly isHeld: boolean
  /** Whether manifests were not at their known paths. They wait again, to be searched for in the whole folder. */
  readonly hasMissed: boolean
}

export interface CompareOutcome extends WriteOutcome {
  /** Undefined if nothing was changed. */
  readonly stats: SnapshotStats | undefined
  /** Why files of deleted objects were kept; undefined if they were deleted. */
  readonly sweepProblem: string | undefined
}

interface CompareOptions {
  /** Objects that changed since the last attempt. */
  readonly batch: Batch
  /**
   * Whether the branch was changed by another writer: differences of other objects are drift. Called directly after the
   * branch was read, because reading it may be what finds the change.
   */
  isForeign(): boolean
  /** Called when the changes are known. */
  compared(): void
}

/** One folder of a branch: knows its content and makes it match what the rules select. */
export class MirroredFolder {
  readonly #ports: MirroredFolderPorts
  readonly #known = new FolderIndex()
  readonly #blockedFiles = new BlockedFiles()
  readonly #drifted: DriftedFiles
  /** Deletions that an earlier process saw: the objects may have been recreated since. */
  readonly #unconfirmed: Set<string>
  readonly #files: ManifestWriter

  constructor(ports: MirroredFolderPorts) {
    const { clock, settings, watched, deletions } = ports
    this.#ports = ports
    this.#unconfirmed = new Set(deletions.entries.keys())
    this.#drifted = new DriftedFiles((commit) => ports.hasMovedBefore(commit), ports.drifted)
    this.#files = new ManifestWriter({
      clock,
      watched: () => watched.list(),
      settings,
      isLocated: (key) => this.#known.holds(key),
      isImplied: (key) => this.#known.isImplied(key),
      isDeleted: (key) => deletions.has(key),
      missed: (identity) => this.#known.miss(identity),
    })
  }

  get blockedFiles(): Pick<BlockedFiles, 'message' | 'nextCheck'> {
    return this.#blockedFiles
  }

  get driftedFiles(): Pick<DriftedFiles, 'count' | 'describe' | 'paths'> {
    return this.#drifted
  }

  /** Number of manifests that no rule selects and that are kept; undefined before the first comparison. */
  get retainedFiles(): number | undefined {
    return this.#known.retainedCount
  }

  /**
   * Whether a changed or deleted object may require a write. `isUncertain`: the content of the folder may differ from
   * the index.
   */
  concerns(
    identity: ManifestIdentity,
    type: ResourceType,
    { wasSelected, isUncertain }: { readonly wasSelected: boolean; readonly isUncertain: boolean },
  ): boolean {
    const { changed, deletions, watched } = this.#ports
    const key = identityKey(identity)
    this.#unconfirmed.delete(key)
    if (isDesiredNow(watched.list(), identity)) {
      deletions.delete(key)
      return true
    }
    const mayExist = isUncertain || this.#known.mayHold(key) || changed.isAttempted(key)
    if (!mayExist && !this.#blockedFiles.has(this.#defaultPathOf(identity, type))) {
      // Created and deleted before it was written: it is dropped, so that such objects do not accumulate while a
      // remote is unreachable.
      deletions.delete(key)
      changed.drop(key)
      return false
    }
    if (wasSelected) deletions.add(key, identity)
    // An object that no rule ever selected is ignored.
    return wasSelected || this.#known.holds(key)
  }

  /** Whether the files that the mirror adds to the folder exist. */
  async hasBootstrap(worker: BranchWorker): Promise<boolean> {
    const { files } = await worker.list(this.#ports.folder)
    return [...this.#bootstrap().keys()].every((name) => files.has(name))
  }

  /** Compares the folder with the streams, and writes and sweeps in one commit. */
  async compare(
    worker: BranchWorker,
    { batch, isForeign, compared }: CompareOptions,
  ): Promise<CompareOutcome> {
    const { plan, reported, ...position } = await this.#plan(worker, batch, isForeign)
    const problem = this.#sweepProblem(plan)
    const swept = problem === undefined ? plan.swept : []
    const differing = [...plan.created, ...plan.updated, ...plan.deleted, ...swept]
    const placed = this.#withoutDrift(differing, batch, position)
    const isReporting = placed.length < differing.length
    const bootstrap = isReporting ? [] : this.#bootstrap()
    const changes = new Map([...this.#files.changes(placed), ...bootstrap])
    this.#ports.changed.attempting(
      new Map(placed.map(({ identity }) => [identityKey(identity), identity])),
    )
    this.#known.compared(plan)
    this.#files.know(plan.unchanged)
    compared()
    const outcome = await this.#apply(worker, changes, { batch, placed, tried: 'all' })
    if (!outcome.isHeld) this.#forget(reported, placed)
    const stats = snapshotStats(plan, outcome.confirmation)
    return { ...outcome, stats, sweepProblem: problem }
  }

  /**
   * Compares the folder with the streams without writing, for a target that is suspended. Its pending changes are then
   * known. Returns the number of files that a sweep would delete.
   */
  async preview(worker: BranchWorker, isForeign: () => boolean): Promise<number> {
    const batch = this.#ports.changed.waiting
    const { plan, ...position } = await this.#plan(worker, batch, isForeign)
    const differing = [...plan.created, ...plan.updated, ...plan.deleted]
    const placed = this.#withoutDrift(differing, batch, position)
    this.#known.compared(plan)
    this.#files.know(plan.unchanged)
    this.#ports.changed.replace(
      new Map(placed.map(({ identity }) => [identityKey(identity), identity])),
    )
    return this.#sweepProblem(plan) === undefined ? plan.swept.length : 0
  }

  /** Writes the current state of these objects, to their known or default paths. */
  async write(worker: BranchWorker, batch: Batch): Promise<WriteOutcome> {
    const { watched } = this.#ports
    const placed = [...batch].flatMap(([key, identity]) => {
      const type = watched.typeOf(identity)
      const path = this.#known.pathOf(key) ?? (type && this.#defaultPathOf(identity, type))
      return path === undefined ? [] : [{ identity, path }]
    })
    const tried = placed.map(({ path }) => path)
    const changes = this.#files.changes(placed)
    const outcome = await this.#apply(worker, changes, { batch, placed, tried })
    if (!outcome.isHeld) this.#forget(batch, placed)
    return outcome
  }

  /** `reported` are the deletions that the plan considers. */
  async #plan(worker: BranchWorker, batch: Batch, hasMoved: () => boolean) {
    const { folder, settings } = this.#ports
    const watched = this.#ports.watched.markSeen()
    const { files, commit } = await worker.list(folder)
    const isForeign = hasMoved()
    const { prune, pathTemplate } = settings()
    const reported = new Map([...batch, ...this.#reportedDeletions()])
    const plan = await planSnapshot({
      folder,
      template: pathTemplate,
      files,
      blobs: worker,
      desired: desiredState(watched),
      render: (...file) => this.#files.render(...file),
      isSwept: (identity) =>
        prune.mode === 'Always' &&
        wantsDeletion(watched, identity) &&
        isConfirmedDeleted(watched, identity),
      deletions: prune.mode === 'Never' ? new Map() : reported,
    })
    return { plan, reported, commit, isForeign }
  }

  /** A deletion that an earlier process saw has to be confirmed by a live stream. */
  #reportedDeletions(): [string, ManifestIdentity][] {
    const { deletions, watched, isResourceMissing } = this.#ports
    const list = watched.list()
    return [...deletions.entries].filter(([key, identity]) => {
      if (!this.#unconfirmed.has(key)) return true
      return isCovered(list, identity) ? isConfirmedDeleted(list, identity) : !isResourceMissing()
    })
  }

  /** The manifests to write. */
  #withoutDrift(
    differing: readonly PlacedManifest[],
    batch: Batch,
    { commit, isForeign }: Position,
  ): readonly PlacedManifest[] {
    const { deletions, settings } = this.#ports
    return this.#drifted.compared({
      ...{ differing, isForeign, commit, onDrift: settings().onDrift },
      isOwnChange: (key) => batch.has(key) || deletions.has(key),
    })
  }

  /** Forgets reported deletions that need no further attempt. Those of written files are settled by `#place`. */
  #forget(reported: Batch, placed: readonly PlacedManifest[]): void {
    const { changed, deletions } = this.#ports
    const written = new Set(placed.map(({ identity }) => identityKey(identity)))
    for (const key of reported.keys()) {
      this.#unconfirmed.delete(key)
      if (!written.has(key) && !changed.isWaiting(key)) deletions.delete(key)
    }
  }

  #sweepProblem({ swept, located }: SnapshotPlan): string | undefined {
    const { prune, confirmed } = this.#ports.settings()
    const paths = swept.map(({ path }) => path)
    const sweep = { paths, total: located.size + paths.length }
    return sweepProblem(sweep, prune.maxDeleteFraction, confirmed)
  }

  async #apply(
    worker: BranchWorker,
    changes: ReadonlyMap<string, FileChange>,
    { batch, placed, tried }: Attempt,
  ): Promise<WriteOutcome> {
    const { changed, settings } = this.#ports
    let isHeld = false
    const held = (): boolean => {
      isHeld ||= settings().suspend
      return settings().suspend
    }
    const byPath = keysByPath(placed)
    const groups = groupByAuthor(changes, (path) => this.#authorsOf(path, byPath))
    // All are pushed together, one commit for each author.
    const confirmation = mergeConfirmations(
      await Promise.all(
        groups.map((group) => worker.apply(changeSet(this.#ports, settings, group, held))),
      ),
    )
    const own = this.#bootstrap()
    const isBootstrap = confirmation.changed.some((path) => own.has(path))
    // It is not known which changes were made before the target was suspended.
    if (!isHeld) this.#settle(confirmation, placed, tried)
    const missed = this.#known.takeMissed()
    for (const [key, identity] of isHeld ? batch : missed) changed.add(key, identity)
    return { confirmation, isBootstrap, isHeld, hasMissed: missed.length > 0 }
  }

  #authorsOf(path: string, keysByPath: ReadonlyMap<string, readonly string[]>): Authorship {
    const { authors, settings } = this.#ports
    return settings().attributesChanges ? authors.of(keysByPath.get(path) ?? []) : nobody
  }

  #settle(
    { refused }: Confirmation,
    placed: readonly PlacedManifest[],
    tried: Attempt['tried'],
  ): void {
    const { log, target } = this.#ports
    const blockedPaths = new Set(refused.map(({ path }) => path))
    for (const { identity, path } of placed) {
      const key = identityKey(identity)
      // A file that could not be changed is still as it was.
      if (!blockedPaths.has(path) && !this.#known.isMissed(key)) this.#place(identity, path)
    }
    this.#drifted.settle(placed)
    if (this.#blockedFiles.tried(tried, refused)) {
      log.warn('files cannot be written', { target, refused: refused.length })
    }
  }

  #place(identity: ManifestIdentity, path: string): void {
    const { changed, deletions, folder, settings, watched } = this.#ports
    const key = identityKey(identity)
    // If the object changed since, the file still has its previous state.
    if (isDesiredNow(watched.list(), identity) || changed.isWaiting(key)) {
      this.#known.put(key, path)
    } else {
      const isKept = this.#known.holds(key) && !this.#files.mayDelete(key, identity)
      const layout = { folder, template: settings().pathTemplate }
      if (isKept && isOwnPath(path, identity, layout)) this.#known.retain(key)
      else this.#known.remove(key)
      deletions.delete(key)
    }
  }

  #bootstrap(): Map<string, FileChange> {
    return bootstrapChanges(this.#ports, this.#ports.settings().encryption)
  }

  #defaultPathOf(identity: ManifestIdentity, type: ResourceType): string {
    const { folder, settings } = this.#ports
    return inFolder(folder, pathOf(identity, type, settings().pathTemplate))
  }
}

interface Position {
  readonly commit: string | undefined
  readonly isForeign: boolean
}

interface Attempt {
  readonly batch: Batch
  readonly placed: readonly PlacedManifest[]
  readonly tried: readonly string[] | 'all'
}

function keysByPath(placed: readonly PlacedManifest[]): Map<string, string[]> {
  const keys = new Map<string, string[]>()
  for (const { identity, path } of placed) {
    keys.set(path, [...(keys.get(path) ?? []), identityKey(identity)])
  }
  return keys
}
