import type { Clock } from '@agents/controller'
import { type BranchWorker, type Confirmation, type FileChange, isGitError } from '@agents/git'
import type { ObjectKey } from '@agents/kube'
import { type Logger, redact } from '@agents/log'
import { identityKey, type ManifestIdentity } from '../document/identity.ts'
import { bootstrapFiles } from './bootstrap-files.ts'
import type { Writer } from './branch-writers.ts'
import { commitMessage } from './commit-message.ts'
import { CommitWindow } from './commit-window.ts'
import {
  desiredState,
  isDesiredNow,
  isKnownToBeGone,
  pathOf,
  wantsDeletion,
} from './desired-state.ts'
import { ManifestWriter } from './manifest-writer.ts'
import type { MirrorSettings } from './mirror-settings.ts'
import type { MirrorState, OpeningState, SnapshotState, SnapshotStats } from './mirror-state.ts'
import { inFolder, planSnapshot, type SnapshotPlan } from './plan-snapshot.ts'
import { PushReport } from './push-report.ts'
import type { ResourceType } from './resource-type.ts'
import type { StreamPool } from './stream-pool.ts'
import { sweepProblem } from './sweep-guard.ts'
import { WatchedStreams } from './watched-streams.ts'
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
  /** Objects that changed and are not in an attempt yet, by identity. */
  #dirty = new Map<string, ManifestIdentity>()
  #inFlight: ReadonlyMap<string, ManifestIdentity> = new Map()
  /** Identities seen to go while a rule wanted to know: it may be asked for their type or namespace no more by the time they are deleted. */
  readonly #gone = new Set<string>()
  /** Where the manifests are that are known to be in the folder, by identity. */
  #located: Map<string, string> = new Map()
  #opening: OpeningState = { kind: 'opening' }
  #snapshot: SnapshotState = { kind: 'running' }
  #bootstrap: MirrorState['bootstrap']
  #snapshotDue = true
  #isComparing = false
  #lastEventTime: Date | undefined

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
      isLocated: (key) => this.#located.has(key),
      isGone: (key) => this.#gone.has(key),
    })
    this.#loop = new WorkLoop({
      clock: options.clock,
      step: () => this.#step(),
      failed: (error, isFirst) => this.#failed(error, isFirst),
    })
  }

  get state(): MirrorState {
    const streams = this.#watched.reports()
    const pendingChanges = this.#dirty.size + this.#inFlight.size
    const push = this.#push.state(pendingChanges)
    const trouble = this.#push.trouble(pendingChanges)
    return {
      opening: this.#opening,
      snapshot:
        trouble === undefined
          ? this.#snapshot
          : { kind: 'failed', message: trouble, isStuck: false },
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
    if (before.revision === settings.revision) return
    this.#watched.select(settings.selections)
    this.#resnapshot()
  }

  foreignChange(): void {
    this.#resnapshot()
  }

  workerReplaced(): void {
    this.#resnapshot()
  }

  /** Tries at once what waits for another try. */
  retry(): void {
    this.#loop.kickNow()
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
    else if (wasWanted) this.#gone.add(key)
    // What the rules never chose is none of our business, whatever happens to it.
    else if (!this.#located.has(key)) return
    this.#dirty.set(key, identity)
    this.#window.note(clock.elapsed())
    this.#push.pending(onChange)
    this.#loop.kick()
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
      if (!this.#watched.isListing()) await this.#takeSnapshot()
      return
    }
    if (this.#dirty.size === 0) return
    const due = this.#window.dueAt(this.#settings)
    if (this.#options.clock.elapsed() < due) this.#loop.wakeAt(due)
    else await this.#flush()
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
    this.#push.failed(message)
    onChange()
    return 'wait'
  }

  async #open(): Promise<void> {
    const { files } = await (await this.#worker()).list(this.#options.folder)
    const names = [...this.#bootstrapChanges().keys()]
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
  async #takeSnapshot(): Promise<void> {
    const { folder, clock } = this.#options
    const worker = await this.#worker()
    const gone = this.#dirty
    this.#dirty = new Map()
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
      for (const [path, change] of this.#bootstrapChanges()) changes.set(path, change)
      this.#inFlight = new Map(placed.map(({ identity }) => [identityKey(identity), identity]))
      this.#located = new Map(plan.located)
      this.#files.know(plan.unchanged)
      const confirmation = await worker.apply(this.#changeSet(changes))
      for (const { identity, path } of placed) this.#place(identity, path)
      this.#confirmed(confirmation)
      this.#snapshot =
        problem === undefined
          ? {
              kind: 'completed',
              commit: confirmation.commit,
              time: clock.now(),
              stats: statsOf(plan, confirmation),
            }
          : { kind: 'failed', message: problem, isStuck: true }
    } catch (error) {
      this.#snapshotDue = true
      this.#dirty = new Map([...gone, ...this.#dirty])
      throw error
    } finally {
      this.#inFlight = new Map()
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

  async #flush(): Promise<void> {
    const worker = await this.#worker()
    const { folder } = this.#options
    const batch = this.#dirty
    this.#dirty = new Map()
    this.#inFlight = batch
    this.#window.close()
    try {
      const placed = [...batch].flatMap(([key, identity]) => {
        const type = this.#watched.typeOf(identity)
        const path = this.#located.get(key) ?? (type && inFolder(folder, pathOf(identity, type)))
        return path === undefined ? [] : [{ identity, path }]
      })
      const confirmation = await worker.apply(this.#changeSet(this.#files.changes(placed)))
      for (const { identity, path } of placed) this.#place(identity, path)
      this.#confirmed(confirmation)
    } catch (error) {
      this.#dirty = new Map([...batch, ...this.#dirty])
      throw error
    } finally {
      this.#inFlight = new Map()
    }
    this.#loop.progressed()
    this.#options.onChange()
  }

  #place(identity: ManifestIdentity, path: string): void {
    const key = identityKey(identity)
    const isThere = isDesiredNow(this.#watched.list(), identity)
    // What changed since is still in the file as it was.
    if (isThere || this.#dirty.has(key)) {
      this.#located.set(key, path)
    } else {
      this.#located.delete(key)
      this.#gone.delete(key)
    }
  }

  #changeSet(changes: ReadonlyMap<string, FileChange>) {
    const { target, branch, folder } = this.#options
    const { messageTemplate } = this.#settings
    return {
      owner: target,
      changes,
      message: (changed: readonly string[]) =>
        commitMessage(messageTemplate, { target, branch, folder, changed }),
    }
  }

  #confirmed(confirmation: Confirmation): void {
    const { log, target, clock } = this.#options
    const { commit, changed, refused, written } = confirmation
    const time = clock.now()
    if (written && commit !== undefined) {
      this.#push.pushed(commit, time)
      const own = this.#bootstrapChanges()
      if (changed.some((path) => own.has(path))) this.#bootstrap = { commit, time }
    }
    const [first] = refused
    this.#push.failed(
      first && `${refused.length} files are left out: ${first.path}: ${first.because}`,
    )
    if (first !== undefined) log.warn('files are left out', { target, refused: refused.length })
  }

  #bootstrapChanges(): Map<string, FileChange> {
    const { target, folder } = this.#options
    const files = bootstrapFiles(target, this.#settings.encryption?.recipients)
    return new Map([...files].map(([name, change]) => [inFolder(folder, name), change]))
  }
}

const statsOf = (plan: SnapshotPlan, { changed }: Confirmation): SnapshotStats | undefined => {
  const paths = new Set(changed)
  const count = (placed: SnapshotPlan['created']): number =>
    placed.filter(({ path }) => paths.has(path)).length
  const stats = {
    created: count(plan.created),
    updated: count(plan.updated),
    deleted: count([...plan.deleted, ...plan.swept]),
  }
  return changed.length === 0 ? undefined : stats
}

const messageOf = (error: unknown): string =>
  redact(error instanceof Error ? error.message : String(error)).slice(0, 1000)
