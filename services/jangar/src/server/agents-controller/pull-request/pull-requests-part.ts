import {
  Controller,
  type Metrics,
  objectApi,
  type ReconcileContext,
  type ReconcileResult,
  type Runnable,
  writeStatus,
} from '@agents/controller'
import {
  type Forge,
  ForgeError,
  isForgeError,
  openForge,
  type PullRequest,
  ResponseMemory,
  type Verdicts,
} from '@agents/forge'
import type { AgentRun } from '@agents/jangar-api'
import { isConflict, isNotFound } from '@agents/kube'
import { endOfRun } from '@agents/status'
import type { AgentsPorts } from '../ports.ts'
import { wantsAutoMerge } from '../version-control-provider/auto-merge-problem.ts'
import { ensureOpen } from './ensure-open.ts'
import { forgeTokens, ofMerging } from './forge-token.ts'
import { longestOpeningMs, nextAttemptMs, nextLookMs } from './poll-times.ts'
import { addressedProvider, proposalOf } from './propose.ts'
import { settleAutoMerge } from './settle-auto-merge.ts'

type Vcs = NonNullable<NonNullable<AgentRun['status']>['vcs']>
type PullRequestStatus = NonNullable<Vcs['pullRequest']>

type Ports = Pick<
  AgentsPorts,
  'client' | 'caches' | 'config' | 'log' | 'clock' | 'isPlatformAccount'
> & { readonly metrics?: Metrics | undefined }

const name = 'pullrequest'
const workers = 4

/**
 * Opens the pull requests of finished runs, and follows them until they are merged or closed. A run is marked as
 * Pending in the same write that finishes it, so that none is forgotten. The run's end does not depend on the service.
 */
export function pullRequestsPart(ports: Ports): Runnable {
  const { client, caches, log, clock, metrics } = ports
  const runs = caches.agentRuns
  const controller = new Controller<AgentRun>({
    ...{ name, kind: runs.kind, primary: runs, workers, log, clock },
    predicate: { add: isFollowed, update: (_before, after) => isFollowed(after) },
    reconcile: follower({ ...ports, api: objectApi(client, runs.kind) }),
    ...(metrics && { metrics: metrics.controller(name, workers) }),
  })
  metrics?.watchQueue(name, controller.queue)
  return { name: 'pull requests of runs', run: (signal) => controller.run(signal) }
}

function isFollowed({ metadata, status }: AgentRun): boolean {
  const { state } = status?.vcs?.pullRequest ?? {}
  return (state === 'Pending' || state === 'Open') && metadata.deletionTimestamp === undefined
}

interface Seen {
  readonly next: PullRequestStatus
  /** What a new pull request does not have. */
  readonly lacks?: readonly string[]
}

interface Followed extends Seen {
  /** When to look again. */
  readonly afterMs: number
}

