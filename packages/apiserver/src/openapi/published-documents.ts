import { createHash } from 'node:crypto'
import { formatApiVersion, stringifyJson } from '@agents/kube'
import type { BuiltinTables } from '../builtin/schema/tables.ts'
import type { Registry } from '../registry/registry.ts'
import type { Resource } from '../registry/resource.ts'
import { createBuiltinDefinitions } from './builtin-definitions.ts'
import { type OpenApiDocument, openApiDocument } from './document.ts'
import { encodeSwagger } from './protobuf/encode-swagger.ts'
import { swaggerDocument } from './swagger-document.ts'
import { versionDocument } from './version-document.ts'

/** A document as bytes, with a hash that is the same for the same content in every process. */
export interface Published {
  readonly hash: string
  body(): Buffer
}

/** Both encodings have the same hash; responses vary by `Accept`. */
export interface PublishedSwagger extends Published {
  protobuf(): Buffer
}

interface PublishedDocuments {
  /** Documents by path: `api/v1`, `apis/apps/v1`, `version`. */
  all(): ReadonlyMap<string, Published>
  /** The document in OpenAPI v2. */
  swagger(): PublishedSwagger
}

/**
 * The documents of all resources in the registry. A hash is computed from the input of a document, so that the index is
 * cheap. A document is built when it is requested, and again only if its hash has changed.
 */
export function publishDocuments(
  registry: Registry,
  tables: Pick<BuiltinTables, 'definitions' | 'packages'>,
): PublishedDocuments {
  const builtin = createBuiltinDefinitions(tables)
  const prints = new WeakMap<Resource, string>()
  let generation = -1
  let documents = new Map<string, Published & { document(): OpenApiDocument }>()
  let swagger: PublishedSwagger | undefined

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

  const version: Published = {
    hash: hashOf([JSON.stringify(versionDocument)]),
    body: bytes(() => versionDocument),
  }
  return {
    all: () => new Map([...refresh(), ['version', version]]),
    swagger: () => {
      const current = [...refresh().values()]
      const make = (): object => swaggerDocument(current.map(({ document }) => document()))
      swagger ??= {
        hash: hashOf(current.map(({ hash }) => hash)),
        body: bytes(make),
        protobuf: once(() => encodeSwagger(make())),
      }
      return swagger
    },
  }
}

function documentPath({ group, version }: Resource): string {
  return `${group === '' ? 'api' : 'apis'}/${formatApiVersion({ group, version })}`
}

/** The parts of a resource that its document depends on. Built-in schemas never change at run time. */
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
  const printed = {
    format: 1,
    ...{ kind, listKind, plural, namespaced, verbs, selectableFields, below },
    schema: resource.isCustom ? resource.schema : undefined,
  }
  const made = hashOf([JSON.stringify(printed, textOfBigint)])
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
  return once(() => Buffer.from(`${stringifyJson(make())}\n`))
}

function once(make: () => Buffer): () => Buffer {
  let made: Buffer | undefined
  return () => {
    made ??= make()
    return made
  }
}
