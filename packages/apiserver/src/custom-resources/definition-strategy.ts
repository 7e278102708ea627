import { type KubeObject, sameJson } from '@agents/kube'
import { secondsTimestamp } from '../metadata/timestamps.ts'
import type { Strategy } from '../registry/strategy.ts'
import { acceptNames } from './accept-names.ts'
import { apiApproval } from './api-approval.ts'
import { cleanupFinalizer, type Definition, setCondition } from './definition.ts'
import type { DefinitionRules } from './definition-rules.ts'

/** Returns the stored definitions, whose names are taken. */
type KnownDefinitions = () => Iterable<Definition>

/** The strategy of CustomResourceDefinitions. Names are accepted, and the kind established, by the write itself. */
export function definitionStrategy(
  rules: DefinitionRules,
  known: KnownDefinitions,
  prune: (object: KubeObject) => string[],
): Strategy {
  return {
    allowUnconditionalUpdate: false,
    allowCreateOnUpdate: false,
    resetFields: [['status']],
    prune,
    setDefaults: (object) => setDefaults(object as Definition),
    prepareForCreate: (object, { now }) => {
      const definition = object as Definition
      definition.metadata.generation = 1
      const storage = storageVersion(definition)
      definition.status = storage === undefined ? {} : { storedVersions: [storage] }
      if (isWhole(definition)) definition.status = acceptNames(definition, known(), now)
    },
    prepareForUpdate: (object, before, { now }) => {
      const next = object as Definition
      const old = before as Definition
      next.status = { ...old.status }
      const approval = apiApproval(next, secondsTimestamp(now))
      if (approval !== undefined && next.status.conditions !== undefined) {
        next.status.conditions = setCondition(next.status.conditions, approval)
      }
      if (sameJson(next.spec, old.spec)) return
      next.metadata.generation = (old.metadata.generation ?? 0) + 1
      const storage = storageVersion(next)
      const stored = old.status?.storedVersions ?? []
      if (storage !== undefined && !stored.includes(storage)) {
        next.status.storedVersions = [...stored, storage]
      }
      if (isWhole(next) && !sameJson(next.spec.names, next.status.acceptedNames)) {
        next.status = acceptNames(next, known(), now)
      }
    },
    validate: (object) => rules.check(withoutAcceptedNames(object as Definition)),
    validateUpdate: (next, old) =>
      rules.checkUpdate(withoutAcceptedNames(next as Definition), old as Definition),
    warnings: (next, old) =>
      rules.warnings?.(next as Definition, old as Definition | undefined) ?? [],
    prepareForDelete: (object, { now }) => {
      const definition = object as Definition
      if (definition.metadata.deletionTimestamp !== undefined) return
      definition.metadata.deletionTimestamp = secondsTimestamp(now)
      const finalizers = definition.metadata.finalizers ?? []
      if (!finalizers.includes(cleanupFinalizer)) {
        definition.metadata.finalizers = [...finalizers, cleanupFinalizer]
      }
      definition.status = {
        ...definition.status,
        conditions: setCondition(definition.status?.conditions ?? [], {
          type: 'Terminating',
          status: 'True',
          lastTransitionTime: secondsTimestamp(now),
          reason: 'InstanceDeletionPending',
          message:
            'CustomResourceDefinition marked for deletion; CustomResource deletion will begin soon',
        }),
      }
    },
  }
}

/** Drops errors of the accepted names, since they repeat those of the names in the spec. */
function withoutAcceptedNames(definition: Definition): Definition {
  const { acceptedNames: _, ...status } = definition.status ?? {}
  return { ...definition, status }
}

/** The strategy of the status subresource. */
export function definitionStatusStrategy(strategy: Strategy): Strategy {
  return {
    ...strategy,
    resetFields: [['metadata'], ['spec']],
    prepareForUpdate: (next, old) => {
      const { managedFields } = next.metadata
      next.spec = old.spec
      next.metadata = { ...old.metadata }
      if (managedFields === undefined) delete next.metadata.managedFields
      else next.metadata.managedFields = managedFields
    },
    validateUpdate: () => [],
  }
}

function setDefaults(definition: Definition): void {
  const spec: Partial<Definition['spec']> | undefined = definition.spec
  if (typeof spec !== 'object' || spec === null) return
  const { names } = spec
  if (typeof names === 'object' && names !== null && typeof names.kind === 'string') {
    if ((names.singular ?? '') === '') names.singular = names.kind.toLowerCase()
    if ((names.listKind ?? '') === '' && names.kind !== '') names.listKind = `${names.kind}List`
  }
  spec.conversion ??= { strategy: 'None' }
  // False is the only valid value in v1, so it is not stored.
  if (spec.preserveUnknownFields === false) delete spec.preserveUnknownFields
}

function storageVersion(definition: Definition): string | undefined {
  const versions: unknown = definition.spec?.versions
  if (!Array.isArray(versions)) return undefined
  return (versions as Definition['spec']['versions']).find(({ storage }) => storage === true)?.name
}

/** Reports whether names can be accepted. Validation reports missing names later. */
function isWhole(definition: Definition): boolean {
  const names: unknown = definition.spec?.names
  return typeof names === 'object' && names !== null
}
