import type { EnvVar } from '@agents/kube'
import { podPaths } from '../../../../run-contract/pod-paths.ts'
import { literal } from '../../../jobs/literal.ts'
import { largestWord, tooLargeWord } from '../../../jobs/word-size.ts'
import type { AgentsPorts } from '../../ports.ts'
import { refused } from '../resolve/problem.ts'
import type { Refused, ResolvedWork } from '../resolve/resolution.ts'
import type { FilledProvider } from './filled-provider.ts'
import { systemPromptPath } from './system-prompt-path.ts'
import { vcsEnvironment } from './vcs-environment.ts'

/** Each name appears once; later variables override earlier ones. */
export function environment(
  work: ResolvedWork,
  filled: FilledProvider,
  config: AgentsPorts['config'],
  traceparent?: string,
  repository: readonly EnvVar[] = [],
): EnvVar[] {
  const { authSecret, provider, agent, systemPrompt, vcs, secretVariables = [] } = work
  const { model } = work.parameters
  const all: EnvVar[] = [
    ...(traceparent === undefined ? [] : [{ name: 'TRACEPARENT', value: traceparent }]),
    { name: 'AGENT_RUN_SPEC', value: podPaths.runSpec },
    { name: 'AGENT_RUNNER_SPEC_PATH', value: podPaths.runnerSpec },
    { name: 'AGENT_WORKSPACE', value: podPaths.workspace },
    { name: 'AGENT_TERMINATION_MESSAGE_PATH', value: podPaths.terminationMessage },
    ...(authSecret
      ? [
          { name: 'CODEX_HOME', value: authSecret.mountPath },
          { name: 'CODEX_AUTH', value: `${authSecret.mountPath}/${authSecret.key}` },
        ]
      : []),
    ...(model ? [{ name: 'AGENT_MODEL', value: literal(model) }] : []),
    ...filled.env.map(([name, value]) => ({ name, value })),
    ...(agent.spec.env ?? []).map(({ name, value }) => ({ name, value })),
    ...secretVariables.map(({ variable, secret: name, key }) => ({
      name: variable,
      valueFrom: { secretKeyRef: { name, key } },
    })),
    { name: 'AGENT_PROVIDER', value: literal(provider.metadata.name) },
    ...memoryEnvironment(work),
    ...(vcs ? vcsEnvironment(vcs, config) : []),
    ...repository,
    ...(systemPrompt ? [{ name: 'CODEX_SYSTEM_PROMPT_PATH', value: systemPromptPath }] : []),
  ]
  return [...new Map(all.map((variable) => [variable.name, variable])).values()]
}

/** The names of all variables whose values come from Secrets, as far as they are known. */
export function secretVariables({ secrets }: ResolvedWork, variables: readonly EnvVar[]): string[] {
  const single = variables.filter(({ valueFrom }) => valueFrom?.secretKeyRef)
  const names = [...secrets.flatMap(({ keys }) => keys), ...single.map(({ name }) => name)]
  return [...new Set(names)].toSorted()
}

/**
 * A default Memory applies to every run in its namespace, so its author must not choose the names of variables:
 * `NODE_OPTIONS` or `LD_PRELOAD` would execute code in all of them.
 */
function memoryEnvironment({ memory, memoryKeys = [] }: ResolvedWork): EnvVar[] {
  if (memory === undefined) return []
  const { name, key } = memory.spec.connection.secretRef
  if (key !== undefined) {
    return [{ name: 'AGENT_MEMORY_CONNECTION', valueFrom: { secretKeyRef: { name, key } } }]
  }
  return memoryKeys.map((each) => ({
    name: `AGENT_MEMORY_${each.toUpperCase().replace(/[^A-Z0-9_]/g, '_')}`,
    // The pod starts even if the key is removed in the meantime.
    valueFrom: { secretKeyRef: { name, key: each, optional: true } },
  }))
}

/** Finds arguments and variables with which the kernel could not start the program, before any object is created. */
export function commandProblem(
  { provider }: ResolvedWork,
  { args }: FilledProvider,
  variables: readonly EnvVar[],
): Refused | undefined {
  const whose = `AgentProvider ${provider.metadata.name}`
  const unnameable = variables.find(({ name }) => !/^[-._a-zA-Z][-._a-zA-Z0-9]*$/.test(name))
  if (unnameable !== undefined) {
    const { name } = unnameable
    return refused(
      'InvalidTemplate',
      `${JSON.stringify(name)} is not a valid name of an environment variable; correct envTemplate of ${whose} or env of the Agent`,
    )
  }
  const words: (readonly [string, string])[] = [
    ...args.map((arg, index) => [`argsTemplate[${index}]`, arg] as const),
    ...variables.map(({ name, value = '' }) => [name, `${name}=${value}`] as const),
  ]
  const large = tooLargeWord(words)
  if (large === undefined) return undefined
  return refused(
    'WorkTooLarge',
    `${large} of ${whose} has more than ${largestWord} bytes after rendering, the limit for arguments and variables; use an input file instead`,
  )
}
