/** The reason why a field is invalid: the cause reasons of a Kubernetes `Status`. */
export type FieldErrorReason =
  | 'FieldValueNotFound'
  | 'FieldValueRequired'
  | 'FieldValueDuplicate'
  | 'FieldValueInvalid'
  | 'FieldValueNotSupported'
  | 'FieldValueForbidden'
  | 'FieldValueTooLong'
  | 'FieldValueTooMany'
  | 'InternalError'
  | 'FieldValueTypeInvalid'

export interface FieldError {
  readonly reason: FieldErrorReason
  /** The path of the field, such as `spec.containers[0].name`; map keys as `labels[a.b/c]`. */
  readonly field: string
  /** The message without the field, worded as Kubernetes does: `Invalid value: "x": must be …`. */
  readonly message: string
}

/**
 * Formats an error as kube-apiserver does, such as `spec.replicas: Invalid value: "string": spec.replicas in body must
 * be of type integer: "string"`.
 */
export function formatFieldError(error: FieldError): string {
  return `${error.field === '' ? '<nil>' : error.field}: ${error.message}`
}
