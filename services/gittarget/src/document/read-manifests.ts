import { parseApiVersion } from '@agents/kube'
import type { ManifestIdentity } from './identity.ts'
import { parseSource, type SourceCollection, type SourceNode } from './source-tree.ts'

/** One object that a document describes. */
export interface Manifest {
  /** The namespace is empty if the manifest has none. */
  readonly identity: ManifestIdentity
  /** Index in `items`, if the document is a List. */
  readonly item: number | undefined
}

/** One document of a file. */
interface ManifestDocument {
  /** Its bytes in the file, including the separator before it. */
  readonly text: string
  /** Empty if it describes no object; several if it is a List. */
  readonly manifests: readonly Manifest[]
}

interface ManifestFile {
  /** In order. The texts joined together are the file. */
  readonly documents: readonly ManifestDocument[]
}

/** Reads a YAML or JSON file of any origin. Undefined if it cannot be split into documents safely. */
export function readManifests(text: string): ManifestFile | undefined {
  const documents = parseSource(text)
  if (documents === undefined) return undefined
  if (documents.length === 0) return { documents: [{ text, manifests: [] }] }
  let start = 0
  return {
    documents: documents.map(({ root, end }, index) => {
      const own = text.slice(start, index === documents.length - 1 ? text.length : end)
      start = end
      return { text: own, manifests: root === undefined ? [] : manifestsOf(root) }
    }),
  }
}

function manifestsOf(root: SourceNode): Manifest[] {
  const identity = identityIn(root)
  if (identity !== undefined) return [{ identity, item: undefined }]
  return itemsOf(root).flatMap((node, item) => {
    const each = identityIn(node)
    return each === undefined ? [] : [{ identity: each, item }]
  })
}

/** The items of a List; none if the document is not a List. */
function itemsOf(root: SourceNode): SourceNode[] {
  const kind = textAt(root, 'kind')
  const items = memberOf(root, 'items')
  if (!kind?.endsWith('List') || items?.kind !== 'list') return []
  return items.entries.map(({ node }) => node)
}

function identityIn(root: SourceNode): ManifestIdentity | undefined {
  const apiVersion = textAt(root, 'apiVersion')
  const kind = textAt(root, 'kind')
  const metadata = memberOf(root, 'metadata')
  const name = metadata && textAt(metadata, 'name')
  if (apiVersion === undefined || kind === undefined || !name) return undefined
  const namespace =
    memberOf(metadata, 'namespace') === undefined ? '' : textAt(metadata, 'namespace')
  if (namespace === undefined) return undefined
  return { group: parseApiVersion(apiVersion).group, kind, namespace, name }
}

/** A name such as `on` or `1234` counts as text, though Go reads another type: the mirror corrects it. */
function textAt(map: SourceNode, name: string): string | undefined {
  const node = memberOf(map, name)
  return node?.kind === 'scalar' && node.value !== null ? node.text : undefined
}

/** Undefined also if the member comes from a merge key or is ambiguous. */
function memberOf(map: SourceNode, name: string): SourceNode | undefined {
  const own = resolved(map)
  if (own?.kind !== 'map') return undefined
  const [entry, ...others] = (own as SourceCollection).entries.filter(({ key }) => key === name)
  return entry === undefined || others.length > 0 ? undefined : resolved(entry.node)
}

function resolved(node: SourceNode): SourceNode | undefined {
  return node.kind === 'alias' ? node.target : node
}
