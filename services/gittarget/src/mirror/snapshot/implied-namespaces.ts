import { posix } from 'node:path'
import { readDocument } from '../../document/edit-manifest.ts'

/**
 * The namespaces of manifests that do not name one, by their place in the repository: a kustomization that lists the
 * file sets its namespace, or a folder has the name of the namespace.
 */
export class ImpliedNamespaces {
  readonly #kustomizations: ReadonlyMap<string, Kustomization>
  /** By path of the manifest. */
  readonly #set = new Map<string, Set<string>>()

  /** `texts` are files by path; those that are not kustomizations are ignored. */
  constructor(texts: ReadonlyMap<string, string>) {
    const found = [...texts].flatMap(([path, text]) => {
      const kustomization = isKustomization(path) ? readKustomization(path, text) : undefined
      return kustomization === undefined ? [] : [[posix.dirname(path), kustomization] as const]
    })
    this.#kustomizations = new Map(found)
    const listed = new Set(found.flatMap(([, { resources }]) => resources))
    const visited = new Set<string>()
    for (const [folder] of found) if (!listed.has(folder)) this.#visit(folder, undefined, visited)
  }

  /**
   * Namespaces that a manifest at this path may belong to, the most likely first. None if kustomizations with different
   * namespaces use the file: no single object is its state.
   */
  of(path: string): readonly string[] {
    const set = this.#set.get(path)
    if (set !== undefined) return set.size === 1 ? [...set] : []
    return path.split('/').slice(0, -1).reverse()
  }

  /** The namespace of an outer kustomization replaces that of the ones it includes. */
  #visit(folder: string, outer: string | undefined, visited: Set<string>): void {
    const kustomization = this.#kustomizations.get(folder)
    if (kustomization === undefined) return
    const namespace = outer ?? kustomization.namespace
    const visit = `${folder}\0${namespace ?? ''}`
    if (visited.has(visit)) return
    visited.add(visit)
    for (const resource of kustomization.resources) {
      if (this.#kustomizations.has(resource)) this.#visit(resource, namespace, visited)
      else if (namespace !== undefined) {
        const known = this.#set.get(resource) ?? new Set()
        this.#set.set(resource, known.add(namespace))
      }
    }
  }
}

interface Kustomization {
  readonly namespace: string | undefined
  /** Files and folders from the root of the repository. */
  readonly resources: readonly string[]
}

export function isKustomization(path: string): boolean {
  return /^(?:kustomization\.ya?ml|Kustomization)$/.test(posix.basename(path))
}

function readKustomization(path: string, text: string): Kustomization | undefined {
  const value = readDocument(text)
  if (value === undefined) return undefined
  const { namespace, resources, bases, components } = value
  const listed = [resources, bases, components].flatMap((list) => (Array.isArray(list) ? list : []))
  return {
    namespace: typeof namespace === 'string' && namespace !== '' ? namespace : undefined,
    resources: listed
      .filter((each) => typeof each === 'string')
      .map((each) => posix.join(posix.dirname(path), each).replace(/\/$/, '')),
  }
}
