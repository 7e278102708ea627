/** A JSON value. Integers beyond 2^53 are bigints, so that they survive a round trip. */
export type Json = null | boolean | number | bigint | string | Json[] | { [key: string]: Json }

/**
 * The schema dialect of CustomResourceDefinitions (`JSONSchemaProps` of apiextensions.k8s.io/v1), as far as a
 * structural schema may use it.
 */
export interface Schema {
  description?: string
  title?: string
  type?: 'object' | 'array' | 'string' | 'integer' | 'number' | 'boolean'
  format?: string
  default?: Json
  example?: Json
  nullable?: boolean
  enum?: Json[]

  properties?: Record<string, Schema>
  additionalProperties?: Schema | boolean
  required?: string[]
  minProperties?: number
  maxProperties?: number

  items?: Schema
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean

  minLength?: number
  maxLength?: number
  pattern?: string

  minimum?: number
  maximum?: number
  exclusiveMinimum?: boolean
  exclusiveMaximum?: boolean
  multipleOf?: number

  allOf?: Schema[]
  anyOf?: Schema[]
  oneOf?: Schema[]
  not?: Schema

  externalDocs?: { description?: string; url?: string }

  'x-kubernetes-preserve-unknown-fields'?: true
  'x-kubernetes-embedded-resource'?: true
  'x-kubernetes-int-or-string'?: true
  'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map'
  'x-kubernetes-list-map-keys'?: string[]
  'x-kubernetes-map-type'?: 'atomic' | 'granular'
  'x-kubernetes-validations'?: ValidationRule[]
}

/** One CEL rule of `x-kubernetes-validations`. */
export interface ValidationRule {
  rule: string
  message?: string
  messageExpression?: string
  reason?:
    | 'FieldValueInvalid'
    | 'FieldValueForbidden'
    | 'FieldValueRequired'
    | 'FieldValueDuplicate'
  fieldPath?: string
  optionalOldSelf?: boolean
}
