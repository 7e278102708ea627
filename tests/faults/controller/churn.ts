import {
  type ConfigMap,
  ConfigMapKind,
  type Informers,
  isAlreadyExists,
  isConflict,
  isNotFound,
  type KubeClient,
  KubeError,
} from '@agents/kube'
import { expect } from 'vitest'
import { type Widget, WidgetKind } from './widget.ts'

interface Churn {
  /** Makes one more random change. */
  step(): Promise<void>
  /** Resolves when the cluster matches what the remaining objects request. */
  converged(): Promise<void>
  readonly living: ReadonlyMap<string, string>
}

/** Creates, changes and deletes widgets at random, and records the expected final state. */
export function startChurn(client: KubeClient, namespace: string, random: () => number): Churn {
  const living = new Map<string, string>()
  let counter = 0
  const create = async (): Promise<void> => {
    counter += 1
    const name = `widget-${counter}`
    const text = `text-${counter}`
    await surely(() => client.create(WidgetKind, { metadata: { namespace, name }, spec: { text } }))
    living.set(name, text)
  }
  const change = async (name: string): Promise<void> => {
    counter += 1
    const text = `text-${counter}`
    const body = { spec: { text } }
    await surely(() => client.patch(WidgetKind, { namespace, name }, { type: 'merge', body }))
    living.set(name, text)
  }
  const remove = async (name: string): Promise<void> => {
    await surely(() => client.delete(WidgetKind, { namespace, name }))
    living.delete(name)
  }
  return {
    living,
    step: async () => {
      const names = [...living.keys()]
      const name = names[Math.floor(random() * names.length)]
      const dice = random()
      if (name === undefined || dice < 0.5) await create()
      else if (dice < 0.8) await change(name)
      else await remove(name)
    },
    converged: async () => {
      for (;;) {
        const widgets = await listed(client, namespace)
        const open = unfinished(living, widgets)
        if (open.length === 0) return
        await new Promise((resolve) => setTimeout(resolve, 50))
      }
    },
  }
}

/** Retries until it succeeds: the server may be down, and a response may have been lost. */
async function surely(write: () => Promise<unknown>): Promise<void> {
  for (;;) {
    try {
      await write()
      return
    } catch (error) {
      if (isAlreadyExists(error) || isNotFound(error)) return
      if (!(error instanceof KubeError)) throw error
      if (error.code >= 400 && error.code < 500 && error.code !== 429 && !isConflict(error))
        throw error
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

interface ChurnedObjects {
  readonly widgets: readonly Widget[]
  readonly copies: readonly ConfigMap[]
}

async function listed(client: KubeClient, namespace: string): Promise<ChurnedObjects> {
  try {
    const widgets = await client.list(WidgetKind, { namespace })
    const copies = await client.list(ConfigMapKind, { namespace })
    return { widgets: widgets.items, copies: copies.items.filter(isCopy) }
  } catch (error) {
    if (!(error instanceof KubeError)) throw error
    return { widgets: [], copies: [] }
  }
}

/** Every namespace also has a ConfigMap that the cluster creates. */
function isCopy({ metadata }: ConfigMap): boolean {
  return metadata.name.startsWith('widget-')
}

function unfinished(
  living: ReadonlyMap<string, string>,
  { widgets, copies }: ChurnedObjects,
): string[] {
  const byName = new Map(widgets.map((one) => [one.metadata.name, one]))
  const copyOf = new Map(copies.map((one) => [one.metadata.name, one.data?.text]))
  const gone = [...byName.keys(), ...copyOf.keys()].filter((name) => !living.has(name))
  const behind = [...living].filter(([name, text]) => {
    const { status, metadata } = byName.get(name) ?? {}
    const ready = status?.conditions?.find(({ type }) => type === 'Ready')
    const isCurrent = status?.observedGeneration === metadata?.generation
    return (
      !isCurrent || ready?.status !== 'True' || status?.copied !== text || copyOf.get(name) !== text
    )
  })
  return [...gone, ...behind.map(([name]) => name)]
}

/** The UIDs of every copy, by name, as a watch on a separate connection observed them. */
type ObjectHistory = ReadonlyMap<string, ReadonlySet<string>>

export function watchObjectHistory(informers: Informers, namespace: string): ObjectHistory {
  const uidsByName = new Map<string, Set<string>>()
  const see = ({ metadata: { name, uid = '' } }: ConfigMap): void => {
    uidsByName.set(name, (uidsByName.get(name) ?? new Set()).add(uid))
  }
  informers
    .acquire<ConfigMap>(ConfigMapKind, { namespace })
    .addHandler({ onAdd: see, onUpdate: (_before, after) => see(after) })
  return uidsByName
}

/** Expects that each copy of a remaining widget was created only once, although responses may have been lost. */
export function expectNoDoubles(
  uidsByName: ObjectHistory,
  living: ReadonlyMap<string, string>,
): void {
  expect([...uidsByName].filter(([name, uids]) => living.has(name) && uids.size !== 1)).toEqual([])
}
