import {
  type Clock,
  type EventRecorder,
  type KindController,
  type ResourceCache,
  runReconciler,
} from '@agents/controller'
import { runCleanupFinalizer, type ToolRun, toolRunConditions } from '@agents/jangar-api'
import type { KubeClient } from '@agents/kube'
import type { Logger } from '@agents/log'
import { formatTraceparent, noTracer, type Tracer } from '@agents/tracing'
import type { ControllersConfig } from '../../../config/controllers.ts'
import { Admission } from '../../admission/admission.ts'
import { DecisionGuard } from '../../approvals/decision-guard.ts'
import { RunApprovals } from '../../approvals/run-approvals.ts'
import type { BudgetBook } from '../../budgets/budget-book.ts'
import type { ApprovalCaches } from '../../caches/approval-caches.ts'
import type { CoreCaches } from '../../caches/core-caches.ts'
import type { OrchestrationCaches } from '../../caches/orchestration-caches.ts'
import { attemptJobs } from '../../jobs/attempt-jobs.ts'
import { awaitedSources } from '../../jobs/awaiting-runs.ts'
import { clearJobs } from '../../jobs/clear-jobs.ts'
import { jobSources } from '../../jobs/job-sources.ts'
import { workVerdict } from '../../jobs/progress-verdict.ts'
import { jobTtlMs, runtimeRefOf } from '../../jobs/runtime-ref.ts'
import { stopJobs } from '../../jobs/stop-jobs.ts'
import { retention } from '../../kubernetes/retention.ts'
import { archivedFirst, type RunArchive } from '../../kubernetes/run-archive.ts'
import { runClaims } from '../../kubernetes/run-claims.ts'
import type { IsPlatformAccount } from '../../primitives-policy/service-accounts.ts'
import { attemptContext, runTrace } from '../../trace/run-trace.ts'
import { tracedJobs } from '../../trace/traced-jobs.ts'
import { toolRunContent } from './approval-content.ts'
import { toolRunIndexers } from './duplicate-delivery.ts'
import { accepted } from './gates/accepted.ts'
import { admitted } from './gates/admitted.ts'
import { started } from './gates/started.ts'
import { resolveToolRun } from './resolve-tool-run.ts'
import { specOf, type ToolWork } from './tool-resolution.ts'
import type { ToolRunDetail } from './tool-run-detail.ts'
import { toolRunKind } from './tool-run-kind.ts'
import { type ToolRunScope, toolRunScope } from './tool-run-scope.ts'
import { toolRunTrace } from './tool-run-trace.ts'

export interface ToolRunPorts {
  readonly client: KubeClient
  readonly caches: Pick<
    OrchestrationCaches,
    'tools' | 'toolRuns' | 'memories' | 'versionControlProviders' | 'secretBindings'
  > &
    ApprovalCaches &
    CoreCaches
  readonly events: EventRecorder
  readonly log: Logger
  readonly clock: Clock
  readonly config: Pick<ControllersConfig, 'agents' | 'runner'> &
    Partial<Pick<ControllersConfig, 'approvals' | 'pod'>>
  /** If omitted, runs are not archived. */
  readonly archive?: RunArchive<ToolRun> | undefined
  /** If omitted, Budgets are not enforced. */
  readonly budgets?: BudgetBook | undefined
  /** Recognises the platform's own service accounts, which no run may use. */
  readonly isPlatformAccount: IsPlatformAccount
  /** If omitted, nothing is traced. */
  readonly tracer?: Tracer | undefined
}

