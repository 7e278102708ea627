import { listItems, mapKey } from '../value/container.ts'
import { CelError, isList, isUint, type MapKey, type Value } from '../value/value.ts'
import { toEvaluate } from './plan-attribute.ts'
import type { Plan } from './plan-step.ts'

/** Plans `x in [constants]` as a lookup in a set, which costs nothing; undefined if the list is not constant. */
export function membershipPlan(plans: readonly Plan[]): Plan | undefined {
  const [element, container] = plans
  if (element === undefined || container?.kind !== 'constant' || !isList(container.value)) {
    return undefined
  }
  const keys = new Set<MapKey>()
  for (const item of listItems(container.value)) {
    const key = hashable(item) ? mapKey(item) : undefined
    if (key === undefined) return undefined
    keys.add(key)
  }
  if (keys.size === 0) return { kind: 'constant', value: false }
  const evaluate = toEvaluate(element)
  return {
    kind: 'step',
    evaluate: (frame) => {
      const value = evaluate(frame)
      if (value instanceof CelError) return value
      const key = mapKey(value)
      return key !== undefined && keys.has(key)
    },
  }
}

function hashable(value: Value): boolean {
  return typeof value !== 'object' || isUint(value)
}
