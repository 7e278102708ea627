import type { InformerHandler } from '../informer/handlers.ts'
import { formatKey } from '../kind/kind-ref.ts'
import type { KubeObject } from '../object.ts'

/** Records the events of a handler, and those that contradict earlier ones. */
export interface History<T extends KubeObject> {
  readonly handler: InformerHandler<T>
  /** `add a`, `update a`, `delete a`, or `delete a?` if the final state is unknown. */
  readonly lines: string[]
  readonly contradictions: string[]
  /** The objects that exist according to the events. */
  readonly believed: ReadonlyMap<string, T>
}

export function recordHistory<T extends KubeObject>(): History<T> {
  const lines: string[] = []
  const contradictions: string[] = []
  const believed = new Map<string, T>()
  const check = (holds: boolean, what: string): void => {
    if (!holds) contradictions.push(`${what} (after ${lines.length} events)`)
  }
  return {
    lines,
    contradictions,
    believed,
    handler: {
      onAdd: (object) => {
        const key = formatKey(object.metadata)
        check(!believed.has(key), `${key} was added twice`)
        believed.set(key, object)
        lines.push(`add ${object.metadata.name}`)
      },
      onUpdate: (old, object) => {
        const key = formatKey(object.metadata)
        check(believed.get(key) === old, `${key}: old is not what was new before`)
        check(old.metadata.uid === object.metadata.uid, `${key} became another object`)
        believed.set(key, object)
        lines.push(`update ${object.metadata.name}`)
      },
      onDelete: (object, { finalStateUnknown }) => {
        const key = formatKey(object.metadata)
        const known = believed.get(key)
        check(known?.metadata.uid === object.metadata.uid, `${key} was deleted but not there`)
        believed.delete(key)
        lines.push(`delete ${object.metadata.name}${finalStateUnknown ? '?' : ''}`)
      },
    },
  }
}
