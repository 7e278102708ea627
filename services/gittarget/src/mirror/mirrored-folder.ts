import type { Clock } from '@agents/controller'
import type { BranchWorker, Confirmation, FileChange } from '@agents/git'
import type { Logger } from '@agents/log'
import { identityKey, type ManifestIdentity } from '../document/identity.ts'
import type { ChangedObjects } from './changed-objects.ts'
import { bootstrapChanges, changeSet } from './commit-changes.ts'
import {
  desiredState,
  isDesiredNow,
  isKnownToBeGone,
  pathOf,
  wantsDeletion,
} from './desired-state.ts'
import { KnownFolder } from './known-folder.ts'
import { LeftOut } from './left-out.ts'
import { ManifestWriter } from './manifest-writer.ts'
import type { MirrorSettings } from './mirror-settings.ts'
import type { SnapshotStats } from './mirror-state.ts'
import {
  inFolder,
  type PlacedManifest,
  planSnapshot,
  type SnapshotPlan,
  snapshotStats,
} from './plan-snapshot.ts'
import type { ResourceType } from './resource-type.ts'
import { sweepProblem } from './sweep-guard.ts'
import type { WatchedStreams } from './watched-streams.ts'

export interface MirroredFolderPorts {
  /** `namespace/name` of the GitTarget. */
  readonly target: string
  readonly branch: string
  /** Without slashes around it; empty for the root. */
  readonly folder: string
  readonly clock: Pick<Clock, 'now'>
  readonly log: Logger
  readonly watched: WatchedStreams
  readonly changed: ChangedObjects
  /** Of the moment when they are asked for. */
  settings(): MirrorSettings
}

export type Batch = ReadonlyMap<string, ManifestIdentity>

/** What came of an attempt to write. */
export interface WriteOutcome {
  readonly confirmation: Confirmation
  /** Whether the files beside the manifests were written. */
  readonly isBootstrap: boolean
  /** The target was suspended on the way: the objects wait again, to be compared when it goes on. */
  readonly isHeld: boolean
  /** Manifests are not where they were known to be: they wait again, to be looked for in the whole folder. */
  readonly hasMissed: boolean
}

export interface CompareOutcome extends WriteOutcome {
  /** Undefined when nothing had to be changed. */
  readonly stats: SnapshotStats | undefined
  /** Why files of objects that are gone were left; undefined when none were. */
  readonly sweepProblem: string | undefined
}

/** One folder of a branch: what is known of it, and how it is made what the rules want it to be. */
export class MirroredFolder {
  readonly #ports: MirroredFolderPorts
  readonly #known = new KnownFolder()
  readonly #leftOut = new LeftOut()
  /** Identities seen to go while a rule wanted to know: it may be asked for their type or namespace no more by the time they are deleted. */
  readonly #gone = new Set<string>()
  readonly #files: ManifestWriter

