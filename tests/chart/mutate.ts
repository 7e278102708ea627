import type { RenderedObject } from '@agents/chart-tools'

type Step = string | number

/**
 * A copy of the objects in which the first one of a kind (and name) has another value at the path; undefined removes
 * the field.
 */
export function changed(
  objects: readonly RenderedObject[],
  kind: string,
  path: readonly Step[],
  value: unknown,
  name?: string,
): readonly RenderedObject[] {
  const copy = structuredClone(objects)
  const object = copy.find(
    (candidate) =>
      candidate.kind === kind && (name === undefined || candidate.metadata.name === name),
  )
  if (object === undefined) throw new Error(`there is no ${kind} ${name ?? ''}`)
  put(object, path, value)
  return copy
}

/** Sets a field; a path that ends in "+" appends to a list. */
export function put(target: unknown, path: readonly Step[], value: unknown): void {
  const [step, ...rest] = path
  if (step === undefined) throw new Error('a path has at least one step')
  if (step === '+' && Array.isArray(target)) {
    target.push(value)
    return
  }
  const node = target as Record<Step, unknown>
  if (rest.length > 0) {
    node[step] ??= {}
    put(node[step], rest, value)
  } else if (value === undefined) {
    delete node[step]
  } else {
    node[step] = value
  }
}
