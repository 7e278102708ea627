import { type KindController, runReconciler } from '@agents/controller'
import { type AgentRun, agentRunConditions, runCleanupFinalizer } from '@agents/jangar-api'
import { formatKey } from '@agents/kube'
import { formatTraceparent, noTracer } from '@agents/tracing'
import { Admission } from '../../admission/admission.ts'
import { DecisionGuard } from '../../approvals/decision-guard.ts'
import { RunApprovals } from '../../approvals/run-approvals.ts'
import { attemptJobs } from '../../jobs/attempt-jobs.ts'
import { clearJobs } from '../../jobs/clear-jobs.ts'
import { jobTtlMs } from '../../jobs/runtime-ref.ts'
import { stopJobs } from '../../jobs/stop-jobs.ts'
import { retention } from '../../kubernetes/retention.ts'
import { archivedFirst } from '../../kubernetes/run-archive.ts'
import { runClaims } from '../../kubernetes/run-claims.ts'
import { attemptContext, runTrace } from '../../trace/run-trace.ts'
import { tracedJobs } from '../../trace/traced-jobs.ts'
import type { AgentsPorts } from '../ports.ts'
import { wantsPullRequest } from '../version-control-provider/wants-pull-request.ts'
import { agentRunKind } from './agent-run-kind.ts'
import { agentRunTrace } from './agent-run-trace.ts'
import { approvedContent } from './approved-content.ts'
import { accepted } from './gates/accepted.ts'
import { admitted } from './gates/admitted.ts'
import { finished } from './gates/finished.ts'
import type { WantsPullRequest } from './gates/run-outcome.ts'
import { type CreateOrObserveJob, started } from './gates/started.ts'
import { contentDigests, readOnce } from './resolve/content-digests.ts'
import { promptDigest } from './resolve/prompt-digest.ts'
import { resolveWork } from './resolve/resolve-work.ts'
import { runIndexers } from './resolve/run-indexers.ts'
import { demandOf } from './run-demand.ts'
import { type RunScope, runScope, worksOf } from './run-scope.ts'
import { runSources } from './run-sources.ts'
import type { WorkFactory } from './runtime/runtime.ts'
import { verifiedVolumes } from './workload/mapped-volumes.ts'
import { workObjects } from './workload/work-objects.ts'

/** Reconciles AgentRuns: accepted → admitted → started → finished. The Started gate creates the Job. */
export function agentRunController(ports: AgentsPorts): KindController<AgentRun> {
  const { client, caches, clock, config, isPlatformAccount, log, tracer = noTracer } = ports
  const jobs = tracedJobs(
    attemptJobs<AgentRun>({ client, caches, kind: agentRunKind, log }),
    agentRunTrace,
    tracer,
  )
  const traceparent = (run: AgentRun, job: string): string =>
    formatTraceparent(attemptContext(runTrace(run, tracer), job))
  const admission = new Admission<AgentRun>({
    runs: caches.agentRuns,
    limits: config.agents,
    clock,
    demandOf: (run) => demandOf(run, caches),
    priorityOf: ({ spec }) => Number(spec.priority ?? 0),
    isCancelled: ({ spec }) => spec.cancel === true,
    hasJobs: (run) => jobs.of(run).length > 0,
  })
  caches.agentRuns.addIndexers(runIndexers)
  const { archive, budgets } = ports
  const budgetStop = budgets && ((run: AgentRun) => budgets.stopOf('AgentRun', run))
  const claims = runClaims(caches.agentRuns)
  const resolve: WorkFactory['resolve'] = (run, step) =>
    resolveWork(run, step, { caches, config, claims, isPlatformAccount })
  const digests = contentDigests({ client, configMaps: caches.configMaps })
  const approvals = new RunApprovals<AgentRun>(
    {
      ...{ client, caches, clock },
      guard: new DecisionGuard({ client, clock }),
      allowUnverified: config.approvals?.allowUnverified ?? false,
    },
    {
      subjectsOf: ({ metadata, spec }) => [
        { kind: 'AgentRun', name: metadata.name },
        { kind: 'Agent', name: spec.agentRef.name },
      ],
    },
  )
  const factory: WorkFactory = {
    resolve,
    permit: async (run, work, signal) => {
      if (!approvals.concerns(run)) return { kind: 'permitted', verified: [] }
      const read = readOnce(digests)
      // The work that is about to be used, and not what its references contain by now.
      const works = run.spec.runtime.type === 'workflow' ? worksOf(run, { resolve }) : [work]
      const content =
        works && (await approvedContent(run, works, { digests: read, config, signal }))
      const message = approvals.startProblem(run, content)
      if (message !== undefined) return { kind: 'refused', message }
      const verified = (await verifiedVolumes(work, read, signal)) ?? []
      return { kind: 'permitted', verified }
    },
    build: (work, of) => workObjects(work, of, config, tracer.isOn ? traceparent : undefined),
  }
  const onFailedAttempt = (run: AgentRun, message: string): void =>
    ports.events.record(run, { type: 'Warning', reason: 'AttemptFailed', action: 'Run', message })
  const createOrObserveJob: CreateOrObserveJob = (scope) => scope.createOrObserveJob()
  return {
    primary: caches.agentRuns,
    reconciler: runReconciler({
      kind: 'AgentRun',
      conditions: agentRunConditions,
      scope: (run, context) =>
        runScope(run, context, { jobs, factory, claims, budgetStop, onFailedAttempt }),
      gates: [
        accepted(jobs, promptDigest({ client, configMaps: caches.configMaps })),
        admitted(
          admission,
          [
            approvals.policy(async (run, scope: RunScope, signal) => {
              const works = scope.works()
              return works && approvedContent(run, works, { digests, config, signal })
            }),
            ...(budgets ? [(run: AgentRun) => budgets.admitAgentRun(run)] : []),
          ],
          caches,
        ),
        started(createOrObserveJob),
      ],
      work: finished(createOrObserveJob, proposes(caches)),
      afterwards: [
        approvals.withdrawal,
        clearJobs(jobs, (run) => jobTtlMs(run, config.runner.jobTtlMs)),
        retention({
          client,
          archive,
          kind: caches.agentRuns.kind,
          keptMs: ({ spec: { ttlSecondsAfterFinished: seconds } }) =>
            seconds === undefined ? config.agents.runRetentionMs : seconds * 1000,
        }),
      ],
      events: 'warnings',
      // Where no admission policy adds the finalizer to new runs, it is added before the Job is created.
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
      ...runSources(caches),
      ...approvals.sources(caches.agentRuns),
      ...(budgets ? [budgets.sourceOf('AgentRun')] : []),
    ],
    workers: 32,
    gone: (key) => admission.forget(key),
    traceOf: (run) => runTrace(run, tracer).root,
  }
}

function proposes({ versionControlProviders }: AgentsPorts['caches']): WantsPullRequest {
  return ({ metadata: { namespace } }, vcs) => {
    const name = vcs.provider ?? ''
    const provider = versionControlProviders.get(formatKey({ namespace, name }))
    return provider !== undefined && wantsPullRequest(provider, vcs)
  }
}
