import { kinds } from '@agents/jangar-api'
import { formatApiVersion, type KindRef, type KubeObject, kindRef } from '@agents/kube'

const all: ReadonlyMap<string, KindRef> = new Map(
  kinds
    .filter(({ scope }) => scope === 'Namespaced')
    .map((kind) => [kind.kind, kindRef<KubeObject>(kind)]),
)

/** `AgentRun` and the like, as the paths of the predecessor name kinds. No other kind can be asked for. */
export const kindParameter = {
  type: 'string',
  enum: [...all.keys()],
  description: 'The kind.',
} as const

export const allKinds: readonly KindRef[] = [...all.values()]

/** The kind of a word that was checked against `kindParameter`. */
export function kindOf(word: string | undefined): KindRef {
  const found = all.get(word ?? '')
  if (found === undefined) throw new TypeError(`${word} is not a kind of the platform`)
  return found
}

/** What the predecessor shows of an object. */
export function shownObject(kind: KindRef, object: KubeObject): object {
  const { metadata, spec, status } = object as KubeObject & { spec?: unknown; status?: unknown }
  return {
    ...{ apiVersion: formatApiVersion(kind), kind: kind.kind, metadata },
    ...(spec !== undefined && { spec }),
    ...(status !== undefined && { status }),
  }
}
