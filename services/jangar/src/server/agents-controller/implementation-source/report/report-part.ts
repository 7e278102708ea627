import {
  Controller,
  type Metrics,
  objectApi,
  type ReconcileContext,
  type ReconcileResult,
  type Runnable,
  writeStatus,
} from '@agents/controller'
import { isForgeError } from '@agents/forge'
import type { ImplementationSource, ImplementationSpec } from '@agents/jangar-api'
import { isConflict, isNotFound, type KubeObject } from '@agents/kube'
import { labelValue } from '../../../kubernetes/labels.ts'
import type { AgentsPorts } from '../../ports.ts'
import { isImported, sourceLabel, specName } from '../import/imported-spec.ts'
import { sourceForges } from '../sync/open-source-forge.ts'
import { specSources } from '../trigger/spec-sources.ts'
import { createdAt, originOf } from '../trigger/started-runs.ts'
import { specLabel } from '../trigger/triggered-run.ts'
import { type ReportedRun, reportedAgentRun, reportedOrchestrationRun } from './reported-run.ts'
import { type Report, writeReport } from './write-report.ts'

type Ports = Pick<
  AgentsPorts,
  'client' | 'caches' | 'config' | 'log' | 'clock' | 'isPlatformAccount'
> & { readonly metrics?: Metrics | undefined }

const name = 'implementationspec-report'
const workers = 4
const outageMs = 10_000
const refusedMs = 300_000

/** Those of an app's token; statuses of commits are optional. */
const permissions = [{ issues: 'write', statuses: 'write' }, { issues: 'write' }] as const

/** Writes one comment about the runs of an issue, and a status at the commit of the last one. */
export function reportPart(ports: Ports): Runnable {
  const { caches, log, clock, metrics } = ports
  const specs = caches.implementationSpecs
  const controller = new Controller<ImplementationSpec>({
    ...{ name, kind: specs.kind, primary: specs, workers, log, clock },
    sources: specSources(caches),
    reconcile: reporter(ports),
    ...(metrics && { metrics: metrics.controller(name, workers) }),
  })
  metrics?.watchQueue(name, controller.queue)
  return { name: 'reports on issues', run: (signal) => controller.run(signal) }
}

function reporter(ports: Ports) {
  const { client, caches } = ports
  const api = objectApi(client, caches.implementationSpecs.kind)
  const openForge = sourceForges(ports, permissions, 'write')

  return async (
    spec: ImplementationSpec,
    { now, signal, log, remember }: ReconcileContext<ImplementationSpec>,
  ): Promise<ReconcileResult> => {
    const source = sourceOf(ports, spec)
    const number = source && numberOf(source, spec)
    if (source === undefined || number === undefined) return {}
    const runs = runsOf(ports, spec)
    if (runs.length === 0 || spec.metadata.deletionTimestamp !== undefined) return {}
    let current = spec
    const record = async (report: Report): Promise<void> => {
      const status = { ...current.status, report }
      const written = await writeStatus(api, current, status, { now, signal })
      if (written === undefined) return
      remember(written)
      current = written
    }
    const { repository = '' } = source.spec.scope ?? {}
    const wanted = source.spec.report ?? { comment: false, commitStatus: false }
    const about = { repository, number, runs, wanted, context: `agents/${source.metadata.name}` }
    try {
      const open = () => openForge(source, now, signal)
      await writeReport({ open, record, about, signal }, spec.status?.report ?? {})
      return {}
    } catch (error) {
      signal.throwIfAborted()
      if (isConflict(error)) return { tryAgain: true }
      if (!isForgeError(error) && !isNotFound(error)) throw error
      log.info('report not written', { error: error.message })
      const isPassing = isForgeError(error, 'unreachable', 'rate-limited')
      // What passes by itself is not worth a write.
      if (!isPassing) await record({ ...current.status?.report, message: error.message })
      const askedMs = isForgeError(error, 'rate-limited') ? (error.retryAfterMs ?? 0) : 0
      return { recheckAfterMs: Math.max(askedMs, isPassing ? outageMs : refusedMs) }
    }
  }
}

/** The source that imported the spec and wants reports. */
function sourceOf({ caches }: Ports, spec: ImplementationSpec): ImplementationSource | undefined {
  const label = spec.metadata.labels?.[sourceLabel]
  if (label === undefined) return undefined
  return caches.implementationSources
    .list(spec.metadata.namespace)
    .find(
      (source) =>
        labelValue(source.metadata.name) === label &&
        isImported(source.metadata.name, spec) &&
        source.spec?.vcsRef !== undefined &&
        (source.spec.report?.comment === true || source.spec.report?.commitStatus === true),
    )
}

/**
 * The number of the issue, if it is one of the repository of the source and the one that the name of the spec was made
 * from: without the admission policies, a spec may have been edited, and the report would be written to another issue.
 */
export function numberOf(
  source: ImplementationSource,
  { metadata, spec }: ImplementationSpec,
): number | undefined {
  const { externalId = '' } = spec.source ?? {}
  const [repository = '', digits = ''] = externalId.split('#', 2)
  if (repository.toLowerCase() !== source.spec.scope?.repository?.toLowerCase()) return undefined
  if (specName(source, { externalId }) !== metadata.name) return undefined
  return /^[1-9]\d{0,14}$/.test(digits) ? Number(digits) : undefined
}

/** The runs that triggers started for the issue, newest first. */
function runsOf({ caches }: Ports, { metadata }: ImplementationSpec): readonly ReportedRun[] {
  const { namespace } = metadata
  const label = labelValue(metadata.name)
  const isOwn = (run: Named): boolean => run.metadata.labels?.[specLabel] === label
  const all = caches.agentRuns.list(namespace)
  const agentRuns = all.filter(isOwn)
  const orchestrationRuns = caches.orchestrationRuns.list(namespace).filter(isOwn)
  const stepsOf = (run: Named) => all.filter((one) => originOf(caches, one) === run).toSorted(newer)
  return [
    ...agentRuns.map((run) => ({ run, reported: reportedAgentRun(run) })),
    ...orchestrationRuns.map((run) => ({
      run,
      reported: reportedOrchestrationRun(run, stepsOf(run)),
    })),
  ]
    .toSorted((a, b) => newer(a.run, b.run))
    .map(({ reported }) => reported)
}

type Named = Pick<KubeObject, 'metadata'>

function newer(a: Named, b: Named): number {
  return createdAt(b) - createdAt(a) || (a.metadata.name < b.metadata.name ? 1 : -1)
}
