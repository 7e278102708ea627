import { formatKey, type InformerHandler, type KubeObject } from '@agents/kube'

/** Follows the events of a handler, and notes every one that contradicts those before it. */
export interface History {
  readonly handler: InformerHandler<KubeObject>
  readonly lines: string[]
  readonly contradictions: string[]
  readonly believed: ReadonlyMap<string, KubeObject>
}

export function recordHistory(): History {
  const lines: string[] = []
  const contradictions: string[] = []
  const believed = new Map<string, KubeObject>()
  const check = (holds: boolean, what: string): void => {
    if (!holds) contradictions.push(`${what}, after ${lines.length} events`)
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
        believed.set(key, object)
        lines.push(`update ${object.metadata.name}`)
      },
      onDelete: ({ metadata }) => {
        const key = formatKey(metadata)
        check(believed.get(key)?.metadata.uid === metadata.uid, `${key} was not there`)
        believed.delete(key)
        lines.push(`delete ${metadata.name}`)
      },
    },
  }
}
