import type { FieldError } from '../field-error/field-error.ts'

/** A field error with the key for removing duplicates: upstream reports each inner message once. */
export interface Finding {
  readonly key: string
  readonly error: FieldError
}

/** The errors in order, without duplicates. */
export function distinctErrors(findings: readonly Finding[]): FieldError[] {
  const seen = new Set<string>()
  const errors: FieldError[] = []
  for (const { key, error } of findings) {
    if (seen.has(key)) continue
    seen.add(key)
    errors.push(error)
  }
  return errors
}
