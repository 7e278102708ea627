import type { AgentRun } from '@agents/jangar-api'
import type { New } from '@agents/kube'
import { usageFailure } from '../cli/command-failure.ts'
import { nameFrom, pairsOf, wholeNumber } from './run-flags.ts'

interface RunRequest {
  readonly name?: string | undefined
  readonly agent?: string | undefined
  /** The task as text. */
  readonly text?: string | undefined
  /** Name of an ImplementationSpec. */
  readonly spec?: string | undefined
  readonly image?: string | undefined
  /** `key=value` */
  readonly parameters: readonly string[]
  readonly timeoutMs?: number | undefined
  /** Names of Secrets, in addition to those of a file. */
  readonly secrets?: readonly string[]
  /** `owner/name` */
  readonly repository?: string | undefined
  /** The branch that the work is pushed to. */
  readonly branch?: string | undefined
  /** The branch that the work is based on. */
  readonly base?: string | undefined
  readonly model?: string | undefined
  readonly retries?: string | undefined
  readonly priority?: string | undefined
  /** `key=value` */
  readonly labels?: readonly string[]
}

/** The run that the flags describe, merged over that of a file. */
export function composeRun(
  request: RunRequest,
  namespace: string,
  base?: AgentRun,
): New<AgentRun> & { metadata: { name: string } } {
  const spec = {
    runtime: { type: 'job' as const },
    ...(base && outranked(base.spec, request)),
    ...flagsOf(request, base?.spec),
  }
  if (spec.agentRef === undefined) {
    throw usageFailure('no agent given: use --agent NAME', 'To list agents: agentctl get agents')
  }
  if (spec.implementation === undefined && spec.implementationSpecRef === undefined) {
    throw usageFailure(
      'no task given: use --text TEXT, or --spec NAME for an ImplementationSpec',
      'To list ImplementationSpecs: agentctl get implementationspecs',
    )
  }
  const parameters = mergedParameters(request, base?.spec.parameters)
  const { agentRef } = spec
  const { name, generateName, labels, ...metadata } = base?.metadata ?? {}
  return {
    metadata: {
      ...metadata,
      labels: { ...labels, ...pairsOf('--label', request.labels ?? []) },
      name: request.name ?? (name || nameFrom(generateName ?? `${agentRef.name}-`)),
      namespace: base?.metadata.namespace ?? namespace,
    },
    spec: { ...spec, agentRef, ...(Object.keys(parameters).length > 0 && { parameters }) },
  }
}

/** The spec of the file without its task if a flag gives one: a task can be given in two ways. */
function outranked(spec: AgentRun['spec'], { text, spec: named }: RunRequest) {
  if (text === undefined && named === undefined) return spec
  const { implementation: _, implementationSpecRef: __, ...rest } = spec
  return rest
}

function flagsOf(
  request: RunRequest,
  base: AgentRun['spec'] | undefined,
): Partial<AgentRun['spec']> {
  const { agent, text, spec, image, timeoutMs, secrets = [], retries, priority } = request
  if (text !== undefined && spec !== undefined) {
    throw usageFailure('--text and --spec cannot be used together')
  }
  if (text?.trim() === '') throw usageFailure('--text is empty: describe the task')
  return {
    ...(agent !== undefined && { agentRef: { name: agent } }),
    ...(text !== undefined && { implementation: { inline: { text, summary: summaryOf(text) } } }),
    ...(spec !== undefined && { implementationSpecRef: { name: spec } }),
    ...(image !== undefined && { workload: { ...base?.workload, image } }),
    ...(timeoutMs !== undefined && { timeoutSeconds: Math.ceil(timeoutMs / 1000) }),
    ...(secrets.length > 0 && { secrets: [...new Set([...(base?.secrets ?? []), ...secrets])] }),
    ...(retries !== undefined && { retries: wholeNumber('--retries', retries, 0) }),
    ...(priority !== undefined && { priority: wholeNumber('--priority', priority, -(2 ** 31)) }),
  }
}

const longestSummary = 100

function summaryOf(text: string): string {
  const [line = ''] = text.trim().split('\n')
  return line.length <= longestSummary ? line : `${line.slice(0, longestSummary - 1)}…`
}

/** Other names of parameters with the same meaning: a flag replaces them all. */
const aliases: Readonly<Record<string, readonly string[]>> = {
  repository: ['repo', 'issueRepository'],
  head: ['headBranch', 'head_ref', 'headRef'],
  base: ['baseBranch', 'base_ref', 'baseRef'],
  model: [],
}

function mergedParameters(
  request: RunRequest,
  inFile: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const { repository, branch: head, base, model } = request
  const own = pairsOf('--param', request.parameters)
  const flags = Object.entries({ repository, head, base, model }).filter(
    (entry): entry is [string, string] => entry[1] !== undefined,
  )
  for (const [name, value] of flags) {
    const flag = { repository: '--repo', head: '--branch' }[name] ?? `--${name}`
    if (value.trim() === '') throw usageFailure(`${flag} is empty`)
    const twice = [name, ...(aliases[name] ?? [])].find((each) => own[each] !== undefined)
    if (twice !== undefined) {
      throw usageFailure(`${flag} and --param ${twice} cannot be used together`)
    }
  }
  const replaced = flags.flatMap(([name]) => aliases[name] ?? [])
  const kept = Object.entries(inFile).filter(([name]) => !replaced.includes(name))
  return { ...Object.fromEntries(kept), ...own, ...Object.fromEntries(flags) }
}
