import { findManifest, withoutMark } from '../../document/change-file.ts'
import type { ManifestIdentity } from '../../document/identity.ts'
import { parseManifestPath } from '../../document/manifest-path.ts'
import type { PathTemplate } from '../../document/path-template.ts'
import { type Manifest, readManifests } from '../../document/read-manifests.ts'
import { isKustomization } from './implied-namespaces.ts'
import { isFingerprinted } from './render-file.ts'

/** Where the manifests of a folder are. */
export interface FolderLayout {
  /** Without leading and trailing slashes; empty for the root. */
  readonly folder: string
  /** If omitted, the default layout. */
  readonly template?: PathTemplate | undefined
}

export function mayHoldManifests(path: string): boolean {
  return isKustomization(path) || (/\.(?:ya?ml|json)$/.test(path) && !path.endsWith('/.sops.yaml'))
}

/** Whether the file describes the object, as far as that can be seen without the key. */
export function describes(
  text: string,
  identity: ManifestIdentity,
  impliesNamespace: boolean,
): boolean {
  if (isFingerprinted(text)) return true
  return findManifest(manifestsIn(text), identity, impliesNamespace) !== undefined
}

export function manifestsIn(text: string): Manifest[] {
  // A folder may contain large files of other kinds.
  if (!text.includes('apiVersion')) return []
  const documents = readManifests(withoutMark(text))?.documents ?? []
  return documents.flatMap(({ manifests }) => manifests)
}

/** A manifest at any other path is never swept: a person put it there, possibly to apply it later. */
export function isOwnPath(
  path: string,
  identity: ManifestIdentity,
  { folder, template }: FolderLayout,
): boolean {
  const relative = folder === '' ? path : path.slice(folder.length + 1)
  if (template !== undefined) return template.isPathOf(relative, identity)
  const place = parseManifestPath(relative)
  return (
    place !== undefined &&
    place.group === identity.group &&
    place.namespace === identity.namespace &&
    place.name === identity.name
  )
}
