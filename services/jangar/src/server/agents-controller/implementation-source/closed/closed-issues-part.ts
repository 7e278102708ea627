import {
  Controller,
  type Metrics,
  type ReconcileContext,
  type ReconcileResult,
  type Runnable,
} from '@agents/controller'
import type { ImplementationSource, ImplementationSpec } from '@agents/jangar-api'
import { labelValue } from '../../../kubernetes/labels.ts'
import type { AgentsPorts } from '../../ports.ts'
import { isImported, sourceLabel } from '../import/imported-spec.ts'
import { specSources } from '../trigger/spec-sources.ts'
import { cancelRun, isActive, type StartedRun, startedKinds } from '../trigger/started-runs.ts'
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
    for (const cache of Object.values(startedKinds(caches))) {
      for (const run of cache.list(namespace)) {
        if (!isActiveFor(source, of, run)) continue
        await cancelRun(client, { cache, run }, signal)
        log.info('run cancelled: its issue is closed', { run: run.metadata.name })
      }
    }
    return {}
  }
}

/** Whether a trigger of the source started the run for the issue, and nobody has ended it. */
function isActiveFor({ metadata }: ImplementationSource, spec: string, run: StartedRun): boolean {
  const { labels, annotations } = run.metadata
  return (
    labels?.[specLabel] === labelValue(spec) &&
    labels[sourceLabel] === labelValue(metadata.name) &&
    annotations?.[eventAnnotation] !== undefined &&
    run.spec?.cancel !== true &&
    isActive(run)
  )
}
