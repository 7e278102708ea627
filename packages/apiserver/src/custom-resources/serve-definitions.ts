import { sameJson } from '@agents/kube'
import type { Registry } from '../registry/registry.ts'
import type { Entry, Store, StoreEvent, Watch } from '../store/store.ts'
import { acceptNames } from './accept-names.ts'
import { definitionConversion } from './conversion/definition-conversion.ts'
import { customResources } from './custom-resource.ts'
import { type Definition, definitionPrefix, isConditionTrue } from './definition.ts'
import type { DefinitionRules } from './definition-rules.ts'

interface DefinitionServing {
  stop(): void
}

interface ServingOptions {
  readonly clock: () => Date
  /** Called for a definition that cannot be served. */
  readonly onFault: (error: unknown, name: string) => void
  /** True in the thread for large requests: the main thread updates the names of definitions. */
  readonly isReplica?: boolean
}

/**
 * Updates the registry when definitions change, synchronously with their commit, so that a kind can be used as soon as
 * the request that created its definition is answered.
 */
export function serveDefinitions(
  store: Store,
  registry: Registry,
  rules: DefinitionRules,
  { clock, onFault, isReplica = false }: ServingOptions,
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
        established
          ? customResources(
              definition,
              rules,
              schemaRevision,
              isTerminating,
              definitionConversion(definition, store),
            )
          : [],
      )
    } catch (error) {
      registry.replace(name, [])
      onFault(error, name)
    }
  }
  // It is unknown whether the last write changed the spec, so it counts as a change.
  for (const entry of entries) serve(entry, entry.revision)

  const onEvent = (event: StoreEvent): void => {
    if (event.type === 'DELETED') {
      registry.replace(event.entry.value.metadata.name, [])
      if (!isReplica) reconsiderNames(store, event.entry.value as Definition, clock, onFault)
    } else if (needsServing(event)) serve(event.entry, event.revision)
    else if (isDeleted(event.entry) !== isDeleted(event.previous)) registry.refresh()
  }
  const watch: Watch = store.watch(definitionPrefix, revision, onEvent)
  return { stop: () => watch.close() }
}

function isDeleted(entry: Entry | undefined): boolean {
  return entry?.value.metadata.deletionTimestamp !== undefined
}

/** Replaces the resources only if what is served has changed, since that ends their watches. */
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

/** Gives the names of a deleted definition to definitions that could not get them before. */
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
