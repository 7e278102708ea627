import type { Step } from '../scenario.ts'

/** Field managers. Entries are ordered by time, to the second, so that the order depends on the machine. */
export function managers(object: string): Step {
  return {
    command: `get ${object} -o jsonpath='{range .metadata.managedFields[*]}{.manager} {.operation} {.apiVersion} {.subresource} {.fieldsV1}{"\\n"}{end}'`,
    unordered: true,
  }
}
