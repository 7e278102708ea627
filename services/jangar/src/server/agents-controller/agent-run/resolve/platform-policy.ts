import { firstMatch } from '@agents/patterns'
import * as images from '../../../primitives-policy/images.ts'
import * as policy from '../../../primitives-policy/labels.ts'
import { priorityProblem } from '../../../primitives-policy/priority-classes.ts'
import type { AgentsPorts } from '../../ports.ts'
import { refused } from './problem.ts'
import type { Refused, Workload } from './resolution.ts'
import type { RuntimeSettings } from './runtime-settings.ts'

type Rules = AgentsPorts['config']['agents']['admission']

/** Checks the labels of a run against those that the platform requires, allows and denies. */
export function labelProblem(
  labels: Readonly<Record<string, string>>,
  rules: Rules,
): Refused | undefined {
  const problem = policy.labelProblem(labels, rules)
  return problem && refused(problem.reason, problem.message)
}

/** Checks the image against the platform's policy. */
export function imageProblem(image: string, rules: Rules): Refused | undefined {
  const problem = images.imageProblem(image, rules, 'workload.image')
  return problem && refused(problem.reason, problem.message)
}

export function priorityClassProblem(
  { priorityClassName }: RuntimeSettings,
  { agents, runner }: AgentsPorts['config'],
): Refused | undefined {
  const problem = priorityProblem(priorityClassName, {
    allowed: agents.admission.priorityClassesAllowed,
    platformDefault: runner.priorityClass,
  })
  return problem && refused(problem.reason, problem.message)
}

/** Checks whether the platform allows runs to mount the persistent volume claims. */
export function claimProblem(
  { volumes = [] }: Workload,
  { claimsAllowed }: Rules,
): Refused | undefined {
  if (claimsAllowed.length === 0) return undefined
  for (const { type, claimName = '' } of volumes) {
    if (type !== 'pvc' || firstMatch(claimsAllowed, claimName) !== undefined) continue
    return refused(
      'ClaimNotAllowed',
      `the platform does not allow the PersistentVolumeClaim ${claimName}, only ${claimsAllowed.join(', ')}`,
    )
  }
  return undefined
}