function follower(ports: Ports & { readonly api: ReturnType<typeof objectApi<AgentRun>> }) {
  const { client, api } = ports
  const tokens = forgeTokens(client)
  const mergeTokens = forgeTokens(client, ofMerging)
  const memory = new ResponseMemory()
  /** By address, until when a service wants to be left alone. */
  const pauses = new Map<string, number>()

  const asked = async (
    run: AgentRun,
    { now, signal }: ReconcileContext<AgentRun>,
  ): Promise<Seen> => {
    const found = addressedProvider(run, ports)
    if (found.kind === 'problem') throw new ForgeError('forbidden', found.message)
    const { provider, address } = found
    const pausedMs = (pauses.get(address.baseUrl) ?? 0) - now.getTime()
    if (pausedMs > 0) throw limited(pausedMs)
    const { repository = '', pullRequest } = run.status?.vcs ?? {}
    const apiBaseUrl = address.baseUrl
    const access = await tokens({ provider, repository, apiBaseUrl, now, signal })
    if (access.kind === 'problem') throw new ForgeError('unauthorized', access.message)
    const { token } = access
    const forge = openForge(address.service, { baseUrl: apiBaseUrl, token, memory })
    const merging = async () => {
      const granted = await mergeTokens({ provider, repository, apiBaseUrl, now, signal })
      if (granted.kind === 'problem') throw new ForgeError('forbidden', granted.message)
      return openForge(address.service, { baseUrl: apiBaseUrl, token: granted.token })
    }
    const isWanted = wantsAutoMerge(provider)
    const withAutoMerge = async (pull: PullRequest, status: PullRequestStatus) => {
      const autoMerge = await settleAutoMerge({ run, pull, forge, isWanted, merging, signal })
      return { ...status, ...(autoMerge && { autoMerge }) }
    }
    try {
      if (pullRequest?.state === 'Open' && pullRequest.number !== undefined) {
        const { pull, status } = await seen(forge, repository, Number(pullRequest.number), signal)
        return { next: await withAutoMerge(pull, status) }
      }
      const { pull, lacks } = await ensureOpen(forge, proposalOf(run, provider, ports), signal)
      return { next: await withAutoMerge(pull, statusOf(pull, undefined)), lacks }
    } catch (error) {
      if (isForgeError(error, 'rate-limited')) {
        pauses.set(apiBaseUrl, now.getTime() + (error.retryAfterMs ?? 0))
      }
      throw error
    }
  }

  return async (run: AgentRun, context: ReconcileContext<AgentRun>): Promise<ReconcileResult> => {
    if (!isFollowed(run)) return {}
    const { now, signal, log, remember } = context
    const before = run.status?.vcs?.pullRequest ?? {}
    const ageMs = Math.max(0, now.getTime() - (endOfRun(run) ?? now.getTime()))
    const followed = await asked(run, context).then(
      (found): Followed => ({ ...found, afterMs: nextLookMs(ageMs) }),
      (error: unknown) => {
        signal.throwIfAborted()
        // A Secret that is missing is a problem of the provider, too.
        const known = isForgeError(error) || isNotFound(error)
        if (!known) throw error
        return afterFailure(before, error, ageMs)
      },
    )
    const { next, lacks = [], afterMs } = followed
    const isOver = next.state !== 'Pending' && next.state !== 'Open'
    const due = isOver ? {} : { recheckAfterMs: afterMs }
    try {
      const status = {
        ...run.status,
        vcs: { ...run.status?.vcs, pullRequest: next },
        ...(lacks.length > 0 && { warnings: [...(run.status?.warnings ?? []), ...lacks] }),
      }
      const written = await writeStatus(api, run, status, { now, signal })
      if (written === undefined) return due
      remember(written)
    } catch (error) {
      if (isNotFound(error)) return {}
      if (isConflict(error)) return { tryAgain: true }
      throw error
    }
    if (next.state !== before.state) {
      const { state, number, url, message } = next
      log.info('pull request changed', { state, number, url, text: message })
    }
    return due
  }
}

async function seen(
  forge: Forge,
  repository: string,
  number: number,
  signal: AbortSignal,
): Promise<{ readonly pull: PullRequest; readonly status: PullRequestStatus }> {
  const pull = await forge.pullRequest(repository, number, signal)
  const verdicts =
    pull.state === 'open' ? await forge.verdicts(repository, pull, signal) : undefined
  return { pull, status: statusOf(pull, verdicts) }
}

const states = { open: 'Open', merged: 'Merged', closed: 'Closed' } as const
const checkStates = { pending: 'Pending', passing: 'Passing', failing: 'Failing' } as const
const decisions = { approved: 'Approved', 'changes-requested': 'ChangesRequested' } as const

function statusOf(
  { number, url, state, draft }: PullRequest,
  verdicts: Verdicts | undefined,
): PullRequestStatus {
  const { checks, review } = verdicts ?? {}
  return {
    ...{ number, url, state: states[state] },
    ...(draft && { draft }),
    ...(checks && { checks: checkStates[checks] }),
    ...(review && { reviewDecision: decisions[review] }),
  }
}

/** A pull request that is open stays open as far as we know; one that cannot be opened within a day has failed. */
function afterFailure(before: PullRequestStatus, error: Error, ageMs: number): Followed {
  const isOpen = before.state === 'Open'
  const isLimited = isForgeError(error, 'rate-limited')
  const waitMs = isLimited ? (error.retryAfterMs ?? 0) : 0
  const afterMs = Math.max(waitMs, isOpen ? nextLookMs(ageMs) : nextAttemptMs(ageMs))
  const isGivenUp = !isOpen && ageMs >= longestOpeningMs
  // What passes by itself is not worth a write for each open pull request.
  if (isOpen && isForgeError(error, 'rate-limited', 'unreachable')) return { next: before, afterMs }
  const state = isOpen ? 'Open' : isGivenUp ? 'Failed' : 'Pending'
  return { next: { ...before, state, message: error.message }, afterMs }
}

function limited(retryAfterMs: number): ForgeError {
  const message = 'the API limits the rate of requests'
  return new ForgeError('rate-limited', message, { retryAfterMs })
}
