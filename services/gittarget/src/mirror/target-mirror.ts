import { type BranchWorker, isGitError, type PushTimes } from '@agents/git'
import type { ObjectKey } from '@agents/kube'
import { noTracer } from '@agents/tracing'
import { identityKey } from '../document/identity.ts'
import { explainError } from '../repository/explain-git-error.ts'
import { ChangeAuthors, type ObjectChange } from './authors/change-authors.ts'
import type { Writer } from './branch/branch-writers.ts'
import { DriftCheck } from './branch/drift-check.ts'
import { ForeignChanges } from './branch/foreign-changes.ts'
import { PushReport } from './branch/push-report.ts'
import { CommitWindow } from './commit/commit-window.ts'
import { traceWindow, type WindowTrace } from './commit/window-trace.ts'
import { ChangedObjects } from './folder/changed-objects.ts'
import { type Batch, MirroredFolder, type WriteOutcome } from './folder/mirrored-folder.ts'
import type { MirrorSettings } from './mirror-settings.ts'
import {
  type MirrorState,
  type OpeningState,
  reportedSnapshot,
  type SnapshotState,
  snapshotAfter,
} from './mirror-state.ts'
import type { PreviousMirror } from './previous-mirror.ts'
import { hasAllVersions, type RuleVersions } from './rule-versions.ts'
import type { ResourceType } from './selection/resource-type.ts'
import type { Selection } from './selection/selection.ts'
import { WatchedStreams } from './stream/watched-streams.ts'
import type { TargetMirrorOptions } from './target-mirror-options.ts'
import { WorkLoop } from './work-loop.ts'

/**
 * Keeps one folder of one branch in sync with what the rules select. It is level-triggered: an event only marks an
 * object as changed, the content is read from the streams when it is written, and the change is done when it is
 * pushed.
 */
export class TargetMirror {
  readonly #options: TargetMirrorOptions
  readonly #watched: WatchedStreams
  readonly #window = new CommitWindow()
  readonly #changed = new ChangedObjects()
  readonly #authors: ChangeAuthors
  readonly #folder: MirroredFolder
  readonly #push: PushReport
  readonly #drift: DriftCheck
  readonly #foreign: ForeignChanges
  readonly #loop: WorkLoop
  #settings: MirrorSettings
  #writer: Writer | undefined
  #uid = ''
  #opening: OpeningState = { kind: 'opening' }
  #snapshot: SnapshotState = { kind: 'running' }
  #bootstrap: MirrorState['bootstrap']
  #snapshotDue = true
  #comparedRules: RuleVersions = new Map()
  /** Whether the content of the folder may differ from the index, until the next comparison. */
  #isUncertain = true
  #isComparing = false
  /** Files that a sweep would delete if the target were not suspended. */
  #heldSweep = 0
  #isPaused = false
  #lastEventTime: Date | undefined
  #lastPush: PushTimes | undefined

