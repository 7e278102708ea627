/** Why a field was refused: the cause reasons of a Kubernetes `Status`. */
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
  /** `spec.containers[0].name`; map keys as `labels[a.b/c]`. */
  readonly field: string
  /** Without the field: `Invalid value: "x": must be …`, in Kubernetes' own wording. */
  readonly message: string
}

/** As kube-apiserver prints it: `spec.replicas: Invalid value: "string": spec.replicas in body must be of type integer: "string"`. */
export function formatFieldError(error: FieldError): string {
  return `${error.field === '' ? '<nil>' : error.field}: ${error.message}`
}
