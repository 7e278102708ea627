import type { ToolRun } from '@agents/jangar-api'
import type { New } from '@agents/kube'
import { usageFailure } from '../cli/command-failure.ts'
import { nameFrom, pairsOf, wholeNumber } from './run-flags.ts'

interface ToolRunRequest {
  readonly tool: string
  readonly name?: string | undefined
  /** `key=value` */
  readonly parameters: readonly string[]
  readonly timeoutMs?: number | undefined
  readonly retries?: string | undefined
  readonly priority?: string | undefined
  /** `key=value` */
  readonly labels?: readonly string[]
  /** Flags that only runs of agents have, and their values. */
  readonly others: Readonly<Record<string, unknown>>
}

/** The run of a tool that the flags describe. */
export function composeToolRun(
  request: ToolRunRequest,
  namespace: string,
): New<ToolRun> & { metadata: { name: string } } {
  const { tool, name, parameters: given, timeoutMs, retries, priority, labels, others } = request
  const [other] = Object.entries(others).find(([, value]) => isGiven(value)) ?? []
  if (other !== undefined) throw usageFailure(`--tool and --${other} cannot be used together`)
  const parameters = pairsOf('--param', given)
  return {
    metadata: {
      name: name ?? nameFrom(`${tool}-`),
      namespace,
      labels: pairsOf('--label', labels ?? []),
    },
    spec: {
      toolRef: { name: tool },
      ...(Object.keys(parameters).length > 0 && { parameters }),
      ...(timeoutMs !== undefined && { timeoutSeconds: Math.ceil(timeoutMs / 1000) }),
      ...(retries !== undefined && { retries: wholeNumber('--retries', retries, 0) }),
      ...(priority !== undefined && { priority: wholeNumber('--priority', priority, -(2 ** 31)) }),
    },
  }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && !(Array.isArray(value) && value.length === 0)
}
