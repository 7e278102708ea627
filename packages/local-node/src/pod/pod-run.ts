import { existsSync, mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { type EventRecorder, sleep } from '@agents/controller'
import { isConflict, isNotFound, type KubeClient, KubeError, type Pod, PodKind } from '@agents/kube'
import type { Logger } from '@agents/log'
import type { AttemptDependencies } from '../container/attempt.ts'
import { type LaunchContext, launchPlan, MissingProgramError } from '../container/launch-plan.ts'
import { killMarked } from '../container/process-identity.ts'
import type { RunningContainer } from '../container/running-container.ts'
import { ConfigError } from '../pod-config/config-error.ts'
import { podObjects } from '../pod-config/pod-objects.ts'
import {
  type PreparedVolume,
  prepareVolumes,
  type VolumeContext,
} from '../volume/prepare-volumes.ts'
import { ContainerHistory } from './container-history.ts'
import { containersOf, type PodContainer } from './container-view.ts'
import { decidePod, type PodDecision, type RestartBackoff } from './pod-decision.ts'
import { podStatus } from './pod-status.ts'

/** Dependencies shared by all pods of a node. */
export interface PodDependencies
  extends Pick<
      LaunchContext,
      'state' | 'node' | 'baseEnvironment' | 'realMounts' | 'engine' | 'ownUsers'
    >,
    Pick<VolumeContext, 'claimed'> {
  readonly client: KubeClient
  readonly log: Logger
  readonly events: EventRecorder | undefined
  readonly attempts: AttemptDependencies
  readonly backoff: RestartBackoff
  /** Distinguishes the processes of this node from those of other nodes on the machine. */
  readonly nodeMarker: string
}

interface PodProgress {
  readonly isDone: boolean
  /** When to sync again. */
  readonly recheckAfterMs: number
}

/** One pod on this machine: syncs its containers with its spec, and reports its status. */
export class PodRun {
  readonly uid: string
  readonly #dependencies: PodDependencies
  readonly #wake: () => void
  readonly #histories = new Map<string, ContainerHistory>()
  #isLoaded = false
  #startTime: string | undefined
  #ended: { reason: string; message: string } | undefined
  #volumes: ReadonlyMap<string, PreparedVolume> | undefined
  #sent = ''
  /** Until when a start is not reported, because the pod may end soon. */
  #quietUntil: number | undefined

  constructor(uid: string, dependencies: PodDependencies, wake: () => void) {
    this.uid = uid
    this.#dependencies = dependencies
    this.#wake = wake
  }

  async sync(pod: Pod, signal: AbortSignal): Promise<PodProgress> {
    await this.#load(pod)
    const deadlineMs = this.#checkDeadline(pod)
    const isTerminating = pod.metadata.deletionTimestamp !== undefined
    if (isTerminating || this.#ended !== undefined) this.#stopAll(this.#graceMs(pod))
    const decision = await this.#advance(pod, isTerminating || this.#ended !== undefined, signal)
    const quietMs = isTerminating || decision.isDone ? 0 : this.#quietFor()
    if (quietMs === 0) await this.#report(pod, decision, signal)
    if (decision.isDone) await this.#finish(pod, signal)
    const held = decision.start.map((one) => this.#history(one).heldFor(this.#now))
    return {
      isDone: decision.isDone,
      recheckAfterMs: Math.min(
        deadlineMs,
        decision.wakeAfterMs ?? Number.POSITIVE_INFINITY,
        ...[...held, quietMs].filter((ms) => ms > 0),
      ),
    }
  }

  #quietFor(): number {
    return Math.max(0, (this.#quietUntil ?? 0) - this.#now)
  }

  /** Stops everything of a pod that was deleted from the server. */
  async abandon(): Promise<void> {
    const { state, attempts } = this.#dependencies
    this.#stopAll(abandonGraceMs)
    while (this.#isRunning) await sleep(attempts.clock, 50)
    await this.#killRest()
    await state.removeSecrets(this.uid)
  }

  /** Stops supervising; the containers keep running. */
  async leave(): Promise<void> {
    await Promise.all([...this.#histories.values()].map((history) => history.leave()))
  }

  isRunningAttempt(container: string, number: number): boolean {
    const view = this.#histories.get(container)?.view
    return view?.runningSince !== undefined && view.starts - 1 === number
  }

  /** The running containers, by name. */
  running(): Map<string, RunningContainer> {
    const all = [...this.#histories].flatMap(([name, { running }]) =>
      running === undefined ? [] : [[name, running] as const],
    )
    return new Map(all)
  }

  get #isRunning(): boolean {
    return [...this.#histories.values()].some(({ view }) => view.runningSince !== undefined)
  }

  get #now(): number {
    return this.#dependencies.attempts.clock.now().getTime()
  }

  async #load(pod: Pod): Promise<void> {
    if (this.#isLoaded) return
    this.#startTime = pod.status?.startTime ?? seconds(new Date(this.#now))
    const { state, attempts, nodeMarker } = this.#dependencies
    for (const { container } of containersOf(pod.spec)) {
      const history = new ContainerHistory({
        folder: state.pod(this.uid),
        container: container.name,
        markerPrefix: `${nodeMarker}/${this.uid}`,
        dependencies: attempts,
        ended: this.#wake,
      })
      await history.load(pod)
      this.#histories.set(container.name, history)
    }
    this.#isLoaded = true
  }

  /** Starts the containers that are due, and those that become due by that. */
  async #advance(pod: Pod, isStopping: boolean, signal: AbortSignal): Promise<PodDecision> {
    for (;;) {
      const decision = decidePod({
        spec: pod.spec,
        podName: `${pod.metadata.name}_${pod.metadata.namespace}(${this.uid})`,
        views: this.#views(),
        isStopping,
        now: new Date(this.#now),
        backoff: this.#dependencies.backoff,
      })
      for (const one of decision.stop) this.#history(one).stop(this.#graceMs(pod))
      const due = decision.start.filter((one) => this.#history(one).heldFor(this.#now) === 0)
      let isStarted = false
      for (const one of due) isStarted = (await this.#start(pod, one, signal)) || isStarted
      if (!isStarted) return decision
    }
  }

  async #start(pod: Pod, one: PodContainer, signal: AbortSignal): Promise<boolean> {
    const history = this.#history(one)
    try {
      await this.#launch(pod, one, history, signal)
      this.#quietUntil ??= this.#now + quietMs
      const message = `Started container ${one.container.name}`
      this.#dependencies.events?.record(pod, { type: 'Normal', reason: 'Started', message })
      return true
    } catch (error) {
      if (error instanceof MissingProgramError) {
        const now = new Date(this.#now).toISOString()
        const { message } = error
        const times = { startedAt: now, finishedAt: now }
        await history.fail({ exitCode: 128, reason: 'StartError', message, ...times })
        return true
      }
      // A failed request says nothing about the container, so its status is not changed.
      if (error instanceof KubeError || signal.aborted) throw error
      const reason = error instanceof ConfigError ? error.reason : 'CreateContainerError'
      const message = error instanceof Error ? error.message : String(error)
      const until = error instanceof ConfigError ? error.until : undefined
      if (until !== undefined) {
        history.hold({ reason }, this.#now)
        void until.then(() => this.#retry(history))
        return false
      }
      history.hold({ reason, message }, this.#now)
      this.#dependencies.events?.record(pod, { type: 'Warning', reason: 'Failed', message })
      return false
    }
  }

  #retry(history: ContainerHistory): void {
    history.release()
    this.#wake()
  }

  async #launch(
    pod: Pod,
    { container }: PodContainer,
    history: ContainerHistory,
    signal: AbortSignal,
  ): Promise<void> {
    const { attempts, state, client } = this.#dependencies
    const { namespace = '', name } = pod.metadata
    const serviceAccount = pod.spec.serviceAccountName ?? 'default'
    const identity = { namespace, name, uid: this.uid, serviceAccount }
    const objects = podObjects(client, identity, signal)
    const folder = state.pod(this.uid)
    this.#volumes ??= await prepareVolumes(pod, { ...this.#dependencies, pod, objects, folder })
    const location = history.location(history.nextNumber)
    if (existsSync(location.folder)) await rm(location.folder, { recursive: true, force: true })
    mkdirSync(location.folder, { recursive: true, mode: 0o700 })
    const context = { ...this.#dependencies, folder, objects, volumes: this.#volumes }
    const { line, ...plan } = await launchPlan(pod, container, location, context)
    const attempt = await history.begin({
      ...plan,
      startedAt: new Date(this.#now).toISOString(),
      bootId: attempts.bootId,
      fallBackToLog: container.terminationMessagePolicy === 'FallbackToLogsOnError',
    })
    await attempt.start(line, this.#wake)
  }

  #stopAll(graceMs: number): void {
    for (const history of this.#histories.values()) history.stop(graceMs)
  }

  /** Milliseconds until the pod's own deadline. */
  #checkDeadline({ spec }: Pod): number {
    if (spec.activeDeadlineSeconds === undefined) return Number.POSITIVE_INFINITY
    // The start time has whole seconds; the deadline is rather late than early.
    const end = Date.parse(this.#startTime ?? '') + 1000 + spec.activeDeadlineSeconds * 1000
    const left = end - this.#now
    if (left > 0) return left
    this.#ended ??= {
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
    }
    return Number.POSITIVE_INFINITY
  }

  /** The rest of a deleted pod's grace period, so that a restarted node does not extend it. */
  #graceMs({ metadata, spec }: Pod): number {
    const { deletionTimestamp, deletionGracePeriodSeconds } = metadata
    const whole = (deletionGracePeriodSeconds ?? spec.terminationGracePeriodSeconds ?? 30) * 1000
    if (deletionTimestamp === undefined) return whole
    // The server stores whole seconds.
    const left = Date.parse(deletionTimestamp) + 1000 - this.#now
    return Math.min(whole, Math.max(0, left))
  }

  async #report(pod: Pod, decision: PodDecision, signal: AbortSignal): Promise<void> {
    const { node, client } = this.#dependencies
    const status = podStatus({
      pod,
      views: this.#views(),
      waiting: decision.waiting,
      isDone: decision.isDone,
      ended: this.#ended,
      startTime: this.#startTime ?? '',
      hostIP: node.hostIP,
      now: new Date(this.#now),
    })
    this.#quietUntil = undefined
    const text = JSON.stringify(status)
    if (text === this.#sent) return
    const body = { metadata: { uid: this.uid }, status }
    try {
      await client.patch(
        PodKind,
        pod.metadata,
        { type: 'merge', body },
        { subresource: 'status', signal },
      )
      this.#sent = text
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error
    }
  }

  async #finish(pod: Pod, signal: AbortSignal): Promise<void> {
    await this.#dependencies.state.removeSecrets(this.uid)
    if (pod.metadata.deletionTimestamp === undefined) return
    await this.#killRest()
    const options = { gracePeriodSeconds: 0, preconditions: { uid: this.uid }, signal }
    try {
      await this.#dependencies.client.delete(PodKind, pod.metadata, options)
    } catch (error) {
      if (!isNotFound(error) && !isConflict(error)) throw error
    }
  }

  async #killRest(): Promise<void> {
    const prefix = `${this.#dependencies.nodeMarker}/${this.uid}/`
    await killMarked((marker) => marker.startsWith(prefix))
  }

  #views() {
    return new Map([...this.#histories].map(([name, history]) => [name, history.view]))
  }

  #history({ container }: PodContainer): ContainerHistory {
    const history = this.#histories.get(container.name)
    if (history === undefined) throw new Error(`pod has no container ${container.name}`)
    return history
  }
}

const abandonGraceMs = 2000

/** The status of a pod that ends within this time is written once, when it has ended. */
const quietMs = 250

function seconds(time: Date): string {
  return `${time.toISOString().slice(0, 19)}Z`
}
