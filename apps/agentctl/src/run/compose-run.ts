import { randomBytes } from 'node:crypto'
import type { AgentRun } from '@agents/jangar-api'
import type { New } from '@agents/kube'
import { usageFailure } from '../cli/command-failure.ts'

export interface RunWishes {
  readonly name?: string | undefined
  readonly agent?: string | undefined
  /** What to do, in words. */
  readonly text?: string | undefined
  /** Name of an ImplementationSpec. */
  readonly spec?: string | undefined
  readonly image?: string | undefined
  /** `key=value` */
  readonly parameters: readonly string[]
  readonly timeoutMs?: number | undefined
}

/** The run that the flags describe, laid over the one from a file where there is one. */
export function composeRun(
  wishes: RunWishes,
  namespace: string,
  base?: AgentRun,
): New<AgentRun> & { metadata: { name: string } } {
  const spec = {
    runtime: { type: 'job' as const },
    ...(base && outranked(base.spec, wishes)),
    ...flagsOf(wishes, base?.spec),
  }
  if (spec.agentRef === undefined) {
    throw usageFailure(
      'which agent is to do it? Name it with --agent',
      'agentctl get agents lists those that there are.',
    )
  }
  if (spec.implementation === undefined && spec.implementationSpecRef === undefined) {
    throw usageFailure(
      'what is it to do? Say it with --text, or name an ImplementationSpec with --spec',
      'agentctl get implementationspecs lists those that there are.',
    )
  }
  const parameters = { ...base?.spec.parameters, ...parametersOf(wishes.parameters) }
  const { agentRef } = spec
  return {
    metadata: {
      labels: {},
      ...base?.metadata,
      name: wishes.name ?? base?.metadata.name ?? nameAfter(agentRef.name),
      namespace: base?.metadata.namespace ?? namespace,
    },
    spec: { ...spec, agentRef, ...(Object.keys(parameters).length > 0 && { parameters }) },
  }
}

const longestName = 253

function nameAfter(agent: string): string {
  const end = `-${suffix()}`
  // What is cut off in the midst must not leave a name that ends in a dot.
  const stem = agent.slice(0, longestName - end.length).replace(/[-.]+$/, '')
  return stem + end
}

/** Without what the file says is to be done, where a flag says it: it may say so in another way. */
function outranked(spec: AgentRun['spec'], { text, spec: named }: RunWishes) {
  if (text === undefined && named === undefined) return spec
  const { implementation: _, implementationSpecRef: __, ...rest } = spec
  return rest
}

function flagsOf(wishes: RunWishes, base: AgentRun['spec'] | undefined): Partial<AgentRun['spec']> {
  const { agent, text, spec, image, timeoutMs } = wishes
  if (text !== undefined && spec !== undefined) {
    throw usageFailure('give either --text or --spec, not both')
  }
  if (text?.trim() === '') throw usageFailure('--text is empty: say what is to be done')
  return {
    ...(agent !== undefined && { agentRef: { name: agent } }),
    ...(text !== undefined && { implementation: { inline: { text, summary: summaryOf(text) } } }),
    ...(spec !== undefined && { implementationSpecRef: { name: spec } }),
    ...(image !== undefined && { workload: { ...base?.workload, image } }),
    ...(timeoutMs !== undefined && { timeoutSeconds: Math.ceil(timeoutMs / 1000) }),
  }
}

const longestSummary = 100

function summaryOf(text: string): string {
  const [line = ''] = text.trim().split('\n')
  return line.length <= longestSummary ? line : `${line.slice(0, longestSummary - 1)}…`
}

function parametersOf(given: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    given.map((pair) => {
      const equals = pair.indexOf('=')
      if (equals <= 0) {
        throw usageFailure(`a parameter is written key=value, not ${JSON.stringify(pair)}`)
      }
      return [pair.slice(0, equals), pair.slice(equals + 1)]
    }),
  )
}

function suffix(): string {
  return randomBytes(3).toString('hex')
}
