import type { KindRef, KubeObject, ObjectKey } from '@agents/kube'
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
  currentState,
  isCurrent,
  parseGoal,
  stallOf,
  type WaitGoal,
} from '../cluster/wait-goal.ts'

export const waitCommand = defineCommand({
  about:
    'The command fails at once with exit code 1 if the condition can no longer be met, such as Succeeded of a failed run, or if the object is stalled: it then needs a change before it can meet the condition.',
  arguments: [
    { name: 'KIND', offers: 'kind' },
    { name: 'NAME', rest: true, offers: 'object' },
  ],
  options: {
    for: {
      type: 'string',
      value: 'WHAT',
      help: 'condition=TYPE, condition=TYPE=STATUS or delete. Defaults to condition=Ready, which for a run means Succeeded.',
    },
    timeout: {
      type: 'string',
      value: 'TIME',
      help: 'How long to wait. Defaults to 30s; 0 checks once.',
    },
    quiet: { type: 'boolean', short: 'q', help: 'Print nothing on success.' },
    ...clusterOptions,
  },
  examples: [
    {
      does: 'wait until a run has ended, whatever its outcome',
      line: 'agentctl wait run first-run --for=condition=Finished --timeout=10m',
    },
  ],
  run: ({ values, positionals }, context) =>
    withCluster(values, context, async (cluster) => {
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
            advice.splice(0, advice.length, ...currentState(object, goal))
          }
          // A single check also takes some time.
          const met = await stoppable(context, Math.max(timeoutMs, 1000), waits, (signal) =>
            untilMet(cluster, kind, { namespace, name }, goal, seen, signal),
          )
          if (!values.quiet) context.stdout.write(`${met}\n`)
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
  // A missing object is an error, unless its deletion is awaited.
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
  if (object === undefined) throw new CommandFailure(`${name} was deleted while waiting for it`)
  const current = conditionOf(object, goal.type)
  if (current?.status.toLowerCase() === goal.status && isCurrent(object, current)) {
    return `${objectName(object)} condition met`
  }
  if (isFinished(conditionsOf(object))) {
    const state =
      current === undefined
        ? `has no condition ${goal.type}`
        : `its condition ${current.type} is ${current.status}: ${current.reason}, ${current.message}`
    throw new CommandFailure(`${name} has ended and ${state}`)
  }
  const stalled = stallOf(object, goal)
  if (stalled !== undefined) {
    throw new CommandFailure(`${name} is stalled: ${stalled.reason}, ${stalled.message}`)
  }
  return undefined
}
