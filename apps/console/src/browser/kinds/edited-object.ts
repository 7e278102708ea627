import type { ApiObject } from '@agents/client'
import { parse, stringify } from 'yaml'

/** What a person edits of an object: neither its status nor what the API server keeps. */
export function editableYaml({ apiVersion, kind, metadata, spec, ...rest }: ApiObject): string {
  const { name, namespace, labels, annotations } = metadata
  const { status: _status, ...other } = rest as Record<string, unknown>
  const shown = {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace,
      ...(labels !== undefined && { labels }),
      ...(annotations !== undefined && { annotations }),
    },
    ...(spec !== undefined && { spec }),
    ...other,
  }
  return stringify(shown, { lineWidth: 0 })
}

/** The object as it was edited, in the version that was read. Undefined if the text is not an object. */
export function editedObject(text: string, base: ApiObject): ApiObject | undefined {
  try {
    const parsed: unknown = parse(text, { logLevel: 'error' })
    if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return undefined
    const { metadata, ...rest } = parsed as Partial<ApiObject>
    const { labels: _labels, annotations: _annotations, ...kept } = base.metadata
    return {
      ...(rest as ApiObject),
      ...(base.status !== undefined && { status: base.status }),
      metadata: { ...kept, ...metadata, name: metadata?.name ?? base.metadata.name },
    }
  } catch {
    return undefined
  }
}
