import { createHash } from 'node:crypto'
import { formatApiVersion, stringifyJson } from '@agents/kube'
import type { BuiltinTables } from '../builtin/schema/tables.ts'
import type { Registry } from '../registry/registry.ts'
import type { Resource } from '../registry/resource.ts'
import { createBuiltinDefinitions } from './builtin-definitions.ts'
import { type OpenApiDocument, openApiDocument } from './document.ts'
import { swaggerDocument } from './swagger-document.ts'

/** A document as bytes, with a hash that is the same for the same content in every process. */
export interface Published {
  readonly hash: string
  body(): Buffer
}

export interface PublishedDocuments {
  /** By path: `api/v1`, `apis/apps/v1`. */
  all(): ReadonlyMap<string, Published>
  /** OpenAPI v2. */
  swagger(): Published
}

/**
 * The documents of what the registry serves. A hash is made from what a document is made from, so that the index costs
 * little; the documents are made when they are read, and again only when their hash has changed.
 */
export function publishDocuments(
  registry: Registry,
  tables: Pick<BuiltinTables, 'definitions' | 'packages'>,
): PublishedDocuments {
  const builtin = createBuiltinDefinitions(tables)
  const prints = new WeakMap<Resource, string>()
  let generation = -1
  let documents = new Map<string, Published & { document(): OpenApiDocument }>()
  let swagger: Published | undefined

  const refresh = (): typeof documents => {
    if (generation === registry.generation) return documents
    const next: typeof documents = new Map()
    for (const [path, resources] of Map.groupBy(registry.all(), documentPath)) {
      const hash = hashOf(resources.map((resource) => fingerprint(resource, prints)))
      const known = documents.get(path)
      if (known?.hash === hash) {
        next.set(path, known)
        continue
      }
      const document = (): OpenApiDocument => openApiDocument(resources, builtin)
      next.set(path, { hash, document, body: bytes(document) })
    }
    documents = next
    generation = registry.generation
    swagger = undefined
    return documents
  }

  return {
    all: refresh,
    swagger: () => {
      const current = [...refresh().values()]
      swagger ??= {
        hash: hashOf(current.map(({ hash }) => hash)),
        body: bytes(() => swaggerDocument(current.map(({ document }) => document()))),
      }
      return swagger
    },
  }
}

function documentPath({ group, version }: Resource): string {
  return `${group === '' ? 'api' : 'apis'}/${formatApiVersion({ group, version })}`
}

/** Everything of a resource that shows in its document. Built-in schemas change with the program only. */
function fingerprint(resource: Resource, known: WeakMap<Resource, string>): string {
  const found = known.get(resource)
  if (found !== undefined) return found
  const { kind, listKind, plural, namespaced, verbs, selectableFields, subresources } = resource
  const below = [...subresources.values()].map(
    ({ name, group, version, kind: of, verbs: may }) => ({
      name,
      group,
      version,
      of,
      may,
    }),
  )
  const shown = {
    format: 1,
    ...{ kind, listKind, plural, namespaced, verbs, selectableFields, below },
    schema: resource.isCustom ? resource.schema : undefined,
  }
  const made = hashOf([JSON.stringify(shown, textOfBigint)])
  known.set(resource, made)
  return made
}

function textOfBigint(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? `${value}n` : value
}

function hashOf(parts: readonly string[]): string {
  const hash = createHash('sha512')
  for (const part of parts) hash.update(part).update('\n')
  return hash.digest('hex').toUpperCase()
}

function bytes(make: () => object): () => Buffer {
  let made: Buffer | undefined
  return () => {
    made ??= Buffer.from(`${stringifyJson(make())}\n`)
    return made
  }
}
