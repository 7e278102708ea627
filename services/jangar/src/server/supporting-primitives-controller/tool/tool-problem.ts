import type { Tool, toolConditions } from '@agents/jangar-api'
import { isQuantity } from '@agents/kube'
import type { ReasonOf } from '@agents/status'
import { publisherIds } from '../../primitives-policy/pod-security-settings.ts'
import { toolTemplateProblem } from './tool-templates.ts'
import { isReservedVariable, parameterNamesProblem } from './tool-variables.ts'

export interface ToolProblem {
  readonly reason: Exclude<
    ReasonOf<typeof toolConditions, 'Validated'>,
    'Valid' | 'NotChecked' | 'Blocked' | 'CheckFailed'
  >
  readonly message: string
}

/**
 * Why the tool cannot be run, whatever the run. Runs check this themselves: the status may be that of an earlier spec.
 */
export function toolProblem({ spec }: Pick<Tool, 'spec'>): ToolProblem | undefined {
  // The definition of the reference has an optional spec.
  if (!spec?.image?.trim()) {
    return problem('MissingImage', 'spec.image is missing; set it to the image of the container')
  }
  if ((spec.command ?? []).length + (spec.args ?? []).length === 0) {
    return problem('MissingCommand', 'spec.command and spec.args are missing; set one of them')
  }
  const names = parameterNamesProblem((spec.parameters ?? []).map(({ name }) => name))
  if (names !== undefined) return problem('InvalidParameters', `spec.parameters: ${names}`)
  const limits = resourceProblem(spec) ?? timeProblem(spec)
  if (limits !== undefined) return problem('InvalidLimits', limits)
  const variable = environmentProblem(spec)
  if (variable !== undefined) return problem('InvalidEnvironment', variable)
  const user = userProblem(spec)
  if (user !== undefined) return problem('InvalidSecurityContext', user)
  const template = toolTemplateProblem(spec)
  return template === undefined ? undefined : problem('InvalidTemplate', template)
}

function problem(reason: ToolProblem['reason'], message: string): ToolProblem {
  return { reason, message }
}

function resourceProblem({ resources }: Tool['spec']): string | undefined {
  for (const which of ['requests', 'limits'] as const) {
    for (const [name, amount] of Object.entries(resources?.[which] ?? {})) {
      if (isQuantity(amount)) continue
      return `spec.resources.${which}.${name} is ${amount}, which is not a valid quantity; use for example 500m or 2Gi`
    }
  }
  return undefined
}

function timeProblem(spec: Tool['spec']): string | undefined {
  const name = (['timeoutSeconds', 'ttlSecondsAfterFinished'] as const).find(
    (one) => (spec[one] ?? 0) < 0,
  )
  return name && `spec.${name} is negative; use 0 or more`
}

function environmentProblem({ env = [] }: Tool['spec']): string | undefined {
  for (const [at, { name }] of env.entries()) {
    if (!/^[-._a-zA-Z][-._a-zA-Z0-9]*$/.test(name)) {
      return `spec.env[${at}].name ${JSON.stringify(name)} is not a valid name of an environment variable`
    }
    if (isReservedVariable(name)) {
      return `spec.env[${at}].name ${name} is reserved for the platform; use another name`
    }
    if (env.findIndex((one) => one.name === name) !== at) {
      return `spec.env[${at}].name ${name} is used twice`
    }
  }
  return undefined
}

/** Where containers of several pods share a machine without namespaces, a user could read processes of its own id. */
function userProblem({ podSecurityContext = {} }: Tool['spec']): string | undefined {
  const reserved: readonly number[] = publisherIds
  const [name] =
    Object.entries(podSecurityContext).find(
      ([, id]) => id !== undefined && reserved.includes(id),
    ) ?? []
  return (
    name &&
    `spec.podSecurityContext.${name} is reserved for the platform; use another one than ${reserved.join(' and ')}`
  )
}
