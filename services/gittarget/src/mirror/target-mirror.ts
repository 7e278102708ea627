import type { Clock } from '@agents/controller'
import { type BranchWorker, type Confirmation, isGitError, type PushTimes } from '@agents/git'
import type { ObjectKey } from '@agents/kube'
import { type Logger, redact } from '@agents/log'
import { noTracer, type Tracer } from '@agents/tracing'
import { identityKey, type ManifestIdentity } from '../document/identity.ts'
import { explainGitError } from '../git-provider/explain-git-error.ts'
import type { Writer } from './branch-writers.ts'
import { ChangedObjects } from './changed-objects.ts'
import { bootstrapChanges, changeSet } from './commit-changes.ts'
import { CommitWindow } from './commit-window.ts'
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
import type { MirrorState, OpeningState, SnapshotState } from './mirror-state.ts'
import {
  inFolder,
  type PlacedManifest,
  planSnapshot,
  type SnapshotPlan,
  snapshotStats,
} from './plan-snapshot.ts'
import { PushReport } from './push-report.ts'
import type { ResourceType } from './resource-type.ts'
import type { StreamPool } from './stream-pool.ts'
import { sweepProblem } from './sweep-guard.ts'
import { WatchedStreams } from './watched-streams.ts'
import { traceWindow, type WindowTrace } from './window-trace.ts'
import { WorkLoop } from './work-loop.ts'

export interface TargetMirrorOptions {
  /** `namespace/name` of the GitTarget. */
  readonly target: string
  readonly branch: string
  /** Without slashes around it; empty for the root. */
  readonly folder: string
  readonly pool: StreamPool
  readonly clock: Clock
  readonly log: Logger
  /** Not given: there are no traces. */
  readonly tracer?: Tracer | undefined
  /** Something in `state` may be another than before. */
  readonly onChange: () => void
}

/**
 * Keeps one folder of one branch equal to what the rules choose. Everything is level-triggered: a change is a note that an object
 * has to be looked at, what is written is what the streams hold when it is written, and it is done when it is pushed.
 */
export class TargetMirror {
  readonly #options: TargetMirrorOptions
  readonly #watched: WatchedStreams
  readonly #window = new CommitWindow()
  readonly #push: PushReport
  readonly #files: ManifestWriter
  readonly #loop: WorkLoop
  #settings: MirrorSettings
  #writer: Writer | undefined
  #uid = ''
  readonly #changed = new ChangedObjects()
  /** Identities seen to go while a rule wanted to know: it may be asked for their type or namespace no more by the time they are deleted. */
  readonly #gone = new Set<string>()
  readonly #folder = new KnownFolder()
  readonly #leftOut = new LeftOut()
  #opening: OpeningState = { kind: 'opening' }
  #snapshot: SnapshotState = { kind: 'running' }
  #bootstrap: MirrorState['bootstrap']
  #snapshotDue = true
  #isComparing = false
  #lastEventTime: Date | undefined
  #lastPush: PushTimes | undefined

