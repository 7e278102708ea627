import type { FieldError } from '@agents/crd'
import { validateFieldManager } from '../metadata/validate-metadata.ts'
import { isTrue } from '../request/request-info.ts'
import { invalid } from '../status/api-error.ts'
import { forbiddenValue, requiredValue, unsupportedValue } from '../status/field-errors.ts'

interface WriteOptions {
  readonly dryRun: boolean
  readonly fieldManager: string | undefined
  readonly fieldValidation: 'Strict' | 'Warn' | 'Ignore'
  readonly force: boolean
}

type WriteKind = 'CreateOptions' | 'UpdateOptions' | 'PatchOptions'

/** Reads the query of a create, update or patch. Throws upstream's 422 if it is invalid. */
export function parseWriteOptions(
  query: URLSearchParams,
  kind: WriteKind,
  isApply: boolean,
): WriteOptions {
  const fieldManager = query.get('fieldManager') ?? undefined
  const dryRun = query.getAll('dryRun').filter((value) => value !== '')
  const fieldValidation = query.get('fieldValidation') ?? ''
  const errors: FieldError[] = []
  if (kind === 'PatchOptions') {
    if (isApply && (fieldManager ?? '') === '') {
      errors.push(requiredValue('fieldManager', 'is required for apply patch'))
    }
    if (!isApply && query.has('force')) {
      errors.push(forbiddenValue('force', 'may not be specified for non-apply patch'))
    }
  }
  errors.push(...validateFieldManager(fieldManager ?? '', 'fieldManager'))
  errors.push(...dryRunErrors(dryRun))
  if (!isFieldValidation(fieldValidation)) {
    errors.push(
      unsupportedValue('fieldValidation', fieldValidation, ['', 'Ignore', 'Strict', 'Warn']),
    )
  }
  if (errors.length > 0) throw invalid({ group: 'meta.k8s.io', kind }, '', errors)
  return {
    dryRun: dryRun.length > 0,
    fieldManager,
    fieldValidation: fieldValidation === '' ? 'Warn' : (fieldValidation as 'Strict'),
    force: isTrue(query.get('force')),
  }
}

export function dryRunErrors(dryRun: readonly string[]): FieldError[] {
  return dryRun.every((value) => value === 'All')
    ? []
    : [unsupportedValue('dryRun', dryRun, ['All'])]
}

function isFieldValidation(text: string): boolean {
  return ['', 'Ignore', 'Strict', 'Warn'].includes(text)
}
