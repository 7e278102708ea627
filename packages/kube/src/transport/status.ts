/** `metav1.Status`: the response of the server if there is no object to return. */
export interface Status {
  readonly apiVersion?: string
  readonly kind: 'Status'
  readonly metadata?: { readonly continue?: string }
  readonly status?: 'Success' | 'Failure'
  readonly message?: string
  readonly reason?: string
  readonly details?: StatusDetails
  readonly code?: number
}

export interface StatusDetails {
  readonly name?: string
  readonly group?: string
  /** The resource for most errors, the kind for Invalid. */
  readonly kind?: string
  readonly uid?: string
  readonly causes?: readonly StatusCause[]
  readonly retryAfterSeconds?: number
}

export interface StatusCause {
  /** `FieldValueInvalid`, `ResourceVersionTooLarge`, … */
  readonly reason?: string
  readonly message?: string
  readonly field?: string
}

export function isStatus(value: unknown): value is Status {
  if (value === null || typeof value !== 'object') return false
  const { kind, apiVersion } = value as Record<string, unknown>
  return kind === 'Status' && (apiVersion === 'v1' || apiVersion === undefined)
}
