import type { FieldError } from '@agents/crd'
import { formatApiVersion, type KubeObject, sameJson } from '@agents/kube'
import { labelKey } from '../metadata/name-rules.ts'
import type { Strategy } from '../registry/strategy.ts'
import { invalidValue } from '../status/field-errors.ts'
import type { CustomSchema } from './definition-rules.ts'
import { checkScaleSpec, checkScaleStatus, type ScalePaths } from './scale-checks.ts'

export interface CustomKind {
  readonly group: string
  readonly version: string
  readonly kind: string
  /** Whether the version has a status subresource. */
  readonly hasStatus: boolean
  readonly scale: ScalePaths | undefined
}

/** The strategy of custom resources. */
export function customStrategy(custom: CustomKind, schema: CustomSchema): Strategy {
  return {
    allowUnconditionalUpdate: false,
    allowCreateOnUpdate: false,
    ...(custom.hasStatus ? { resetFields: [['status']] } : {}),
    prune: (object) => schema.prune(object),
    setDefaults: (object) => schema.setDefaults(object),
    prepareForCreate: (object) => {
      if (custom.hasStatus) resetStatus(object, schema)
      object.metadata.generation = 1
    },
    prepareForUpdate: (next, old) => {
      if (custom.hasStatus) {
        if (old.status === undefined) resetStatus(next, schema)
        else next.status = old.status
      }
      if (!sameJson(content(next), content(old))) {
        next.metadata.generation = (old.metadata.generation ?? 0) + 1
      }
    },
    validate: (object) =>
      checkType(custom, object) ?? [
        ...schema.validate(object),
        ...checkScaleSpec(custom.scale, object),
        ...checkScaleStatus(custom.scale, object),
      ],
    validateUpdate: (next, old) =>
      checkType(custom, next) ?? [
        ...schema.validateUpdate(next, old),
        ...checkScaleSpec(custom.scale, next),
        ...checkScaleStatus(custom.scale, next),
      ],
    warnings: finalizerWarnings,
  }
}

/** The strategy of the status subresource. */
export function customStatusStrategy(custom: CustomKind, schema: CustomSchema): Strategy {
  const { warnings: _none, ...strategy } = customStrategy(custom, schema)
  return {
    ...strategy,
    resetFields: [['metadata'], ['spec']],
    prepareForUpdate: (next, old) => {
      const { status } = next
      const { managedFields } = next.metadata
      // Everything but the status comes from the old object, including unusual top-level fields.
      for (const key of Object.keys(next)) delete (next as unknown as Record<string, unknown>)[key]
      Object.assign(next, old, { metadata: { ...old.metadata } })
      if (managedFields === undefined) delete next.metadata.managedFields
      else next.metadata.managedFields = managedFields
      if (status === undefined) resetStatus(next, schema)
      else next.status = status
    },
    validateUpdate: (next, old) =>
      checkType(custom, next) ?? [
        ...schema.validateStatusUpdate(next, old),
        ...checkScaleStatus(custom.scale, next),
      ],
  }
}

/** Sets the defaults of the status, so that the stored object equals what is read. */
function resetStatus(object: KubeObject, schema: CustomSchema): void {
  const { apiVersion, kind, metadata } = object
  const empty: KubeObject = { apiVersion, kind, metadata }
  schema.setDefaults(empty)
  if (empty.status === undefined) delete object.status
  else object.status = empty.status
}

function content({ metadata: _metadata, ...rest }: KubeObject): object {
  return rest
}

function checkType(custom: CustomKind, object: KubeObject): FieldError[] | undefined {
  const errors: FieldError[] = []
  if (object.kind !== custom.kind) {
    errors.push(invalidValue('kind', object.kind, `must be ${custom.kind}`))
  }
  const apiVersion = formatApiVersion(custom)
  if (object.apiVersion !== apiVersion) {
    errors.push(invalidValue('apiVersion', object.apiVersion, `must be ${apiVersion}`))
  }
  return errors.length === 0 ? undefined : errors
}

const standardFinalizers = ['orphan', 'foregroundDeletion', 'kubernetes']

function finalizerWarnings(next: KubeObject, old: KubeObject | undefined): string[] {
  const { finalizers = [] } = next.metadata
  if (finalizers.length === 0) return []
  const before = old?.metadata.finalizers ?? []
  const added = finalizers.filter(
    (one, at) => !before.includes(one) && finalizers.indexOf(one) === at,
  )
  return added.sort().flatMap((finalizer) => {
    const isQualified = finalizer.includes('/') || standardFinalizers.includes(finalizer)
    const path = finalizer.includes('.') ? ' including a path (/)' : ''
    const messages = [
      ...labelKey(finalizer),
      ...(isQualified
        ? []
        : [
            `prefer a domain-qualified finalizer name${path} to avoid accidental conflicts with other finalizer writers`,
          ]),
    ]
    return messages.map(
      (message) => `metadata.finalizers: ${JSON.stringify(finalizer)}: ${message}`,
    )
  })
}
