import { isMap, isScalar, type Node, type Pair, parseDocument } from 'yaml'

/** The subset of JSON Schema that the chart needs. */
export type ValueSchema = { readonly [keyword: string]: unknown }

/** One key of values.yaml. */
export interface ChartValue {
  readonly path: readonly string[]
  readonly description: string
  readonly fallback: unknown
  /** The keywords of "# @schema", in addition to those that follow from the default. */
  readonly narrowing: ValueSchema
  /** Empty for a leaf, and for a map with free keys. */
  readonly children: readonly ChartValue[]
}

/**
 * Parses values.yaml into a tree. A comment "# -- text" above a key describes it; "# @schema {…}" narrows its schema,
 * where `open: true` allows free keys in a map with defaults.
 */
export function readValueTree(text: string): readonly ChartValue[] {
  const document = parseDocument(text)
  if (document.errors.length > 0) throw document.errors[0]
  return children(document.contents, [])
}

/** Every value, parents first. */
export function listValues(values: readonly ChartValue[]): readonly ChartValue[] {
  return values.flatMap((value) => [value, ...listValues(value.children)])
}

function children(node: unknown, path: readonly string[]): readonly ChartValue[] {
  if (!isMap(node)) return []
  return node.items.map((pair, index) => {
    // The parser assigns the comment above the first key of a map to the map.
    const above = index === 0 ? node.commentBefore : undefined
    return readValue(pair as Pair<Node, Node | null>, path, above ?? '')
  })
}

function readValue(
  { key, value }: Pair<Node, Node | null>,
  path: readonly string[],
  above: string,
): ChartValue {
  const name = isScalar(key) ? String(key.value) : ''
  const comment = key.commentBefore ?? above
  const here = [...path, name]
  const narrowing = readNarrowing(comment, here)
  return {
    path: here,
    description: readDescription(comment),
    fallback: value?.toJSON() ?? null,
    narrowing,
    children: narrowing.open === true ? [] : children(value, here),
  }
}

function readDescription(comment: string): string {
  const lines = comment.split('\n').map((line) => line.trim())
  return lines.findLast((line) => line.startsWith('-- '))?.slice(3) ?? ''
}

function readNarrowing(comment: string, path: readonly string[]): ValueSchema {
  const line = comment
    .split('\n')
    .map((part) => part.trim())
    .findLast((part) => part.startsWith('@schema '))
  if (line === undefined) return {}
  try {
    return JSON.parse(line.slice('@schema '.length))
  } catch (error) {
    throw new Error(`values.yaml: the @schema comment of ${path.join('.')} is not valid JSON`, {
      cause: error,
    })
  }
}
