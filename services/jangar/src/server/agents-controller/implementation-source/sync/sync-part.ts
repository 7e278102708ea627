import {
  Controller,
  type Metrics,
  objectApi,
  type ReconcileContext,
  type ReconcileResult,
  type Runnable,
  writeStatus,
} from '@agents/controller'
import { ForgeError, isForgeError } from '@agents/forge'
import type { ImplementationSource, ImplementationSpec } from '@agents/jangar-api'
import { isConflict, isNotFound } from '@agents/kube'
import { rfc3339 } from '@agents/status'
import type { AgentsPorts } from '../../ports.ts'
import { closeSpec, importIssue, isRefusal, NameTaken } from '../import/import-issue.ts'
import { isImported } from '../import/imported-spec.ts'
import { isInScope, requireScope, ScopeInvalid } from '../import/in-scope.ts'
import { forgeLists } from './forge-lists.ts'
import { isListed } from './is-listed.ts'
import { linearLists } from './linear-lists.ts'
import type { ListedIssue, ListIssues } from './listing.ts'
import { sourceForges } from './open-source-forge.ts'

type Ports = Pick<
  AgentsPorts,
  'client' | 'caches' | 'config' | 'log' | 'clock' | 'isPlatformAccount'
> & { readonly metrics?: Metrics | undefined }

type LastSync = NonNullable<NonNullable<ImplementationSource['status']>['lastSync']>

/** Its value is any text. A new value asks for a list now. */
const requestAnnotation = 'agents.proompteng.ai/sync-requested'

const name = 'implementationsource-sync'
const workers = 2
const usualSeconds = 600
const retryMs = 60_000

const permissions = [{ issues: 'read' }, { issues: 'read' }] as const

/** Lists the issues of sources: at the start, after each interval and on demand, so that a missed webhook heals. */
export function syncPart(ports: Ports): Runnable {
  const { caches, log, clock, metrics } = ports
  const sources = caches.implementationSources
  const controller = new Controller<ImplementationSource>({
    ...{ name, kind: sources.kind, primary: sources, workers, log, clock },
    predicate: { add: isListed, update: (_before, after) => isListed(after) },
    reconcile: synchronizer(ports),
    ...(metrics && { metrics: metrics.controller(name, workers) }),
  })
  metrics?.watchQueue(name, controller.queue)
  return { name: 'lists of issues', run: (signal) => controller.run(signal) }
}

interface Hold {
  readonly generation: number
  readonly untilMs: number
  readonly message: string
}

