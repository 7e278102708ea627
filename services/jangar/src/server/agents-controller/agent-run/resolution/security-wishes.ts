import { refused } from './problem.ts'
import type { Refused } from './resolution.ts'

/** What a run may wish for its pod; the platform itself may wish for more. */
const HARMLESS = [
  'runAsNonRoot',
  'runAsUser',
  'runAsGroup',
  'fsGroup',
  'fsGroupChangePolicy',
  'supplementalGroups',
  'supplementalGroupsPolicy',
  'seccompProfile',
]

/** A run may choose its user, but not leave the restricted Pod Security Standard: that is for whoever runs the platform. */
export function securityProblem(
  wishes: Readonly<Record<string, unknown>> = {},
): Refused | undefined {
  const profile = wishes.seccompProfile as { readonly type?: unknown } | null | undefined
  const loose = [
    ...Object.keys(wishes).filter((name) => !HARMLESS.includes(name)),
    ...(wishes.runAsNonRoot === false ? ['runAsNonRoot'] : []),
    ...(wishes.runAsUser === 0 ? ['runAsUser'] : []),
    ...(profile && profile.type !== 'RuntimeDefault' && profile.type !== 'Localhost'
      ? ['seccompProfile']
      : []),
  ]
  if (loose.length === 0) return undefined
  return refused(
    'InvalidRuntimeConfig',
    `runtime.config.podSecurityContext.${loose[0]} would loosen what the platform demands; ask for JANGAR_AGENT_RUNNER_POD_SECURITY_CONTEXT to be changed`,
  )
}
