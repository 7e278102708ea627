import type { Orchestration } from '@agents/jangar-api'
import type { KubeClient, ObjectKey } from '@agents/kube'
import { defineCommand } from '../cli/command.ts'
import { usageFailure } from '../cli/command-failure.ts'
import { exitCode } from '../cli/exit-code.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { findPlatformKind } from '../cluster/known-kinds.ts'
import { withCluster } from '../cluster/open-cluster.ts'
import { OrchestrationKind, OrchestrationRunKind } from '../graph/compose-orchestration-run.ts'
import { drawGraph } from '../graph/draw-graph.ts'
import { shownSteps } from '../graph/shown-steps.ts'

export const graphCommand = defineCommand({
  about:
    'Draws the steps of an Orchestration, or those of a run with what became of them. A step stands below the last step that it waits for.',
  arguments: [
    { name: 'KIND', offers: ['orchestration', 'orchestrationrun'] },
    { name: 'NAME', offers: 'object' },
  ],
  options: { ...clusterOptions },
  examples: [
    { does: 'show what an Orchestration does', line: 'agentctl graph orchestration nightly' },
    { does: 'show how far a run is', line: 'agentctl graph orchestrationrun nightly-1' },
  ],
  run: ({ values, positionals }, context) =>
    withCluster(values, context, async ({ client, namespace }) => {
      const [word = '', name = ''] = positionals
      const kind = findPlatformKind(word)?.kind
      const key = { namespace, name }
      const steps =
        kind === 'Orchestration'
          ? shownSteps((await client.get(OrchestrationKind, key, { signal: context.stop })).spec)
          : kind === 'OrchestrationRun'
            ? await stepsOfRun(client, key, context.stop)
            : undefined
      if (steps === undefined) {
        throw usageFailure(`${word} has no graph; use orchestration or orchestrationrun`)
      }
      const lines = steps.length === 0 ? ['no steps'] : drawGraph(steps)
      context.stdout.write(`${lines.join('\n')}\n`)
      return exitCode.done
    }),
})

/** A run that is not accepted yet has no graph of its own: what it would run now is shown. */
async function stepsOfRun(client: KubeClient, key: ObjectKey, signal: AbortSignal) {
  const { spec, status } = await client.get(OrchestrationRunKind, key, { signal })
  const frozen = status?.orchestration?.spec as Orchestration['spec'] | undefined
  if (frozen !== undefined) return shownSteps(frozen, status?.stepStatuses)
  const name = spec?.orchestrationRef.name
  if (name === undefined) return []
  return shownSteps((await client.get(OrchestrationKind, { ...key, name }, { signal })).spec)
}
