import { defineCommand } from '../cli/command.ts'
import { usageFailure } from '../cli/command-failure.ts'
import { exitCode } from '../cli/exit-code.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { eventsOf } from '../cluster/events-of.ts'
import { findPlatformKind } from '../cluster/known-kinds.ts'
import { withCluster } from '../cluster/open-cluster.ts'
import { decisionTrace } from '../explain/decision-trace.ts'
import { renderTrace } from '../explain/render-trace.ts'
import { workEvents } from '../explain/work-events.ts'
import { AgentRunKind } from '../run/run-kind.ts'

export const explainCommand = defineCommand({
  name: 'explain',
  summary: 'Say why a run stands where it stands',
  about:
    'Every gate that it must pass, when and why; its place in the queue; what happened; and what comes next.',
  arguments: [
    { name: 'run', offers: ['run'] },
    { name: 'NAME', offers: { namesOf: 'agentruns' } },
  ],
  options: {
    output: {
      type: 'string',
      short: 'o',
      value: 'FORMAT',
      choices: ['json'],
      help: 'How to show it; else as text.',
    },
    ...clusterOptions,
  },
  examples: [{ does: 'why does it not start?', line: 'agentctl explain run first-run' }],
  run: ({ values, positionals }, world) =>
    withCluster(values, world, async ({ client, namespace }) => {
      const [word = '', name = ''] = positionals
      const kind = findPlatformKind(word)
      if (kind?.kind !== 'AgentRun') {
        throw usageFailure(
          `only runs are explained, not ${word}`,
          `For the conditions and events of anything else: agentctl describe ${kind?.singular ?? 'KIND'} ${name}`,
        )
      }
      const run = await client.get(AgentRunKind, { namespace, name }, { signal: world.stop })
      const [own, ofWork] = await Promise.all([
        eventsOf(client, { ...run, kind: 'AgentRun' }, world.stop),
        workEvents(client, run, world.stop),
      ])
      const trace = decisionTrace(run, own, world.now(), ofWork)
      world.stdout.write(
        values.output === 'json'
          ? `${JSON.stringify({ run: { namespace, name }, ...trace }, undefined, 2)}\n`
          : renderTrace(run, trace, world.stdout.style, world.now()),
      )
      return exitCode.done
    }),
})
