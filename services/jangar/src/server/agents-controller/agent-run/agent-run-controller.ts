import { type KindController, runReconciler } from '@agents/controller'
import { type AgentRun, agentRunConditions } from '@agents/jangar-api'
import { formatTraceparent, noTracer } from '@agents/tracing'
import { runtimeCleanup } from '../labels.ts'
import type { AgentsPorts } from '../ports.ts'
import { Admission } from './admission/admission.ts'
import { clearJobs } from './afterwards/clear-jobs.ts'
import { retention } from './afterwards/retention.ts'
import { stopWork } from './afterwards/stop-work.ts'
import { accepted } from './gates/accepted.ts'
import { admitted } from './gates/admitted.ts'
import { started } from './gates/started.ts'
import { promptDigest } from './resolution/prompt-digest.ts'
import { resolveWork } from './resolution/resolve-work.ts'
import { runClaims } from './resolution/run-claims.ts'
import { runJobs } from './run-jobs.ts'
import { runLooks } from './run-look.ts'
import { runSources } from './run-sources.ts'
import type { Workshop } from './runtime/runtime.ts'
import { attemptContext, runTrace } from './trace/run-trace.ts'
import { tracedJobs } from './trace/traced-jobs.ts'
import { work } from './work.ts'
import { workObjects } from './workload/work-objects.ts'

/** AgentRuns: from what they ask for to what became of it. */
export function agentRunController(ports: AgentsPorts): KindController<AgentRun> {
  const { client, caches, clock, config, tracer = noTracer } = ports
  const jobs = tracedJobs(runJobs(ports), tracer)
  const traceparent = (run: AgentRun, job: string): string =>
    formatTraceparent(attemptContext(runTrace(run, tracer), job))
  const admission = new Admission({
    runs: caches.agentRuns,
    limits: config.agents,
    clock,
    hasWork: (run) => jobs.of(run).length > 0,
  })
  const claims = runClaims(caches.agentRuns)
  const workshop: Workshop = {
    resolve: (run, step) => resolveWork(run, step, { caches, config, claims }),
    build: (resolved, of) =>
      workObjects(resolved, of, config, tracer.isOn ? traceparent : undefined),
  }
  const looks = runLooks(jobs, workshop, (run, message) =>
    ports.events.record(run, { type: 'Warning', reason: 'AttemptFailed', action: 'Run', message }),
  )
  return {
    primary: caches.agentRuns,
    reconciler: runReconciler({
      kind: 'AgentRun',
      conditions: agentRunConditions,
      gates: [
        accepted(looks, jobs, promptDigest({ client, configMaps: caches.configMaps })),
        admitted(looks, jobs, admission),
        started(looks),
      ],
      work: work(looks),
      afterwards: [
        clearJobs(jobs, config.runner.jobTtlMs),
        retention({ client, defaultMs: config.agents.runRetentionMs }),
      ],
      // It is on its way while the ConfigMaps are, and there before the Job.
      finalize: { finalizer: runtimeCleanup, isAlongside: true, steps: [stopWork(jobs)] },
    }),
    sources: [admission.source, jobs.arrivals, ...runSources(caches)],
    workers: 32,
    gone: (key) => admission.gone(key),
    traceOf: (run) => runTrace(run, tracer).root,
  }
}
