import {
  Controller,
  type Metrics,
  type ReconcileContext,
  type ReconcileResult,
  type Runnable,
} from '@agents/controller'
import type { AgentRun, ImplementationSource, ImplementationSpec } from '@agents/jangar-api'
import { isNotFound } from '@agents/kube'
import { isFinished } from '@agents/status'
import { labelValue } from '../../../kubernetes/labels.ts'
import type { AgentsPorts } from '../../ports.ts'
import { isImported, sourceLabel } from '../import/imported-spec.ts'
import { specSources } from '../trigger/spec-sources.ts'
import { eventAnnotation, specLabel } from '../trigger/triggered-run.ts'

type Ports = Pick<AgentsPorts, 'client' | 'caches' | 'log' | 'clock'> & {
  readonly metrics?: Metrics | undefined
}

const name = 'implementationspec-closed'
const workers = 2

/**
 * Cancels the runs of issues that are closed, for sources that want it. It looks at what is there, not at the moment of
 * closing: a run that was started in that moment is cancelled, too, and so is one that a crash left over.
 */
export function closedIssuesPart(ports: Ports): Runnable {
  const { caches, log, clock, metrics } = ports
  const specs = caches.implementationSpecs
  const controller = new Controller<ImplementationSpec>({
    ...{ name, kind: specs.kind, primary: specs, workers, log, clock },
    sources: specSources(caches),
    reconcile: canceller(ports),
    ...(metrics && { metrics: metrics.controller(name, workers) }),
  })
  metrics?.watchQueue(name, controller.queue)
  return { name: 'runs of closed issues', run: (signal) => controller.run(signal) }
}

function canceller({ client, caches }: Ports) {
  return async (
    spec: ImplementationSpec,
    { signal, log }: ReconcileContext<ImplementationSpec>,
  ): Promise<ReconcileResult> => {
    if (spec.spec.source?.state !== 'Closed') return {}
    const { namespace, name: of } = spec.metadata
    const source = caches.implementationSources
      .list(namespace)
      .find((one) => one.spec?.onClosed === 'Cancel' && isImported(one.metadata.name, spec))
    if (source === undefined) return {}
    const patch = { type: 'merge', body: { spec: { cancel: true } } } as const
    for (const run of caches.agentRuns.list(namespace)) {
      if (!isActiveFor(source, of, run)) continue
      try {
        await client.patch(caches.agentRuns.kind, run.metadata, patch, { signal })
        log.info('run cancelled: its issue is closed', { run: run.metadata.name })
      } catch (error) {
        if (!isNotFound(error)) throw error
      }
    }
    return {}
  }
}

/** Whether a trigger of the source started the run for the issue, and nobody has ended it. */
function isActiveFor(
  { metadata }: ImplementationSource,
  spec: string,
  { metadata: { labels, annotations }, spec: { cancel }, status }: AgentRun,
): boolean {
  return (
    labels?.[specLabel] === labelValue(spec) &&
    labels[sourceLabel] === labelValue(metadata.name) &&
    annotations?.[eventAnnotation] !== undefined &&
    cancel !== true &&
    !isFinished(status?.conditions ?? [])
  )
}
