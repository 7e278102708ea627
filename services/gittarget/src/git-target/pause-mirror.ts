import type { GitTarget } from '@agents/gittarget-api'
import { formatKey } from '@agents/kube'
import { targetPlan } from './target-plan.ts'
import type { GitTargetPorts } from './target-ports.ts'

/** Pauses writing while a dependency is missing. Objects that no rule selects any more are no longer watched. */
export function pauseMirror(
  target: GitTarget,
  { mirrors, caches, catalog: { served } }: GitTargetPorts,
): Promise<void> {
  return mirrors.pause(
    formatKey(target.metadata),
    served && targetPlan(target, caches, served).selections,
  )
}
