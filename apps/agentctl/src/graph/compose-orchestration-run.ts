import type { Orchestration, OrchestrationRun } from '@agents/jangar-api'
import { type KindRef, kindRef, type New } from '@agents/kube'
import { usageFailure } from '../cli/command-failure.ts'
import { nearestWord } from '../cli/nearest-word.ts'
import { platformKind } from '../cluster/known-kinds.ts'
import { nameFrom, pairsOf, wholeNumber } from '../run/run-flags.ts'

export const OrchestrationKind: KindRef<Orchestration> = kindRef<Orchestration>(
  platformKind('Orchestration'),
)
export const OrchestrationRunKind: KindRef<OrchestrationRun> = kindRef<OrchestrationRun>(
  platformKind('OrchestrationRun'),
)

interface OrchestrationRunRequest {
  readonly orchestration: string
  readonly name?: string | undefined
  /** `key=value` */
  readonly parameters: readonly string[]
  readonly timeoutMs?: number | undefined
  readonly priority?: string | undefined
  /** `key=value` */
  readonly labels?: readonly string[]
  /** Flags that only other runs have, and their values. */
  readonly others: Readonly<Record<string, unknown>>
}

type NewRun = New<OrchestrationRun> & { metadata: { name: string } }

/** The run of an Orchestration that the flags describe. */
export function composeOrchestrationRun(
  request: OrchestrationRunRequest,
  namespace: string,
): NewRun {
  const { orchestration, name, timeoutMs, priority, labels, others } = request
  const [other] = Object.entries(others).find(([, value]) => isGiven(value)) ?? []
  if (other !== undefined) {
    throw usageFailure(`--orchestration and --${other} cannot be used together`)
  }
  const parameters = pairsOf('--param', request.parameters)
  return {
    metadata: {
      name: name ?? nameFrom(`${orchestration}-`),
      namespace,
      labels: pairsOf('--label', labels ?? []),
    },
    spec: {
      orchestrationRef: { name: orchestration },
      ...(Object.keys(parameters).length > 0 && { parameters }),
      ...(timeoutMs !== undefined && { timeoutSeconds: Math.ceil(timeoutMs / 1000) }),
      ...(priority !== undefined && { priority: wholeNumber('--priority', priority, -(2 ** 31)) }),
    },
  }
}

/** A run that takes over what a finished one achieved. The given steps, and those that follow them, run again. */
export function resumedRun(run: OrchestrationRun, steps: readonly string[]): NewRun {
  const { name, namespace, labels } = run.metadata
  const graph = run.status?.orchestration?.spec as Partial<Orchestration['spec']> | undefined
  const known = (graph?.steps ?? []).map((step) => step.name)
  const unknown = steps.find((step) => !known.includes(step))
  if (unknown !== undefined) {
    const near = nearestWord(unknown, known)
    const advice = near === undefined ? [] : [`Did you mean ${near}?`]
    throw usageFailure(`${name} has no step ${unknown}`, ...advice)
  }
  const { cancel, deliveryId, resumeFrom, ...spec } = run.spec
  return {
    metadata: {
      name: nameFrom(`${spec.orchestrationRef.name}-`),
      ...(namespace !== undefined && { namespace }),
      ...(labels && { labels: ownLabels(labels) }),
    },
    spec: { ...spec, resumeFrom: { name, ...(steps.length > 0 && { steps: [...steps] }) } },
  }
}

/** Labels of the platform say what created a run: another run, or a schedule. */
function ownLabels(labels: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(labels).filter(([key]) => !/^([^/]+\.)?proompteng\.ai\//.test(key)),
  )
}

function isGiven(value: unknown): boolean {
  return value !== undefined && !(Array.isArray(value) && value.length === 0)
}
