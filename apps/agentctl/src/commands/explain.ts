import type { AgentRun } from '@agents/jangar-api'
import { kindRef } from '@agents/kube'
import { defineCommand } from '../cli/command.ts'
import { usageFailure } from '../cli/command-failure.ts'
import { exitCode } from '../cli/exit-code.ts'
import { visibleJson } from '../cli/terminal-text.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { eventsOf } from '../cluster/events-of.ts'
import { findPlatformKind } from '../cluster/known-kinds.ts'
import { withCluster } from '../cluster/open-cluster.ts'
import { slotHolders } from '../explain/active-runs.ts'
import { type DecisionTrace, decisionTrace } from '../explain/decision-trace.ts'
import {
  explainedKind,
  explainLiving,
  headlineOf,
  type LivingObject,
} from '../explain/explain-living.ts'
import { warningsOfJob } from '../explain/job-warnings.ts'
import { renderTrace } from '../explain/render-trace.ts'
import { findUsualDuration } from '../explain/usual-duration.ts'
import { OrchestrationRunKind } from '../graph/compose-orchestration-run.ts'
import { explainOrchestrationRun } from '../graph/explain-orchestration-run.ts'
import { agentRuns, type ShownRun, shownKind } from '../run/run-kind.ts'

export const explainCommand = defineCommand({
  about:
    'Shows every condition of a run, an Orchestration or a Schedule with its reason and time, the position in the queue, how long past runs of the agent took, events, and what happens next.',
  arguments: [
    { name: 'KIND', offers: ['run', 'toolrun', 'orchestrationrun', 'orchestration', 'schedule'] },
    { name: 'NAME', offers: 'object' },
  ],
  options: {
    output: {
      type: 'string',
      short: 'o',
      value: 'FORMAT',
      choices: ['json'],
      help: 'Output format. If omitted, text is printed.',
    },
    ...clusterOptions,
  },
  examples: [{ does: 'find out why a run does not start', line: 'agentctl explain run first-run' }],
  run: ({ values, positionals }, context) =>
    withCluster(values, context, async ({ client, namespace }) => {
      const [word = '', name = ''] = positionals
      const kind = findPlatformKind(word)
      const show = (run: ShownRun, trace: DecisionTrace, first?: string): number => {
        if (values.output === 'json') {
          const word = first === undefined ? 'run' : 'object'
          const document = { [word]: { namespace, name }, ...trace }
          context.stdout.writeDocument(visibleJson(`${JSON.stringify(document, undefined, 2)}\n`))
        } else {
          context.stdout.write(renderTrace(run, trace, context.stdout.style, context.now(), first))
        }
        return exitCode.done
      }
      if (kind?.kind === OrchestrationRunKind.kind) {
        const { stop: signal } = context
        const run = await client.get(OrchestrationRunKind, { namespace, name }, { signal })
        const own = await eventsOf(client, { ...run, kind: OrchestrationRunKind.kind }, signal)
        const trace = explainOrchestrationRun(run, own, context.now())
        return show(run as unknown as ShownRun, trace)
      }
      const living = explainedKind(kind?.kind)
      if (kind !== undefined && living !== undefined) {
        const { stop: signal } = context
        const ref = kindRef<LivingObject>(kind)
        const object = await client.get(ref, { namespace, name }, { signal })
        const own = await eventsOf(client, { ...object, kind: ref.kind }, signal)
        const trace = explainLiving(living, object, own, context.now())
        return show(object as ShownRun, trace, headlineOf(object.status?.conditions))
      }
      const of = shownKind(kind?.kind)
      if (of === undefined) {
        throw usageFailure(
          `explain supports runs, orchestrations and schedules, not ${word}`,
          `For the conditions and events of anything else: agentctl describe ${kind?.singular ?? 'KIND'} ${name}`,
        )
      }
      const run = await client.get(of.kind, { namespace, name }, { signal: context.stop })
      const [own, jobEvents, holders, usual] = await Promise.all([
        eventsOf(client, { ...run, kind: of.kind.kind }, context.stop),
        warningsOfJob(client, run, context.stop),
        of === agentRuns ? slotHolders(client, run as AgentRun, context.stop) : [],
        of === agentRuns
          ? findUsualDuration(client, run as AgentRun, context.now(), context.stop)
          : undefined,
      ])
      const trace = decisionTrace(run, own, context.now(), { jobEvents, holders, usual, of })
      return show(run, trace)
    }),
})
