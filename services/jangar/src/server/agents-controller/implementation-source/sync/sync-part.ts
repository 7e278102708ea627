import {
  Controller,
  type Metrics,
  objectApi,
  type ReconcileContext,
  type ReconcileResult,
  type Runnable,
  writeStatus,
} from '@agents/controller'
import { ForgeError, type Issue, isForgeError } from '@agents/forge'
import type { ImplementationSource } from '@agents/jangar-api'
import { isConflict, isNotFound } from '@agents/kube'
import { rfc3339 } from '@agents/status'
import { type SourceIssue, versionOf } from '../../../inbox/delivery/source-issue.ts'
import type { AgentsPorts } from '../../ports.ts'
import { closeSpec, importIssue, isRefusal, NameTaken } from '../import/import-issue.ts'
import { isImported } from '../import/imported-spec.ts'
import { isInScope } from '../import/in-scope.ts'
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

/** A list that is longer is not complete, so that nothing can be concluded from what is missing. */
const mostIssues = 1000

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

function isListed({ metadata, spec }: ImplementationSource): boolean {
  return (
    spec?.vcsRef !== undefined &&
    spec.scope?.repository !== undefined &&
    spec.provider !== 'linear' &&
    metadata.deletionTimestamp === undefined
  )
}

function synchronizer(ports: Ports) {
  const { client, caches } = ports
  const api = objectApi(client, caches.implementationSources.kind)
  const openForge = sourceForges(ports, permissions)
  /** By UID, the generation that was listed since the process started. */
  const listed = new Map<string, number>()

  const issuesOf = async (source: ImplementationSource, now: Date, signal: AbortSignal) => {
    const { repository = '', labels } = source.spec.scope ?? {}
    const forge = await openForge(source, now, signal)
    const query = { repository, state: 'open', ...(labels && { labels }) } as const
    return await forge.issues(query, signal)
  }

  const synchronize = async (
    source: ImplementationSource,
    { now, signal }: ReconcileContext<ImplementationSource>,
  ): Promise<Pick<LastSync, 'issues' | 'error'>> => {
    const { namespace, name: own } = source.metadata
    // Before the list: what is imported meanwhile is not missing from it.
    const before = caches.implementationSpecs
      .list(namespace)
      .filter((spec) => isImported(own, spec) && spec.spec.source?.state !== 'Closed')
    const issues = await issuesOf(source, now, signal)
    const repository = source.spec.scope?.repository ?? ''
    const found = issues
      .map((issue) => sourceIssue(repository, issue))
      .filter((issue) => isInScope(source.spec, issue))
    const problems: string[] = []
    const attempted = async (work: Promise<unknown>): Promise<void> => {
      await work.catch((error: unknown) => {
        // One issue that cannot be imported does not keep the others out.
        if (!(error instanceof NameTaken) && !isRefusal(error)) throw error
        problems.push((error as Error).message)
      })
    }
    for (const issue of found) await attempted(importIssue(ports, source, issue, { signal }))
    const outcome = () => ({
      issues: found.length,
      ...(problems[0] !== undefined && { error: problems[0].slice(0, 1000) }),
    })
    if (issues.length >= mostIssues) return outcome()
    const ids = new Set(found.map(({ externalId }) => externalId.toLowerCase()))
    for (const spec of before) {
      const id = spec.spec.source?.externalId?.toLowerCase() ?? ''
      if (!ids.has(id)) await attempted(closeSpec(ports, source, spec, signal))
    }
    return outcome()
  }

  return async (
    source: ImplementationSource,
    context: ReconcileContext<ImplementationSource>,
  ): Promise<ReconcileResult> => {
    if (!isListed(source)) return {}
    const { now, signal, remember, log } = context
    const { uid = '', generation = 0, annotations } = source.metadata
    const intervalMs = (source.spec.sync?.intervalSeconds ?? usualSeconds) * 1000
    const request = annotations?.[requestAnnotation]?.slice(0, 100)
    const last = source.status?.lastSync
    const ageMs = now.getTime() - (Date.parse(last?.at ?? '') || 0)
    const pauseMs = last?.error === undefined ? intervalMs : Math.min(intervalMs, retryMs)
    const isNew = listed.get(uid) !== generation || last === undefined
    const isDue = isNew || last.request !== request || ageMs >= pauseMs || ageMs < 0
    if (!isDue) return { recheckAfterMs: pauseMs - ageMs }
    const asked = { at: rfc3339(now), ...(request !== undefined && { request }) }
    let next: LastSync
    let afterMs = intervalMs
    try {
      next = { ...asked, ...(await synchronize(source, context)) }
      listed.set(uid, generation)
    } catch (error) {
      signal.throwIfAborted()
      if (isConflict(error)) return { tryAgain: true }
      if (!isForgeError(error) && !isNotFound(error)) throw error
      next = { ...asked, error: error.message.slice(0, 1000) }
      const waitMs = isForgeError(error, 'rate-limited') ? (error.retryAfterMs ?? 0) : 0
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

function sourceIssue(
  repository: string,
  { number, title, body, labels, url, state, updatedAt }: Issue,
): SourceIssue {
  const version = versionOf(updatedAt)
  if (version === undefined) throw new ForgeError('garbled', 'an issue has no valid updated_at')
  return {
    externalId: `${repository}#${number}`,
    repository,
    title,
    body,
    labels,
    url,
    state,
    version,
  }
}