/** Exported for tests, which choose the time. */
export function synchronizer(ports: Omit<Ports, 'log' | 'clock'>) {
  const { client, caches } = ports
  const api = objectApi(client, caches.implementationSources.kind)
  const lists: Readonly<Record<'linear' | 'forge', ListIssues>> = {
    linear: linearLists(ports),
    forge: forgeLists(sourceForges(ports, permissions)),
  }
  /** By UID, the generation that was listed since the process started. */
  const listed = new Map<string, number>()
  /** UIDs of those whose last list failed. An issue that cannot be imported is reported, and no reason to hurry. */
  const failing = new Set<string>()
  /** By UID, until when the service asked to wait. Events of the source come sooner. */
  const holds = new Map<string, Hold>()

  const synchronize = async (
    source: ImplementationSource,
    isFull: boolean,
    { now, signal }: ReconcileContext<ImplementationSource>,
  ): Promise<Pick<LastSync, 'issues' | 'error'>> => {
    requireScope(source.spec)
    const { namespace, name: own } = source.metadata
    // Before the list: what is imported meanwhile is not missing from it.
    const before = caches.implementationSpecs
      .list(namespace)
      .filter((spec) => isImported(own, spec))
    const list = lists[source.spec.provider === 'linear' ? 'linear' : 'forge']
    const { issues, isComplete, settle } = await list(source, { now, isFull, signal })
    const problems: string[] = []
    const attempted = async (work: Promise<unknown>): Promise<boolean> => {
      try {
        await work
        return true
      } catch (error) {
        // One issue that cannot be imported does not keep the others out.
        if (!(error instanceof NameTaken) && !isRefusal(error)) throw error
        problems.push((error as Error).message)
        return false
      }
    }
    const known = new Set(before.map(idOf))
    const open = new Set(before.filter(isOpen).map(idOf))
    const found = new Set<string>()
    const left: ListedIssue[] = []
    for (const listed of issues) {
      const { issue, isGone = false } = listed
      const ids = [issue.externalId, ...(issue.formerIds ?? [])].map((id) => id.toLowerCase())
      for (const id of ids) open.delete(id)
      const isWanted = isWantedNow(source, listed)
      if (isWanted) found.add(ids[0] ?? '')
      if (!isWanted && !ids.some((id) => known.has(id))) continue
      const isDone = await attempted(importIssue(ports, source, issue, { isGone, signal }))
      if (!isDone) left.push(listed)
    }
    let areClosed = true
    if (isComplete) {
      for (const spec of before.filter((one) => isOpen(one) && !found.has(idOf(one)))) {
        const isDone = await attempted(closeSpec(ports, source, spec, signal))
        areClosed &&= isDone
      }
      open.clear()
    }
    // Only a full list tells what is to be closed.
    if (areClosed) settle?.(left)
    return {
      issues: open.union(found).size,
      ...(problems[0] !== undefined && { error: problems[0].slice(0, 1000) }),
    }
  }

  return async (
    source: ImplementationSource,
    context: ReconcileContext<ImplementationSource>,
  ): Promise<ReconcileResult> => {
    if (!isListed(source)) return {}
    for (const [of, { untilMs }] of holds) if (untilMs <= context.now.getTime()) holds.delete(of)
    const { now, signal, remember, log } = context
    const { uid = '', generation = 0, annotations } = source.metadata
    const intervalMs = (source.spec.sync?.intervalSeconds ?? usualSeconds) * 1000
    const request = annotations?.[requestAnnotation]?.slice(0, 100)
    const last = source.status?.lastSync
    const ageMs = now.getTime() - (Date.parse(last?.at ?? '') || 0)
    const pauseMs = failing.has(uid) ? Math.min(intervalMs, retryMs) : intervalMs
    const isNew = listed.get(uid) !== generation || last === undefined
    const isDue = isNew || last.request !== request || ageMs >= pauseMs || ageMs < 0
    const hold = holds.get(uid)
    const holdMs = hold?.generation === generation ? hold.untilMs - now.getTime() : 0
    if (holdMs > 0 && last?.request === request) return { recheckAfterMs: holdMs }
    if (!isDue) return { recheckAfterMs: pauseMs - ageMs }
    const isFull = isNew || last.request !== request || failing.has(uid)
    const asked = { at: rfc3339(now), ...(request !== undefined && { request }) }
    let next: LastSync
    let afterMs = intervalMs
    try {
      if (hold !== undefined && holdMs > 0) {
        throw new ForgeError('rate-limited', hold.message, { retryAfterMs: holdMs })
      }
      next = { ...asked, ...(await synchronize(source, isFull, context)) }
      listed.set(uid, generation)
      failing.delete(uid)
    } catch (error) {
      signal.throwIfAborted()
      if (isConflict(error)) return { tryAgain: true }
      const isTold = isForgeError(error) || isNotFound(error) || error instanceof ScopeInvalid
      if (!isTold) throw error
      next = { ...asked, error: error.message.slice(0, 1000) }
      failing.add(uid)
      const waitMs = isForgeError(error, 'rate-limited') ? (error.retryAfterMs ?? 0) : 0
      const untilMs = now.getTime() + waitMs
      if (waitMs > 0) holds.set(uid, { generation, untilMs, message: error.message })
      afterMs = Math.max(waitMs, Math.min(intervalMs, retryMs))
      listed.set(uid, generation)
      log.warn('issues not listed', { error: error.message })
    }
    try {
      const isGood = next.error === undefined
      const status = {
        ...source.status,
        lastSync: next,
        ...(isGood && { lastSyncedAt: asked.at }),
      }
      const written = await writeStatus(api, source, status, { now, signal })
      if (written !== undefined) remember(written)
    } catch (error) {
      if (isNotFound(error)) return {}
      if (!isConflict(error)) throw error
      // Listing again costs little: nothing has changed, and the service answers 304.
      listed.delete(uid)
      return { tryAgain: true }
    }
    return { recheckAfterMs: afterMs }
  }
}

function isWantedNow(
  { spec }: ImplementationSource,
  { issue, isGone = false }: ListedIssue,
): boolean {
  return issue.state === 'open' && !isGone && isInScope(spec, issue)
}

function idOf({ spec }: ImplementationSpec): string {
  return spec.source?.externalId?.toLowerCase() ?? ''
}

function isOpen({ spec }: ImplementationSpec): boolean {
  return spec.source?.state !== 'Closed'
}
