import { type Clock, type KindController, runReconciler, systemClock } from '@agents/controller'
import {
  type OrchestrationRun,
  orchestrationRunConditions,
  runCleanupFinalizer,
} from '@agents/jangar-api'
import { formatKey, type KubeClient } from '@agents/kube'
import { formatTraceparent, noTracer, type Tracer } from '@agents/tracing'
import { DecisionGuard } from '../../approvals/decision-guard.ts'
import { RunApprovals } from '../../approvals/run-approvals.ts'
import type { OrchestrationCaches } from '../../caches/orchestration-caches.ts'
import { referrersSource } from '../../kubernetes/referrers-source.ts'
import { retention } from '../../kubernetes/retention.ts'
import { archivedFirst, type RunArchive } from '../../kubernetes/run-archive.ts'
import { runTrace } from '../../trace/run-trace.ts'
import { type Advanced, advanceRun } from './advance-run.ts'
import { orchestrationRunContent } from './approval-content.ts'
import { childKinds } from './child-kinds.ts'
import { ConfirmedVersions } from './confirmed-versions.ts'
import { FrozenGraphs } from './frozen-graph.ts'
import { accepted } from './gates/accepted.ts'
import { admitted } from './gates/admitted.ts'
import { started } from './gates/started.ts'
import { RunChildren, type StepTraceparent } from './run-children.ts'
import type { OrchestrationRunDetail, OrchestrationRunScope } from './run-detail.ts'
import { SignalWaits } from './signal-waits.ts'
import { stepContext } from './trace/orchestration-run-trace.ts'
import { verdictOf } from './verdict.ts'

export interface OrchestrationRunPorts {
  readonly client: KubeClient
  readonly caches: OrchestrationCaches
  readonly clock?: Clock
  /** If omitted, approvals count only if the API server verifies who decides. */
  readonly allowUnverifiedApprovals?: boolean | undefined
  /** For runs without `spec.ttlSecondsAfterFinished`, in milliseconds. 0: runs are kept. */
  readonly runRetentionMs: number
  /** If omitted, runs are not archived. */
  readonly archive?: RunArchive<OrchestrationRun> | undefined
  /** If omitted, nothing is traced. */
  readonly tracer?: Tracer | undefined
}

/**
 * Reconciles OrchestrationRuns: observes the children, plans, creates or stops children, and writes the status once.
 * Its finalizer keeps a finished run until it is archived, and there is none without an archive: the children are
 * deleted with the run, and AgentRuns stop their Jobs before they go.
 */
export function orchestrationRunController({
  client,
  caches,
  clock = systemClock,
  allowUnverifiedApprovals: allowUnverified = false,
  runRetentionMs,
  archive,
  tracer = noTracer,
}: OrchestrationRunPorts): KindController<OrchestrationRun> {
  const { orchestrationRuns } = caches
  const traceparent: StepTraceparent = (run, step) =>
    formatTraceparent(stepContext(runTrace(run, tracer), step))
  const children = new RunChildren(
    client,
    childKinds(caches, clock),
    tracer.isOn ? traceparent : undefined,
  )
  const waits = new SignalWaits(caches.signalDeliveries)
  const graphs = new FrozenGraphs()
  const guard = new DecisionGuard({ client, clock })
  const approvals = new RunApprovals<OrchestrationRun>(
    { client, caches, clock, guard, allowUnverified },
    {
      subjectsOf: ({ metadata, spec }) => [
        { kind: 'OrchestrationRun', name: metadata.name },
        { kind: 'Orchestration', name: spec?.orchestrationRef?.name ?? '' },
      ],
    },
  )
  const versions = new ConfirmedVersions(client, orchestrationRuns.kind, clock)
  const ports = { runs: orchestrationRuns, versions, children, waits }
  const forget = (key: string): void => {
    waits.forget(key)
    versions.forget(key)
  }
  return {
    primary: orchestrationRuns,
    reconciler: runReconciler({
      kind: 'OrchestrationRun',
      conditions: orchestrationRunConditions,
      scope: (run, context): OrchestrationRunScope => {
        let advanced: Promise<Advanced> | undefined
        return {
          advance: async () => {
            const graph = graphs.graphOf(run)
            if (graph === undefined) return undefined
            advanced ??= advanceRun(run, graph, ports, context)
            return advanced
          },
        }
      },
      gates: [accepted(caches), admitted([approvals.policy(orchestrationRunContent)]), started],
      work: async (_run, _detail: Partial<OrchestrationRunDetail>, { scope, now }) => {
        const advanced = await scope.advance()
        if (advanced === undefined) throw new TypeError('a run has started without its graph')
        return verdictOf(advanced, now)
      },
      afterwards: [
        approvals.withdrawal,
        {
          name: 'forget what is known of the run',
          run: ({ metadata }) => {
            forget(formatKey(metadata))
            return { kind: 'done' }
          },
        },
        retention({
          client,
          archive,
          kind: orchestrationRuns.kind,
          keptMs: ({ spec }) => {
            const { ttlSecondsAfterFinished: seconds } = spec
            return seconds === undefined ? runRetentionMs : Number(seconds) * 1000
          },
        }),
      ],
      events: 'warnings',
      finalize: {
        finalizer: runCleanupFinalizer,
        isAdded: archive !== undefined,
        steps: archivedFirst(archive),
      },
    }),
    sources: [
      ...(archive ? [archive.stored] : []),
      ...children.sources,
      waits.source,
      ...approvals.sources(orchestrationRuns),
      referrersSource('orchestration', caches.orchestrations, orchestrationRuns, (run) =>
        run.status?.orchestration === undefined ? [run.spec?.orchestrationRef?.name] : [],
      ),
    ],
    workers: 8,
    gone: forget,
    traceOf: (run) => runTrace(run, tracer).root,
  }
}
