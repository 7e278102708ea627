import { sameJson } from '@agents/kube'
import type { Entry, Store, StoreEvent, Watch } from '../../store/store.ts'
import type { Registry } from '../registry.ts'
import { acceptNames } from './accept-names.ts'
import { customResources } from './custom-resource.ts'
import { type Definition, definitionPrefix, isConditionTrue } from './definition.ts'
import type { DefinitionRules } from './definition-rules.ts'

export interface DefinitionServing {
  stop(): void
}

/**
 * Keeps the registry in step with the stored definitions, in the very turn of their commit: who has created a definition can
 * use it at once. `onFault` hears of definitions that cannot be served.
 */
export function serveDefinitions(
  store: Store,
  registry: Registry,
  rules: DefinitionRules,
  clock: () => Date,
  onFault: (error: unknown, name: string) => void,
): DefinitionServing {
  const { entries, revision } = store.list(definitionPrefix)
  const serve = (entry: Entry, schemaRevision: number): void => {
    const definition = entry.value as Definition
    const { name } = definition.metadata
    try {
      const established = isConditionTrue(definition, 'Established')
      const isTerminating = () => isDeleted(store.get(entry.key))
      registry.replace(
        name,
        established ? customResources(definition, rules, schemaRevision, isTerminating) : [],
      )
    } catch (error) {
      registry.replace(name, [])
      onFault(error, name)
    }
  }
  // Whether the last write changed the spec is not known any more, so it counts as one.
  for (const entry of entries) serve(entry, entry.revision)

  const onEvent = (event: StoreEvent): void => {
    if (event.type === 'DELETED') {
      registry.replace(event.entry.value.metadata.name, [])
      reconsiderNames(store, event.entry.value as Definition, clock, onFault)
    } else if (needsServing(event)) serve(event.entry, event.revision)
    else if (isDeleted(event.entry) !== isDeleted(event.previous)) registry.refresh()
  }
  const watch: Watch = store.watch(definitionPrefix, revision, onEvent)
  return { stop: () => watch.close() }
}

function isDeleted(entry: Entry | undefined): boolean {
  return entry?.value.metadata.deletionTimestamp !== undefined
}

/** Replacing resources ends their watches, so it is done only when what is served changes. */
function needsServing({ entry, previous }: StoreEvent): boolean {
  if (previous === undefined) return true
  const next = entry.value as Definition
  const old = previous.value as Definition
  return (
    !sameJson(next.spec, old.spec) ||
    !sameJson(next.status?.acceptedNames, old.status?.acceptedNames) ||
    isConditionTrue(next, 'Established') !== isConditionTrue(old, 'Established')
  )
}

/** Names that a deleted definition held are free for those that were refused them. */
function reconsiderNames(
  store: Store,
  gone: Definition,
  clock: () => Date,
  onFault: (error: unknown, name: string) => void,
): void {
  const definitions = store.list(definitionPrefix).entries.map((entry) => entry.value as Definition)
  for (const { key, value } of store.list(definitionPrefix).entries) {
    const waiting = value as Definition
    if (waiting.spec.group !== gone.spec.group || isConditionTrue(waiting, 'NamesAccepted'))
      continue
    store
      .write(key, (current) => {
        if (current === undefined) return 'unchanged'
        const definition = current.value as Definition
        const status = acceptNames(definition, definitions, clock())
        return sameJson(status, definition.status)
          ? 'unchanged'
          : { value: { ...definition, status } }
      })
      .catch((error: unknown) => onFault(error, waiting.metadata.name))
  }
}
