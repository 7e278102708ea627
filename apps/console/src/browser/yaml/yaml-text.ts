import type { ApiObject } from '@agents/client'
import { stringify } from 'yaml'

/** An object as YAML, without what only the API server reads. */
export function yamlOf(object: ApiObject): string {
  const { managedFields: _removed, ...metadata } = object.metadata as ApiObject['metadata'] & {
    readonly managedFields?: unknown
  }
  return stringify({ ...object, metadata }, { lineWidth: 0 })
}
