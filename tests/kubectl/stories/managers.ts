import type { Step } from '../story.ts'

/** Who owns what. Entries are in the order of their times, to the second, so the order depends on the machine. */
export const managers = (object: string): Step => ({
  command: `get ${object} -o jsonpath='{range .metadata.managedFields[*]}{.manager} {.operation} {.apiVersion} {.subresource} {.fieldsV1}{"\\n"}{end}'`,
  unordered: true,
})