  constructor(options: TargetMirrorOptions, settings: MirrorSettings) {
    this.#options = options
    this.#settings = settings
    this.#authors = new ChangeAuthors(options.userOf)
    this.#drift = new DriftCheck(options.clock)
    this.#foreign = new ForeignChanges(options.previous)
    this.#push = new PushReport(options.clock, options.onChange)
    this.#watched = new WatchedStreams(options.pool, {
      onObject: (type, key, wasSelected, change) =>
        this.#recordChange(type, key, wasSelected, change),
      onState: () => this.#streamsChanged(),
    })
    options.deletions.onSynced = options.onChange
    this.#folder = new MirroredFolder({
      ...options,
      hasMovedBefore: (commit) =>
        this.#foreign.hasMovedBefore(commit, options.deletions.lastCommit),
      drifted: options.previous?.drifted,
      isResourceMissing: () => this.#settings.missing.length > 0,
      watched: this.#watched,
      changed: this.#changed,
      authors: this.#authors,
      settings: () => this.#settings,
    })
    this.#loop = new WorkLoop({
      clock: options.clock,
      step: () => this.#step(),
      failed: (error, isFirst) => this.#failed(error, isFirst),
    })
    this.#watched.select(settings.selections)
  }

  get state(): MirrorState {
    const { onDrift, rules } = this.#settings
    // A deletion counts once it is recorded durably.
    const recorded = this.#changed.size - this.#options.deletions.unsyncedCount
    const pendingChanges = Math.max(0, recorded) + (this.#isHeld ? this.#heldSweep : 0)
    return {
      opening: this.#opening,
      snapshot: reportedSnapshot(this.#snapshot, {
        // A comparison may change nothing but the files that the mirror adds to the folder.
        push: this.#push.problem(pendingChanges > 0 || this.#isComparing),
        blocked: this.#folder.blockedFiles.message,
        drift: this.#folder.driftedFiles.describe(onDrift),
        isReported: onDrift === 'Report',
        unchecked: this.#drift.problem,
      }),
      bootstrap: this.#bootstrap,
      streams: this.#watched.reports(),
      rules,
      hasNewRules: !hasAllVersions(this.#comparedRules, rules),
      missing: this.#settings.missing,
      isSyncing: this.#snapshotDue || this.#isComparing,
      lastEventTime: this.#lastEventTime,
      push: this.#push.state(pendingChanges, this.#isHeld),
      branchProblem: this.#drift.problem?.message,
      retainedFiles: this.#folder.retainedFiles,
      driftedFiles: this.#folder.driftedFiles.count,
      pendingDeletions: [...this.#options.deletions.entries.values()],
      waiting: pendingChanges,
      worker: { name: this.#writer?.name ?? '', uid: this.#uid },
    }
  }

  /** Whether the pending changes are known and wait for the end of a suspension. */
  get #isHeld(): boolean {
    return this.#settings.suspend && !this.#isUncertain
  }

  /** To be called once, before any other method. */
  async start(writer: Writer): Promise<void> {
    this.#writer = writer
    this.#foreign.start(writer)
    this.#uid = await writer.uid()
    this.#loop.kick()
  }

  /**
   * Stops writing until `configure` is called. Changes of the selected objects are still recorded; undefined keeps
   * the current selections.
   */
  pause(selections: readonly Selection[] | undefined): void {
    if (selections !== undefined) this.#watched.select(selections)
    if (this.#isPaused) return
    this.#isPaused = true
    this.#settings = { ...this.#settings, suspend: true, revision: '' }
    void this.#retryNow().catch(() => undefined)
  }

  get isPaused(): boolean {
    return this.#isPaused
  }

  async configure(settings: MirrorSettings, uid: string): Promise<void> {
    const before = this.#settings
    this.#settings = settings
    this.#uid = uid
    this.#isPaused = false
    if (before.revision !== settings.revision) {
      this.#watched.select(settings.selections)
      const isUncertain = before.suspend === settings.suspend
      this.compareAgain(isUncertain)
      this.#options.onChange()
    }
    // The server may accept a commit with another message. When suspended, pending commits must not be pushed.
    const isOther = before.messageTemplate !== settings.messageTemplate
    if (isOther || before.suspend !== settings.suspend) await this.#retryNow()
  }

  /** What the next mirror of the target has to know, so that it does not overwrite what this one reported. */
  handOver(): PreviousMirror | undefined {
    return this.#foreign.handOver(this.#folder.driftedFiles.paths)
  }

  /** Called before the result of the push is delivered. */
  pushed(times: PushTimes): void {
    this.#lastPush = times
  }

  async workerState(): Promise<void> {
    const worker = await this.#writer?.worker()
    if (worker !== undefined) this.#push.worker(worker.state.lastError)
  }

  /** Stops the mirror. Pending changes are pushed first, for at most `flushMs`; with 0 nothing more is written. */
  async stop(flushMs: number): Promise<void> {
    if (flushMs > 0) {
      this.#window.close()
      this.#loop.kick()
      await this.#loop.settle(flushMs)
    }
    this.#loop.stop()
    this.#push.stop()
    // A running write ends with the worker. If other targets share the worker, the write leaves the files unchanged.
    this.#settings = { ...this.#settings, suspend: true }
    this.#watched.select([])
    await this.#writer?.release()
    await this.#options.deletions.close()
  }

  #recordChange(
    type: ResourceType,
    { namespace = '', name }: ObjectKey,
    wasSelected: boolean,
    change: ObjectChange,
  ): void {
    const { clock, onChange } = this.#options
    const identity = { group: type.group, kind: type.kind, namespace, name }
    this.#lastEventTime = clock.now()
    const isUncertain = this.#isUncertain || this.#isComparing
    const key = identityKey(identity)
    if (!this.#folder.concerns(identity, type, { wasSelected, isUncertain })) {
      this.#authors.drop(key)
      return
    }
    this.#changed.add(key, identity)
    this.#authors.note(key, change)
    this.#window.note(clock.elapsed())
    this.#push.pending(onChange, this.#isHeld)
    this.#loop.kick()
  }

  #streamsChanged(): void {
    if (this.#watched.hasNews()) this.compareAgain()
    else this.#loop.kick()
    this.#options.onChange()
  }

  /** Compares cluster and folder again, such as after another writer moved the branch or the worker was replaced. */
  compareAgain(isUncertain = true): void {
    this.#snapshotDue = true
    this.#isUncertain ||= isUncertain
    this.#loop.kickNow()
  }

  async #step(): Promise<void> {
    if (this.#writer === undefined) return
    if (this.#opening.kind !== 'open') await this.#open()
    if (this.#settings.suspend) {
      await this.#countPendingChanges()
      return
    }
    if (this.#snapshotDue) {
      if (!this.#watched.isListing()) await this.#traced('snapshot')
      return
    }
    if (!this.#changed.areWaiting) {
      this.#window.close()
      await this.#checkBranch()
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
        this.#authors.attempt(
          () =>
            kind === 'snapshot' ? this.#takeSnapshot(batch, trace) : this.#flush(batch, trace),
          (key) => this.#changed.isWaiting(key),
        ),
      ),
    )
  }

  #failed(error: unknown, isFirst: boolean): 'wait' | 'at once' {
    const { log, target, onChange } = this.#options
    this.#snapshotDue = true
    this.#isUncertain = true
    // The worker was replaced: the new one is tried at once.
    if (isGitError(error, 'aborted')) return 'at once'
    const message = explainError(error)
    if (isFirst) log.warn('mirror failed', { target, error })
    if (this.#opening.kind !== 'open') this.#opening = { kind: 'failed', message }
    else this.#snapshot = { kind: 'failed', message, isStuck: false }
    this.#push.failed(message)
    onChange()
    return 'wait'
  }

  async #open(): Promise<void> {
    const hasFiles = await this.#folder.hasBootstrap(await this.#worker())
    this.#loop.progressed()
    this.#opening = { kind: 'open', hasFiles }
    this.#push.worker(undefined)
    this.#options.onChange()
  }

  async #worker(): Promise<BranchWorker> {
    if (this.#writer === undefined) throw new TypeError('the mirror has not been started')
    return this.#writer.worker()
  }

  async #retryNow(): Promise<void> {
    const worker = await this.#worker()
    worker.retryNow()
  }

  /** Returns whether objects have to be written again. */
  async #takeSnapshot(batch: Batch, trace: WindowTrace): Promise<boolean> {
    let isIncomplete: boolean
    const worker = await this.#worker()
    this.#window.close()
    this.#snapshotDue = false
    this.#isUncertain = false
    this.#isComparing = true
    const { onChange } = this.#options
    const { rules } = this.#settings
    try {
      const outcome = await this.#folder.compare(worker, {
        batch,
        isForeign: () => this.#foreign.check(),
        compared: () => {
          trace.compared()
          if (this.#folder.driftedFiles.count > 0) onChange()
        },
      })
      this.#confirmed(outcome, trace)
      if (!outcome.isHeld) {
        this.#snapshot = snapshotAfter(outcome, this.#options.clock.now())
        this.#comparedRules = rules
        this.#foreign.compared()
      }
      isIncomplete = outcome.isHeld || outcome.hasMissed
    } catch (error) {
      this.#snapshotDue = true
      this.#isUncertain = true
      throw error
    } finally {
      this.#isComparing = false
    }
    this.#loop.progressed()
    onChange()
    return isIncomplete
  }

  /** Compares without writing if the pending changes of a suspended target are not known. */
  async #countPendingChanges(): Promise<void> {
    if (this.#isPaused || !this.#isUncertain || this.#watched.isListing()) return
    this.#isUncertain = false
    try {
      const worker = await this.#worker()
      this.#heldSweep = await this.#folder.preview(worker, () => this.#foreign.check())
    } catch (error) {
      this.#isUncertain = true
      throw error
    }
    this.#options.onChange()
  }

  async #flush(batch: Batch, trace: WindowTrace): Promise<boolean> {
    const worker = await this.#worker()
    this.#window.close()
    const outcome = await this.#folder.write(worker, batch)
    this.#confirmed(outcome, trace)
    this.#loop.progressed()
    this.#options.onChange()
    return outcome.isHeld || outcome.hasMissed
  }

  #confirmed(outcome: WriteOutcome, trace: WindowTrace): void {
    const { confirmation, isBootstrap, isHeld, hasMissed } = outcome
    const { commit, written } = confirmation
    trace.confirmed(confirmation, this.#lastPush)
    this.#drift.succeeded()
    if (isHeld || hasMissed) this.compareAgain(hasMissed || written)
    if (written && commit !== undefined) {
      const time = this.#options.clock.now()
      this.#push.pushed(commit, time)
      this.#options.deletions.pushed(commit)
      if (isBootstrap) this.#bootstrap = { commit, time }
    }
    this.#push.failed(this.#folder.blockedFiles.message)
  }

  /**
   * Asks the server whether the branch has moved: regularly, and if the obstacle to a file may have been removed. A new
   * commit leads to a comparison.
   */
  async #checkBranch(): Promise<void> {
    const { clock, onChange } = this.#options
    const hasChanged = await this.#drift.run({
      intervalMs: this.#settings.driftCheckMs,
      blocked: this.#folder.blockedFiles.nextCheck(clock.elapsed()),
      worker: () => this.#worker(),
      wakeAt: (time) => this.#loop.wakeAt(time),
    })
    if (hasChanged) onChange()
  }
}
