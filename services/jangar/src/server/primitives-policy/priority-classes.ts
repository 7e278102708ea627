import { firstMatch } from '@agents/patterns'
import type { PolicyProblem } from './policy-problem.ts'

interface PriorityRules {
  /** Patterns of names, with `*` as a wildcard. */
  readonly allowed: readonly string[]
  /** The class of runs that name none. It is always allowed. */
  readonly platformDefault: string | undefined
}

/**
 * Why a run may not use the priority class. Pods of a high class preempt those of other tenants. Classes that start
 * with `system-` belong to the cluster: no list can allow them, only the platform's default.
 */
export function priorityProblem(
  name: string | undefined,
  { allowed, platformDefault }: PriorityRules,
): PolicyProblem<'PriorityClassNotAllowed'> | undefined {
  if (name === undefined || name === platformDefault) return undefined
  const reason = 'PriorityClassNotAllowed'
  if (name.startsWith('system-')) {
    return { reason, message: `the priority class ${name} is reserved for the cluster itself` }
  }
  if (firstMatch(allowed, name) !== undefined) return undefined
  const message = `the platform does not allow the priority class ${name}; ask an administrator to add it to JANGAR_AGENTS_CONTROLLER_PRIORITY_CLASSES_ALLOWED`
  return { reason, message }
}