  constructor(ports: MirroredFolderPorts) {
    const { clock, settings, watched } = ports
    this.#ports = ports
    this.#files = new ManifestWriter({
      clock,
      watched: () => watched.list(),
      settings,
      isLocated: (key) => this.#known.holds(key),
      isGone: (key) => this.#gone.has(key),
      missed: (identity) => this.#known.miss(identity),
    })
  }

  get leftOut(): Pick<LeftOut, 'message' | 'nextLook'> {
    return this.#leftOut
  }

  /**
   * Whether there may be something to write now that an object is another than before, or gone. `isInDoubt`: the folder may hold
   * other things than are known.
   */
  concerns(
    identity: ManifestIdentity,
    type: ResourceType,
    { wasWanted, isInDoubt }: { readonly wasWanted: boolean; readonly isInDoubt: boolean },
  ): boolean {
    const { changed, watched } = this.#ports
    const key = identityKey(identity)
    if (isDesiredNow(watched.list(), identity)) {
      this.#gone.delete(key)
      return true
    }
    const mayBeThere = isInDoubt || this.#known.mayHold(key) || changed.isAttempted(key)
    if (!mayBeThere && !this.#leftOut.has(this.#homeOf(identity, type))) {
      // It came and went before anybody wrote it down: however many do, while a remote is away, none is kept.
      this.#gone.delete(key)
      changed.drop(key)
      return false
    }
    if (wasWanted) this.#gone.add(key)
    // What the rules never chose is none of our business, whatever happens to it.
    return wasWanted || this.#known.holds(key)
  }

  /** Whether the files beside the manifests are there. */
  async hasBootstrap(worker: BranchWorker): Promise<boolean> {
    const { files } = await worker.list(this.#ports.folder)
    return [...this.#bootstrap().keys()].every((name) => files.has(name))
  }

  /** Mark and sweep in one commit, from what the streams and the branch hold at this moment. Tells when it knows what to write. */
  async compare(worker: BranchWorker, gone: Batch, compared: () => void): Promise<CompareOutcome> {
    const plan = await this.#plan(worker, gone)
    const problem = this.#sweepProblem(plan)
    const swept = problem === undefined ? plan.swept : []
    const placed = [...plan.created, ...plan.updated, ...plan.deleted, ...swept]
    const changes = new Map([...this.#files.changes(placed), ...this.#bootstrap()])
    this.#ports.changed.attempting(
      new Map(placed.map(({ identity }) => [identityKey(identity), identity])),
    )
    this.#known.compared(plan)
    this.#files.know(plan.unchanged)
    compared()
    const outcome = await this.#apply(worker, changes, { batch: gone, placed, tried: 'all' })
    const stats = snapshotStats(plan, outcome.confirmation)
    return { ...outcome, stats, sweepProblem: problem }
  }

  /** Writes what became of these objects, where they are or belong. */
  write(worker: BranchWorker, batch: Batch): Promise<WriteOutcome> {
    const { watched } = this.#ports
    const placed = [...batch].flatMap(([key, identity]) => {
      const type = watched.typeOf(identity)
      const path = this.#known.pathOf(key) ?? (type && this.#homeOf(identity, type))
      return path === undefined ? [] : [{ identity, path }]
    })
    const tried = placed.map(({ path }) => path)
    return this.#apply(worker, this.#files.changes(placed), { batch, placed, tried })
  }

  async #plan(worker: BranchWorker, gone: Batch): Promise<SnapshotPlan> {
    const { folder, settings } = this.#ports
    const watched = this.#ports.watched.markSeen()
    const { files } = await worker.list(folder)
    const { prune } = settings()
    return planSnapshot({
      folder,
      files,
      read: (oids) => worker.read(oids),
      desired: desiredState(watched),
      render: (path, current, manifest) => this.#files.render(path, current, manifest),
      isSwept: (identity) =>
        prune.mode === 'Always' &&
        wantsDeletion(watched, identity) &&
        isKnownToBeGone(watched, identity),
      gone: prune.mode === 'Never' ? new Map() : gone,
    })
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
    const set = changeSet(this.#ports, settings, changes, () => {
      isHeld ||= settings().suspend
      return settings().suspend
    })
    const confirmation = await worker.apply(set)
    const own = this.#bootstrap()
    const isBootstrap = confirmation.changed.some((path) => own.has(path))
    // Nobody knows which changes were made before it was suspended.
    if (!isHeld) this.#settle(confirmation, placed, tried)
    const missed = this.#known.takeMissed()
    for (const [key, identity] of isHeld ? batch : missed) changed.add(key, identity)
    return { confirmation, isBootstrap, isHeld, hasMissed: missed.length > 0 }
  }

  #settle(
    { refused }: Confirmation,
    placed: readonly PlacedManifest[],
    tried: Attempt['tried'],
  ): void {
    const { log, target } = this.#ports
    const inTheWay = new Set(refused.map(({ path }) => path))
    for (const { identity, path } of placed) {
      const key = identityKey(identity)
      // What could not be changed is as it was.
      if (!inTheWay.has(path) && !this.#known.isMissed(key)) this.#place(identity, path)
    }
    if (this.#leftOut.tried(tried, refused)) {
      log.warn('files are left out', { target, refused: refused.length })
    }
  }

  #place(identity: ManifestIdentity, path: string): void {
    const { changed, watched } = this.#ports
    const key = identityKey(identity)
    // What changed since is still in the file as it was.
    if (isDesiredNow(watched.list(), identity) || changed.isWaiting(key)) {
      this.#known.put(key, path)
    } else {
      this.#known.remove(key)
      this.#gone.delete(key)
    }
  }

  #bootstrap(): Map<string, FileChange> {
    return bootstrapChanges(this.#ports, this.#ports.settings())
  }

  #homeOf(identity: ManifestIdentity, type: ResourceType): string {
    return inFolder(this.#ports.folder, pathOf(identity, type))
  }
}

interface Attempt {
  readonly batch: Batch
  readonly placed: readonly PlacedManifest[]
  readonly tried: readonly string[] | 'all'
}
