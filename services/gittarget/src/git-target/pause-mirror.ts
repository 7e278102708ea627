import type { GitTarget } from '@agents/gittarget-api'
import { formatKey } from '@agents/kube'
import { targetPlan } from './target-plan.ts'
import type { GitTargetPorts } from './target-ports.ts'

/** While something is missing nothing is written. What a rule no longer chooses by then is not watched either. */
export const pauseMirror = (
  target: GitTarget,
  { mirrors, caches, catalog: { served } }: GitTargetPorts,
): Promise<void> =>
  mirrors.pause(formatKey(target.metadata), served && targetPlan(target, caches, served).selections)