/** Reconciles ToolRuns: accepted → admitted → started → finished. The Started gate creates the Job. */
export function toolRunController(ports: ToolRunPorts): KindController<ToolRun> {
  const { budgets, client, caches, clock, config, events, isPlatformAccount, log } = ports
  const { archive, tracer = noTracer } = ports
  const { toolRuns } = caches
  const jobs = tracedJobs(
    attemptJobs<ToolRun>({ client, caches, kind: toolRunKind, log }),
    toolRunTrace,
    tracer,
  )
  const traceparent = tracer.isOn
    ? (run: ToolRun, job: string): string =>
        formatTraceparent(attemptContext(runTrace(run, tracer), job))
    : undefined
  const admission = new Admission<ToolRun>({
    runs: toolRuns,
    limits: config.agents,
    clock,
    demandOf: () => ({}),
    priorityOf: (run) => Number(specOf(run).priority ?? 0),
    isCancelled: (run) => specOf(run).cancel === true,
    hasJobs: (run) => jobs.of(run).length > 0,
  })
  toolRuns.addIndexers(toolRunIndexers)
  const claims = runClaims(toolRuns)
  const resolve = (run: ToolRun) =>
    resolveToolRun(run, { caches, config, claims, isPlatformAccount })
  const approvals = new RunApprovals<ToolRun>(
    {
      ...{ client, caches, clock },
      guard: new DecisionGuard({ client, clock }),
      allowUnverified: config.approvals?.allowUnverified ?? false,
    },
    {
      subjectsOf: (run) => [
        { kind: 'ToolRun', name: run.metadata.name },
        ...named('Tool', specOf(run).toolRef?.name),
      ],
    },
  )
  const startProblem = (run: ToolRun, work: ToolWork) =>
    approvals.startProblem(run, toolRunContent(work))
  const approved = approvals.policy((_run, scope: ToolRunScope) => {
    const resolution = scope.resolution()
    return resolution.kind === 'resolved' ? toolRunContent(resolution.work) : undefined
  })
  const onFailedAttempt = (run: ToolRun, message: string): void =>
    events.record(run, { type: 'Warning', reason: 'AttemptFailed', action: 'Run', message })
  const { runner } = config
  const budgetStop = budgets && ((run: ToolRun) => budgets.stopOf('ToolRun', run))
  return {
    primary: toolRuns,
    reconciler: runReconciler({
      kind: 'ToolRun',
      conditions: toolRunConditions,
      scope: (run: ToolRun, context): ToolRunScope =>
        toolRunScope(run, context, {
          jobs,
          resolve,
          claims,
          runner,
          traceparent,
          startProblem,
          budgetStop,
          onFailedAttempt,
        }),
      gates: [
        accepted(jobs),
        admitted(admission, [
          approved,
          ...(budgets ? [(run: ToolRun) => budgets.admitToolRun(run)] : []),
        ]),
        started,
      ],
      work: async (_run: ToolRun, _detail: Partial<ToolRunDetail>, { scope }) =>
        workVerdict(await scope.progress(), { isUrgent: scope.isUrgent() }),
      afterwards: [
        approvals.withdrawal,
        clearJobs(jobs, (run) => jobTtlMs(run, runner.jobTtlMs)),
        retention({
          client,
          archive,
          kind: toolRuns.kind,
          keptMs: (run) => {
            const seconds = specOf(run).ttlSecondsAfterFinished
            return seconds === undefined ? config.agents.runRetentionMs : seconds * 1000
          },
        }),
      ],
      events: 'warnings',
      finalize: {
        finalizer: runCleanupFinalizer,
        isAlongside: true,
        steps: [stopJobs(jobs), ...archivedFirst(archive)],
      },
    }),
    sources: [
      admission.source,
      jobs.arrivals,
      ...(archive ? [archive.stored] : []),
      ...approvals.sources(toolRuns),
      ...(budgets ? [budgets.sourceOf('ToolRun')] : []),
      ...jobSources(caches, toolRunKind),
      ...awaitedSources(
        toolRuns,
        [
          caches.tools,
          caches.memories,
          caches.secrets,
          caches.secretBindings,
        ] as readonly ResourceCache[],
        (run) => runtimeRefOf(run)?.task?.phase === 'Running',
      ),
    ],
    workers: 16,
    gone: (key) => admission.forget(key),
    traceOf: (run) => runTrace(run, tracer).root,
  }
}

function named(kind: string, name: string | undefined) {
  return name === undefined ? [] : [{ kind, name }]
}
