import type { FieldError } from '@agents/crd'
import { type KubeObject, sameJson } from '@agents/kube'
import { subdomainName } from '../../metadata/name-rules.ts'
import type { Strategy } from '../../registry/strategy.ts'
import { invalidValue } from '../../status/field-errors.ts'
import type { Fields } from '../fields.ts'
import type { Defaulter } from '../go-json/defaults.ts'
import type { GoShapes } from '../go-json/shape.ts'
import type { BuiltinTables } from '../schema/tables.ts'
import { enumErrors } from '../validation/enums.ts'
import type { BuiltinObject, KeptField, KindRules } from './kind-rules.ts'

export interface StrategyParts {
  readonly tables: BuiltinTables
  readonly shapes: GoShapes
  readonly defaulter: Defaulter
}

/** The strategy of a kind's main resource. */
export function builtinStrategy(
  { tables, shapes, defaulter }: StrategyParts,
  id: string,
  rules: KindRules,
): Strategy {
  const hasStatus = tables.definitions[id]?.props?.status !== undefined
  const emptyStatus = (): unknown => {
    const empty: Fields = {}
    shapes.shape(id, empty)
    return empty.status
  }
  const checkEnums = rules.checksEnums === true ? () => [] : enumErrors(tables, id)
  return {
    shapesMetadata: true,
    prune: (object) => shapes.shape(id, object as BuiltinObject),
    setDefaults: (object) => defaulter.setDefaults(id, object as BuiltinObject),
    prepareForCreate(given, context) {
      const object = given as BuiltinObject
      if (hasStatus && rules.keepsStatus !== true) object.status = emptyStatus()
      if (rules.generation === true) object.metadata.generation = 1
      else delete object.metadata.generation
      rules.prepareForCreate?.(object, context)
      if (hasStatus) defaulter.setDefaults(id, object)
    },
    prepareForUpdate(given, before, context) {
      const next = given as BuiltinObject
      const old = before as BuiltinObject
      if (hasStatus) next.status = old.status
      rules.prepareForUpdate?.(next, old, context)
      if (rules.generation === true && differs(next, old)) {
        next.metadata.generation = (old.metadata.generation ?? 0) + 1
      }
    },
    validate: (object) => [
      ...finalizerErrors(object),
      ...(rules.validateCreate?.(object as BuiltinObject) ?? []),
      ...(rules.validate?.(object as BuiltinObject) ?? []),
      ...checkEnums(object as BuiltinObject),
    ],
    validateUpdate(next, old) {
      const change = rules.validateUpdate?.(next as BuiltinObject, old as BuiltinObject) ?? []
      const object = [
        ...(rules.validate?.(next as BuiltinObject) ?? []),
        ...checkEnums(next as BuiltinObject),
      ]
      return rules.changeFirst === true ? [...change, ...object] : [...object, ...change]
    },
    warnings: (next, old) =>
      rules.warnings?.(next as BuiltinObject, old as BuiltinObject | undefined) ?? [],
    allowUnconditionalUpdate: rules.requiresVersion !== true,
    allowCreateOnUpdate: rules.allowCreateOnUpdate === true,
    nameRule: rules.nameRule ?? subdomainName,
    ...(hasStatus ? { resetFields: rules.resets ?? [['status']] } : {}),
    ...rules.deletion,
  }
}

/** The strategy of a subresource that can only write some fields, such as `status`. */
export function viewStrategy(
  main: Strategy,
  rules: KindRules,
  written: readonly string[],
): Strategy {
  const kept = (written.includes('status') ? rules.statusKeeps : undefined) ?? []
  return {
    ...main,
    allowCreateOnUpdate: false,
    resetFields: [...keptPaths(kept), ...(written.includes('status') ? [['spec']] : [['status']])],
    prepareForUpdate(given, before) {
      const next = given as BuiltinObject
      const old = before as BuiltinObject
      for (const key of new Set([...Object.keys(next), ...Object.keys(old)])) {
        if (key === 'metadata' || written.includes(key)) continue
        if (old[key] === undefined) delete next[key]
        else next[key] = old[key]
      }
      keepMetadata(next, old, kept === 'metadata' ? userMetadata : kept)
    },
    validateUpdate: (next, old) =>
      rules.validateStatusUpdate?.(next as BuiltinObject, old as BuiltinObject) ?? [],
    warnings: () => [],
  }
}

/** Finalizers must have a domain, except for the few that are known without one. */
function finalizerErrors({ metadata }: KubeObject): FieldError[] {
  return (metadata.finalizers ?? []).flatMap((finalizer, index) =>
    finalizer.includes('/') || ['kubernetes', 'orphan', 'foregroundDeletion'].includes(finalizer)
      ? []
      : [
          invalidValue(
            `metadata.finalizers[${index}]`,
            finalizer,
            'name is neither a standard finalizer name nor is it fully qualified',
          ),
        ],
  )
}

const userMetadata = ['labels', 'annotations', 'finalizers', 'ownerReferences'] as const

/** The fields whose values are discarded, so that nobody owns them. */
function keptPaths(kept: NonNullable<KindRules['statusKeeps']>): string[][] {
  return kept === 'metadata' ? [['metadata']] : kept.map((name) => ['metadata', name])
}

function keepMetadata(
  { metadata }: BuiltinObject,
  old: BuiltinObject,
  names: readonly KeptField[],
): void {
  for (const name of names) {
    if (old.metadata[name] === undefined) delete metadata[name]
    else Object.assign(metadata, { [name]: old.metadata[name] })
  }
}

function differs(next: KubeObject, old: KubeObject): boolean {
  return !sameJson(body(next), body(old))
}

function body(object: KubeObject): Fields {
  const { metadata: _metadata, status: _status, ...rest } = object as BuiltinObject
  return rest
}
