import type { FieldError } from '../field-error.ts'

/** A field error before duplicates are dropped: upstream reports each of its inner messages once. */
export interface Finding {
  readonly key: string
  readonly error: FieldError
}

/** The findings in order, each inner message once. */
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
