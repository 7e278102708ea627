import { lowPriority, type ResourceCache, type Source } from '@agents/controller'
import { orchestrationRun } from '@agents/jangar-api'
import { controllerOfKind, formatKey, type KubeObject } from '@agents/kube'
import { hasEnded } from './has-ended.ts'

/**
 * The end and the deletion of a child requeue its run; what happens between does not matter to it. A reconcile looks at
 * all steps, so the more children of the run are still running, the longer others that end soon are waited for: 500
 * that end one after the other would else cost 500 reconciles of 500 steps each.
 */
export function endedChildren(cache: ResourceCache, running: (owner: string) => number): Source {
  return {
    name: `children ${cache.kind.plural}`,
    start: (enqueue) => {
      const requeue = (child: KubeObject, priority = 0): void => {
        const owner = controllerOfKind(child, orchestrationRun)
        if (owner === undefined) return
        const key = formatKey({ namespace: child.metadata.namespace, name: owner.name })
        enqueue(key, { priority, afterMs: waitMs(running(owner.uid)) })
      }
      return cache.subscribe({
        onAdd: (child, isInInitialList) => {
          if (hasEnded(child)) requeue(child, isInInitialList ? lowPriority : 0)
        },
        onUpdate: (before, after) => {
          if (hasEnded(before) !== hasEnded(after)) requeue(after)
        },
        onDelete: (child) => requeue(child),
      })
    },
  }
}

/** With few of them, the next step starts at once. */
const few = 8
const longestMs = 250

function waitMs(running: number): number {
  return running <= few ? 0 : Math.min(running, longestMs)
}
