import type { Clock } from '@agents/controller'
import { type BranchWorker, isGitError, type PushTimes } from '@agents/git'
import type { ObjectKey } from '@agents/kube'
import { type Logger, redact } from '@agents/log'
import { noTracer, type Tracer } from '@agents/tracing'
import { identityKey } from '../document/identity.ts'
import { explainGitError } from '../git-provider/explain-git-error.ts'
import type { Writer } from './branch-writers.ts'
import { ChangedObjects } from './changed-objects.ts'
import { CommitWindow } from './commit-window.ts'
import type { MirrorSettings } from './mirror-settings.ts'
import type { MirrorState, OpeningState, SnapshotState } from './mirror-state.ts'
import {
  type Batch,
  type CompareOutcome,
  MirroredFolder,
  type WriteOutcome,
} from './mirrored-folder.ts'
import { PushReport } from './push-report.ts'
import type { ResourceType } from './resource-type.ts'
import type { Selection } from './selection.ts'
import type { StreamPool } from './stream-pool.ts'
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
  readonly #changed = new ChangedObjects()
  readonly #folder: MirroredFolder
  readonly #push: PushReport
  readonly #loop: WorkLoop
  #settings: MirrorSettings
  #writer: Writer | undefined
  #uid = ''
  #opening: OpeningState = { kind: 'opening' }
  #snapshot: SnapshotState = { kind: 'running' }
  #bootstrap: MirrorState['bootstrap']
  #snapshotDue = true
  /** Until the next comparison, the folder may hold other things than are known. */
  #isInDoubt = true
  #isComparing = false
  #isPaused = false
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
    this.#folder = new MirroredFolder({
      ...options,
      watched: this.#watched,
      changed: this.#changed,
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
    const pendingChanges = this.#changed.size
    return {
      opening: this.#opening,
      snapshot: this.#snapshotState(pendingChanges),
      bootstrap: this.#bootstrap,
      streams: this.#watched.reports(),
      missing: this.#settings.missing,
      isSyncing: this.#snapshotDue || this.#isComparing,
      lastEventTime: this.#lastEventTime,
      push: this.#push.state(pendingChanges, this.#isHeld),
      waiting: pendingChanges,
      worker: { name: this.#writer?.name ?? '', uid: this.#uid },
    }
  }

  /** Whether what waits is known, and waits for the end of a suspension. */
  get #isHeld(): boolean {
    return this.#settings.suspend && !this.#isInDoubt
  }

  #snapshotState(pendingChanges: number): SnapshotState {
    // A comparison may be about nothing but the files beside the manifests.
    const trouble = this.#push.trouble(pendingChanges > 0 || this.#isComparing)
    if (trouble !== undefined) return { kind: 'failed', ...trouble }
    const { message } = this.#folder.leftOut
    if (this.#snapshot.kind !== 'completed' || message === undefined) return this.#snapshot
    return { kind: 'failed', message, isStuck: true }
  }

  /** To be called once, before anything happens. */
  async start(writer: Writer): Promise<void> {
    this.#writer = writer
    this.#uid = await writer.uid()
    this.#loop.kick()
  }

  /** Until it is configured again nothing is written, but what happens to what these choose is noted; undefined: to the same as before. */
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
      const isInDoubt = before.suspend === settings.suspend
      this.#resnapshot(isInDoubt)
    }
    // What the server refused for its message, it may take with another one; what waits for it must not be pushed when suspended.
    const isOther = before.messageTemplate !== settings.messageTemplate
    if (isOther || before.suspend !== settings.suspend) await this.#retryNow()
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
    // What is still under way ends with the worker; where others hold it too, it leaves the files as they are.
    this.#settings = { ...this.#settings, suspend: true }
    this.#watched.select([])
    await this.#writer?.release()
  }

  #note(type: ResourceType, { namespace = '', name }: ObjectKey, wasWanted: boolean): void {
    const { clock, onChange } = this.#options
    const identity = { group: type.group, kind: type.kind, namespace, name }
    this.#lastEventTime = clock.now()
    const isInDoubt = this.#isInDoubt || this.#isComparing
    if (!this.#folder.concerns(identity, type, { wasWanted, isInDoubt })) return
    this.#changed.add(identityKey(identity), identity)
    this.#window.note(clock.elapsed())
    this.#push.pending(onChange, this.#isHeld)
    this.#loop.kick()
  }

  #streamsChanged(): void {
    if (this.#watched.hasNews()) this.#resnapshot()
    else this.#loop.kick()
    this.#options.onChange()
  }

  #resnapshot(isInDoubt = true): void {
    this.#snapshotDue = true
    this.#isInDoubt ||= isInDoubt
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
    this.#snapshotDue = true
    this.#isInDoubt = true
    // Its worker was replaced: there is a new one to ask.
    if (isGitError(error, 'aborted')) return 'at once'
    const message = messageOf(error)
    if (isFirst) log.warn('the mirror cannot go on', { target, error })
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
    if (this.#writer === undefined) throw new TypeError('the mirror was not started')
    return this.#writer.worker()
  }

  async #retryNow(): Promise<void> {
    const worker = await this.#worker()
    worker.retryNow()
  }

  async #takeSnapshot(gone: Batch, trace: WindowTrace): Promise<void> {
    const worker = await this.#worker()
    this.#window.close()
    this.#snapshotDue = false
    this.#isInDoubt = false
    this.#isComparing = true
    try {
      const outcome = await this.#folder.compare(worker, gone, () => trace.compared())
      this.#confirmed(outcome, trace)
      if (!outcome.isHeld) this.#snapshot = this.#snapshotAfter(outcome)
    } catch (error) {
      this.#snapshotDue = true
      this.#isInDoubt = true
      throw error
    } finally {
      this.#isComparing = false
    }
    this.#loop.progressed()
    this.#options.onChange()
  }

  #snapshotAfter({ confirmation, stats, sweepProblem }: CompareOutcome): SnapshotState {
    if (sweepProblem !== undefined) return { kind: 'failed', message: sweepProblem, isStuck: true }
    const { commit } = confirmation
    return { kind: 'completed', commit, time: this.#options.clock.now(), stats }
  }

  async #flush(batch: Batch, trace: WindowTrace): Promise<void> {
    const worker = await this.#worker()
    this.#window.close()
    this.#confirmed(await this.#folder.write(worker, batch), trace)
    this.#loop.progressed()
    this.#options.onChange()
  }

  #confirmed(outcome: WriteOutcome, trace: WindowTrace): void {
    const { confirmation, isBootstrap, isHeld, hasMissed } = outcome
    const { commit, written } = confirmation
    trace.confirmed(confirmation, this.#lastPush)
    if (isHeld || hasMissed) this.#resnapshot(hasMissed || written)
    if (written && commit !== undefined) {
      const time = this.#options.clock.now()
      this.#push.pushed(commit, time)
      if (isBootstrap) this.#bootstrap = { commit, time }
    }
    this.#push.failed(this.#folder.leftOut.message)
  }

  /** Whether what is in the way of a file has been moved; somebody else's commit leads to another comparison. */
  async #lookForRoom(): Promise<void> {
    const look = this.#folder.leftOut.nextLook(this.#options.clock.elapsed())
    if (look === undefined) return
    this.#loop.wakeAt(look.again)
    if (look.isDue) await (await this.#worker()).refresh()
  }
}

const messageOf = (error: unknown): string => {
  if (isGitError(error)) return explainGitError(error).slice(0, 1000)
  return redact(error instanceof Error ? error.message : String(error)).slice(0, 1000)
}
