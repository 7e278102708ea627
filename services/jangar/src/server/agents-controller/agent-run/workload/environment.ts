import type { EnvVar } from '@agents/kube'
import { RUN_SPEC_PATH } from '../../../../runner/contract/run-spec.ts'
import {
  RUNNER_SPEC_PATH,
  TERMINATION_MESSAGE_PATH,
} from '../../../../runner/contract/runner-spec.ts'
import { WORKSPACE } from '../../../../runner/workspace/workspace-path.ts'
import type { AgentsPorts } from '../../ports.ts'
import { refused } from '../resolution/problem.ts'
import type { Refused, ResolvedWork } from '../resolution/resolution.ts'
import type { FilledProvider } from './filled-provider.ts'
import { literal } from './literal.ts'
import { SYSTEM_PROMPT_PATH } from './system-prompt-path.ts'
import { vcsEnvironment } from './vcs-environment.ts'

/** Later ones outrank earlier ones of the same name; each name appears once. */
export function environment(
  work: ResolvedWork,
  filled: FilledProvider,
  config: AgentsPorts['config'],
  traceparent?: string,
): EnvVar[] {
  const { authSecret, provider, agent, systemPrompt, vcs } = work
  const all: EnvVar[] = [
    ...(traceparent === undefined ? [] : [{ name: 'TRACEPARENT', value: traceparent }]),
    { name: 'AGENT_RUN_SPEC', value: RUN_SPEC_PATH },
    { name: 'AGENT_RUNNER_SPEC_PATH', value: RUNNER_SPEC_PATH },
    { name: 'AGENT_WORKSPACE', value: WORKSPACE },
    { name: 'AGENT_TERMINATION_MESSAGE_PATH', value: TERMINATION_MESSAGE_PATH },
    ...(authSecret
      ? [
          { name: 'CODEX_HOME', value: authSecret.mountPath },
          { name: 'CODEX_AUTH', value: `${authSecret.mountPath}/${authSecret.key}` },
        ]
      : []),
    ...filled.env.map(([name, value]) => ({ name, value })),
    ...(agent.spec.env ?? []).map(({ name, value }) => ({ name, value })),
    { name: 'AGENT_PROVIDER', value: literal(provider.metadata.name) },
    ...memoryEnvironment(work),
    ...(vcs ? vcsEnvironment(vcs, config) : []),
    ...(systemPrompt ? [{ name: 'CODEX_SYSTEM_PROMPT_PATH', value: SYSTEM_PROMPT_PATH }] : []),
  ]
  return [...new Map(all.map((variable) => [variable.name, variable])).values()]
}

/** The names of all variables whose values come from Secrets, as far as they are known. */
export function secretVariables({ secrets }: ResolvedWork, variables: readonly EnvVar[]): string[] {
  const single = variables.filter(({ valueFrom }) => valueFrom?.secretKeyRef)
  const names = [...secrets.flatMap(({ keys }) => keys), ...single.map(({ name }) => name)]
  return [...new Set(names)].toSorted()
}

function memoryEnvironment({ memory }: ResolvedWork): EnvVar[] {
  const { name, key } = memory?.spec.connection.secretRef ?? {}
  if (name === undefined || key === undefined) return []
  return [{ name: 'AGENT_MEMORY_CONNECTION', valueFrom: { secretKeyRef: { name, key } } }]
}

/** In bytes; what Linux takes as one argument or variable, but for the end mark. */
export const LARGEST_WORD = 128 * 1024 - 1

/** What no kernel would start, said before anything is created. */
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
      `${JSON.stringify(name)} is no name of a variable; correct envTemplate of ${whose} or env of its Agent`,
    )
  }
  const words: (readonly [string, string])[] = [
    ...args.map((arg, index) => [`argsTemplate[${index}]`, arg] as const),
    ...variables.map(({ name, value = '' }) => [name, `${name}=${value}`] as const),
  ]
  const large = words.find(([, word]) => Buffer.byteLength(word) > LARGEST_WORD)
  if (large === undefined) return undefined
  return refused(
    'WorkTooLarge',
    `${large[0]} of ${whose} has more than ${LARGEST_WORD} bytes once filled in, which no program can be given; hand it over in an input file`,
  )
}
