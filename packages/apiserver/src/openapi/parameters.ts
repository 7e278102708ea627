/** A query or path parameter in OpenAPI v3. */
export interface Parameter {
  readonly name: string
  readonly in: 'query' | 'path'
  readonly description: string
  readonly required?: true
  readonly schema: { readonly type: string; readonly uniqueItems: true }
}

export const pathParameters = {
  name: { ...parameter('name', 'Name of the object.'), in: 'path', required: true },
  namespace: { ...parameter('namespace', 'Namespace of the objects.'), in: 'path', required: true },
} satisfies Record<string, Parameter>

const pretty = parameter('pretty', 'Indents the answer when "true".')
const dryRun = parameter('dryRun', '"All" does everything but keep the result.')
const fieldManager = parameter('fieldManager', 'Who owns the fields that the request sets.')
const fieldValidation = parameter(
  'fieldValidation',
  'What becomes of unknown and repeated fields: Ignore, Warn or Strict.',
)

/** The parameters of all operations of a path. */
export const sharedParameters: readonly Parameter[] = [pretty]

export const writeParameters: readonly Parameter[] = [dryRun, fieldManager, fieldValidation]

export const patchParameters: readonly Parameter[] = [
  ...writeParameters,
  parameter('force', 'Takes over the fields that others own; for server-side apply.', 'boolean'),
]

export const readParameters: readonly Parameter[] = [
  parameter('resourceVersion', 'How old the answer may be.'),
]

export const deleteParameters: readonly Parameter[] = [
  dryRun,
  parameter('gracePeriodSeconds', 'Time that the object gets to end.', 'integer'),
  parameter('orphanDependents', 'Older form of propagationPolicy.', 'boolean'),
  parameter('propagationPolicy', 'What becomes of dependents: Orphan, Background or Foreground.'),
]

export const listParameters: readonly Parameter[] = [
  parameter('allowWatchBookmarks', 'Lets the watch send bookmarks.', 'boolean'),
  parameter('continue', 'Where the page before this one ended.'),
  parameter('fieldSelector', 'Narrows the objects by their fields.'),
  parameter('labelSelector', 'Narrows the objects by their labels.'),
  parameter('limit', 'Greatest number of objects in the answer.', 'integer'),
  parameter('resourceVersion', 'How old the answer may be, or where a watch starts.'),
  parameter('resourceVersionMatch', 'What resourceVersion means for a list.'),
  parameter('sendInitialEvents', 'Lets a watch begin with what is there.', 'boolean'),
  parameter('timeoutSeconds', 'How long the request may take.', 'integer'),
  parameter('watch', 'Sends changes instead of a list.', 'boolean'),
]

function parameter(name: string, description: string, type = 'string'): Parameter {
  return { name, in: 'query', description, schema: { type, uniqueItems: true } }
}
