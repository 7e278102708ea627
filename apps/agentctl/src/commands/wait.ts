import type { Condition, KindRef, KubeObject, ObjectKey } from '@agents/kube'
import { isFinished } from '@agents/status'
import { defineCommand } from '../cli/command.ts'
import { CommandFailure } from '../cli/command-failure.ts'
import { parseDuration } from '../cli/duration.ts'
import { exitCode } from '../cli/exit-code.ts'
import { clusterOptions } from '../cluster/cluster-options.ts'
import { findKind } from '../cluster/known-kinds.ts'
import { observe } from '../cluster/observe.ts'
import { type Cluster, withCluster } from '../cluster/open-cluster.ts'
import { objectName } from '../cluster/show-objects.ts'
import { stoppable } from '../cluster/stoppable.ts'
import {
  conditionOf,
  conditionsOf,
  parseGoal,
  type WaitGoal,
  whereItStands,
} from '../cluster/wait-goal.ts'

export const waitCommand = defineCommand({
  name: 'wait',
  summary: 'Wait until objects are as they should be',
  about:
    'A condition that can no longer come about, such as Succeeded of a run that has failed, ends the wait at once with exit code 1.',
  arguments: [
    { name: 'KIND', offers: 'kind' },
    { name: 'NAME', rest: true, offers: 'object' },
  ],
  options: {
    for: {
      type: 'string',
      value: 'WHAT',
      help: 'condition=TYPE, condition=TYPE=STATUS or delete; else condition=Ready, which for a run means Succeeded.',
    },
    timeout: { type: 'string', value: 'TIME', help: 'How long; else 30s. 0 looks once.' },
    quiet: { type: 'boolean', short: 'q', help: 'Say nothing when it has come about.' },
    ...clusterOptions,
  },
  examples: [
    {
      does: 'until a run is over, however it ends',
      line: 'agentctl wait run first-run --for=condition=Finished --timeout=10m',
    },
  ],
  run: ({ values, positionals }, world) =>
    withCluster(values, world, async (cluster) => {
      const [word = '', ...names] = positionals
      const goal = parseGoal(values.for ?? 'condition=Ready')
      const timeoutMs = parseDuration('--timeout', values.timeout ?? '30s')
      const kind = await findKind(word, cluster.client)
      const namespace = kind.namespaced ? cluster.namespace : undefined
      await Promise.all(
        names.map(async (name) => {
          const advice: string[] = []
          const waits = { what: `${goal.text} of ${kind.kind.toLowerCase()}/${name}`, advice }
          const seen = (object: KubeObject | undefined): void => {
            advice.splice(0, advice.length, ...whereItStands(object, goal))
          }
          // Looking once still takes a moment.
          const met = await stoppable(world, Math.max(timeoutMs, 1000), waits, (signal) =>
            untilMet(cluster, kind, { namespace, name }, goal, seen, signal),
          )
          if (!values.quiet) world.stdout.write(`${met}\n`)
        }),
      )
      return exitCode.done
    }),
})

async function untilMet(
  { client }: Cluster,
  kind: KindRef,
  key: ObjectKey,
  goal: WaitGoal,
  seen: (object: KubeObject | undefined) => void,
  signal: AbortSignal,
): Promise<string> {
  // What is not there at all is a mistake of the caller, unless that is what is waited for.
  if (goal.is === 'condition') seen(await client.get(kind, key, { signal }))
  const judged = (object: KubeObject | undefined): string | undefined => {
    seen(object)
    return answer(object, goal, kind, key)
  }
  return await observe(client, kind, key, judged, signal)
}

function answer(
  object: KubeObject | undefined,
  goal: WaitGoal,
  kind: KindRef,
  key: ObjectKey,
): string | undefined {
  const name = `${kind.kind.toLowerCase()}/${key.name}`
  if (goal.is === 'deleted') return object === undefined ? `${name} deleted` : undefined
  if (object === undefined) throw new CommandFailure(`${name} was deleted while it was waited for`)
  const current = conditionOf(object, goal.type)
  if (current?.status.toLowerCase() === goal.status && isOfNow(object, current)) {
    return `${objectName(object)} condition met`
  }
  if (isFinished(conditionsOf(object))) {
    const state =
      current === undefined
        ? 'has no such condition'
        : `says ${current.status}: ${current.reason}, ${current.message}`
    throw new CommandFailure(`${name} has ended and ${state}`)
  }
  return undefined
}

function isOfNow({ metadata }: KubeObject, { observedGeneration }: Condition): boolean {
  return observedGeneration === undefined || observedGeneration >= (metadata.generation ?? 0)
}