  constructor(options: TargetMirrorOptions, settings: MirrorSettings) {
    this.#options = options
    this.#settings = settings
    this.#push = new PushReport(options.clock, options.onChange)
    this.#watched = new WatchedStreams(options.pool, {
      onObject: (type, key, wasWanted) => this.#note(type, key, wasWanted),
      onState: () => this.#streamsChanged(),
    })
    this.#watched.select(settings.selections)
    this.#files = new ManifestWriter({
      clock: options.clock,
      watched: () => this.#watched.list(),
      settings: () => this.#settings,
      isLocated: (key) => this.#folder.holds(key),
      isGone: (key) => this.#gone.has(key),
      missed: (identity) => this.#folder.miss(identity),
    })
    this.#loop = new WorkLoop({
      clock: options.clock,
      step: () => this.#step(),
      failed: (error, isFirst) => this.#failed(error, isFirst),
    })
  }

  get state(): MirrorState {
    const streams = this.#watched.reports()
    const pendingChanges = this.#changed.size
    const push = this.#push.state(pendingChanges)
    return {
      opening: this.#opening,
      snapshot: this.#snapshotState(pendingChanges),
      bootstrap: this.#bootstrap,
      streams,
      missing: this.#settings.missing,
      isSyncing: this.#snapshotDue || this.#isComparing,
      lastEventTime: this.#lastEventTime,
      push,
      waiting: pendingChanges,
      worker: { name: this.#writer?.name ?? '', uid: this.#uid },
    }
  }

  #snapshotState(pendingChanges: number): SnapshotState {
    const trouble = this.#push.trouble(pendingChanges)
    if (trouble !== undefined) return { kind: 'failed', message: trouble, isStuck: false }
    const { message } = this.#leftOut
    if (this.#snapshot.kind !== 'completed' || message === undefined) return this.#snapshot
    return { kind: 'failed', message, isStuck: true }
  }

  /** To be called once, before anything happens. */
  async start(writer: Writer): Promise<void> {
    this.#writer = writer
    this.#uid = await writer.uid()
    this.#loop.kick()
  }

  async configure(settings: MirrorSettings, uid: string): Promise<void> {
    const before = this.#settings
    this.#settings = settings
    this.#uid = uid
    // What the server refused for its message, it may take with another one.
    if (before.messageTemplate !== settings.messageTemplate) (await this.#worker()).retryNow()
    if (before.revision === settings.revision) return
    this.#watched.select(settings.selections)
    this.#resnapshot()
  }

  foreignChange(): void {
    this.#resnapshot()
  }

  /** Comes before who asked for the push is told. */
  pushed(times: PushTimes): void {
    this.#lastPush = times
  }

  workerReplaced(): void {
    this.#resnapshot()
  }

  async workerState(): Promise<void> {
    const worker = await this.#writer?.worker()
    if (worker !== undefined) this.#push.worker(worker.state.lastError)
  }

  /** Ends it; what waits in the window is pushed first, if that takes no longer than so. With no time nothing more is written. */
  async stop(flushMs: number): Promise<void> {
    if (flushMs > 0) {
      this.#window.close()
      this.#loop.kick()
      await this.#loop.settle(flushMs)
    }
    this.#loop.stop()
    this.#push.stop()
    this.#watched.select([])
    // What is still under way ends with the worker, or, where others hold it too, when it is pushed.
    await this.#writer?.release()
  }

  #note(type: ResourceType, { namespace = '', name }: ObjectKey, wasWanted: boolean): void {
    const { clock, onChange } = this.#options
    const identity = { group: type.group, kind: type.kind, namespace, name }
    const key = identityKey(identity)
    this.#lastEventTime = clock.now()
    if (isDesiredNow(this.#watched.list(), identity)) this.#gone.delete(key)
    else if (!this.#mayBeInFolder(key) && !this.#leftOut.has(this.#homeOf(identity, type))) {
      // It came and went before anybody wrote it down: however many do, while a remote is away, none is kept.
      this.#gone.delete(key)
      this.#changed.drop(key)
      return
    } else if (wasWanted) this.#gone.add(key)
    // What the rules never chose is none of our business, whatever happens to it.
    else if (!this.#folder.holds(key)) return
    this.#changed.add(key, identity)
    this.#window.note(clock.elapsed())
    this.#push.pending(onChange)
    this.#loop.kick()
  }

  #homeOf(identity: ManifestIdentity, type: ResourceType): string {
    return inFolder(this.#options.folder, pathOf(identity, type))
  }

  #mayBeInFolder(key: string): boolean {
    const isInDoubt = this.#snapshotDue || this.#isComparing
    return isInDoubt || this.#folder.mayHold(key) || this.#changed.isAttempted(key)
  }

  #streamsChanged(): void {
    if (this.#watched.hasNews()) this.#resnapshot()
    else this.#loop.kick()
    this.#options.onChange()
  }

  #resnapshot(): void {
    this.#snapshotDue = true
    this.#loop.kickNow()
  }

  async #step(): Promise<void> {
    if (this.#writer === undefined) return
    if (this.#opening.kind !== 'open') await this.#open()
    if (this.#settings.suspend) return
    if (this.#snapshotDue) {
      if (!this.#watched.isListing()) await this.#traced('snapshot')
      return
    }
    if (!this.#changed.areWaiting) {
      this.#window.close()
      await this.#lookForRoom()
      return
    }
    const due = this.#window.dueAt(this.#settings)
    if (this.#options.clock.elapsed() < due) this.#loop.wakeAt(due)
    else await this.#traced('changes')
  }

  #traced(kind: 'changes' | 'snapshot'): Promise<void> {
    const { tracer = noTracer, clock, target, branch } = this.#options
    const { openedAt } = this.#window
    const openedMs = openedAt && clock.now().getTime() - (clock.elapsed() - openedAt)
    return traceWindow(tracer, { target, branch, kind, openedMs }, (trace) =>
      this.#changed.attempt((batch) =>
        kind === 'snapshot' ? this.#takeSnapshot(batch, trace) : this.#flush(batch, trace),
      ),
    )
  }

  #failed(error: unknown, isFirst: boolean): 'wait' | 'at once' {
    const { log, target, onChange } = this.#options
    // Its worker was replaced: there is a new one to ask.
    if (isGitError(error, 'aborted')) {
      this.#snapshotDue = true
      return 'at once'
    }
    const message = messageOf(error)
    if (isFirst) log.warn('the mirror cannot go on', { target, error })
    if (this.#opening.kind !== 'open') this.#opening = { kind: 'failed', message }
    else this.#snapshot = { kind: 'failed', message, isStuck: false }
    this.#snapshotDue = true
    this.#push.failed(message)
    onChange()
    return 'wait'
  }

  async #open(): Promise<void> {
    const { files } = await (await this.#worker()).list(this.#options.folder)
    const names = [...bootstrapChanges(this.#options, this.#settings).keys()]
    this.#loop.progressed()
    this.#opening = { kind: 'open', hasFiles: names.every((name) => files.has(name)) }
    this.#push.worker(undefined)
    this.#options.onChange()
  }

  async #worker(): Promise<BranchWorker> {
    if (this.#writer === undefined) throw new TypeError('the mirror was not started')
    return this.#writer.worker()
  }

  /** Mark and sweep in one commit, from what the streams and the branch hold at this moment. */
  async #takeSnapshot(gone: Batch, trace: WindowTrace): Promise<void> {
    const { folder, clock } = this.#options
    const worker = await this.#worker()
    this.#window.close()
    this.#snapshotDue = false
    this.#isComparing = true
    try {
      const watched = this.#watched.markSeen()
      const { files } = await worker.list(folder)
      const { prune } = this.#settings
      const plan = await planSnapshot({
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
      const problem = this.#sweepProblem(plan)
      const swept = problem === undefined ? plan.swept : []
      const placed = [...plan.created, ...plan.updated, ...plan.deleted, ...swept]
      const changes = this.#files.changes(placed)
      for (const [path, change] of bootstrapChanges(this.#options, this.#settings)) {
        changes.set(path, change)
      }
      this.#changed.attempting(
        new Map(placed.map(({ identity }) => [identityKey(identity), identity])),
      )
      this.#folder.compared(plan)
      this.#files.know(plan.unchanged)
      trace.compared()
      const confirmation = await worker.apply(
        changeSet(this.#options, () => this.#settings, changes),
      )
      trace.confirmed(confirmation, this.#lastPush)
      this.#confirmed(confirmation, placed, 'all')
      this.#snapshot =
        problem === undefined
          ? {
              kind: 'completed',
              commit: confirmation.commit,
              time: clock.now(),
              stats: snapshotStats(plan, confirmation),
            }
          : { kind: 'failed', message: problem, isStuck: true }
    } catch (error) {
      this.#snapshotDue = true
      throw error
    } finally {
      this.#isComparing = false
    }
    this.#loop.progressed()
    this.#options.onChange()
  }

  #sweepProblem({ swept, located }: SnapshotPlan): string | undefined {
    const { prune, confirmed } = this.#settings
    const paths = swept.map(({ path }) => path)
    const sweep = { paths, total: located.size + paths.length }
    return sweepProblem(sweep, prune.maxDeleteFraction, confirmed)
  }

  async #flush(batch: Batch, trace: WindowTrace): Promise<void> {
    const worker = await this.#worker()
    this.#window.close()
    const placed = [...batch].flatMap(([key, identity]) => {
      const type = this.#watched.typeOf(identity)
      const path = this.#folder.pathOf(key) ?? (type && this.#homeOf(identity, type))
      return path === undefined ? [] : [{ identity, path }]
    })
    const changes = changeSet(this.#options, () => this.#settings, this.#files.changes(placed))
    const confirmation = await worker.apply(changes)
    trace.confirmed(confirmation, this.#lastPush)
    const tried = placed.map(({ path }) => path)
    this.#confirmed(confirmation, placed, tried)
    this.#loop.progressed()
    this.#options.onChange()
  }

  #place(identity: ManifestIdentity, path: string): void {
    const key = identityKey(identity)
    const isThere = isDesiredNow(this.#watched.list(), identity)
    // What changed since is still in the file as it was.
    if (isThere || this.#changed.isWaiting(key)) {
      this.#folder.put(key, path)
    } else {
      this.#folder.remove(key)
      this.#gone.delete(key)
    }
  }

  #confirmed(
    confirmation: Confirmation,
    placed: readonly PlacedManifest[],
    tried: readonly string[] | 'all',
  ): void {
    const { log, target, clock } = this.#options
    const { commit, changed, refused, written } = confirmation
    const inTheWay = new Set(refused.map(({ path }) => path))
    for (const { identity, path } of placed) {
      const key = identityKey(identity)
      // What could not be changed is as it was.
      if (!inTheWay.has(path) && !this.#folder.isMissed(key)) this.#place(identity, path)
    }
    this.#searchMissed()
    const time = clock.now()
    if (written && commit !== undefined) {
      this.#push.pushed(commit, time)
      const own = bootstrapChanges(this.#options, this.#settings)
      if (changed.some((path) => own.has(path))) this.#bootstrap = { commit, time }
    }
    if (this.#leftOut.tried(tried, refused)) {
      log.warn('files are left out', { target, refused: refused.length })
    }
    this.#push.failed(this.#leftOut.message)
  }

  /** They are looked for in the whole folder, and are still to be written, or deleted, wherever they are. */
  #searchMissed(): void {
    const missed = this.#folder.takeMissed()
    for (const [key, identity] of missed) this.#changed.add(key, identity)
    if (missed.length > 0) this.#resnapshot()
  }

  /** Whether what is in the way of a file has been moved; somebody else's commit leads to another comparison. */
  async #lookForRoom(): Promise<void> {
    const look = this.#leftOut.nextLook(this.#options.clock.elapsed())
    if (look === undefined) return
    this.#loop.wakeAt(look.again)
    if (look.isDue) await (await this.#worker()).refresh()
  }
}

type Batch = ReadonlyMap<string, ManifestIdentity>

const messageOf = (error: unknown): string => {
  if (isGitError(error)) return explainGitError(error).slice(0, 1000)
  return redact(error instanceof Error ? error.message : String(error)).slice(0, 1000)
}
