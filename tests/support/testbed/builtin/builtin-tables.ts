import { join } from 'node:path'
import type { JsonGetter } from '../json-getter.ts'
import { bootstrapPolicy } from './bootstrap-policy.ts'
import { compactDiscovery, type DiscoveryList } from './compact-discovery.ts'
import { compactSchemas } from './compact-schema.ts'
import { goFieldTable } from './go-fields.ts'
import { builtinGroupVersions, openApiPath } from './group-versions.ts'
import { jsonWithLines } from './json-lines.ts'
import type { OpenApiDocument } from './open-api.ts'
import { readProtoPackages, requestRoots } from './proto-packages.ts'
import { protobufTable } from './protobuf-fields.ts'

export const generatedDirectory = join(
  import.meta.dirname,
  '../../../../packages/apiserver/src/builtin/generated',
)

/** File name → text of each table; the formats are described in dump-builtin-schemas.ts. */
export async function builtinTables(get: JsonGetter): Promise<Record<string, string>> {
  const schemas = compactSchemas(await readDocuments(get))
  const discovery = compactDiscovery(await readDiscovery(get), builtinGroupVersions)
  const packages = await readProtoPackages()
  const protobuf = protobufTable(packages, requestRoots(schemas))
  return {
    'schemas.json': jsonWithLines({ ...schemas }),
    'discovery.json': jsonWithLines({ ...discovery }),
    'protobuf-fields.json': jsonWithLines({ ...protobuf }),
    'bootstrap-policy.json': jsonWithLines(await bootstrapPolicy(get)),
    'go-fields.json': jsonWithLines({ fields: goFieldTable(packages, schemas) }),
  }
}

export async function readDocuments(get: JsonGetter): Promise<OpenApiDocument[]> {
  const index = (await get('/openapi/v3')) as {
    readonly paths: Readonly<Record<string, { readonly serverRelativeURL: string }>>
  }
  const documents: OpenApiDocument[] = []
  for (const groupVersion of builtinGroupVersions) {
    const entry = index.paths[openApiPath(groupVersion)]
    if (entry === undefined) throw new Error(`/openapi/v3 does not list ${groupVersion}`)
    documents.push((await get(entry.serverRelativeURL)) as OpenApiDocument)
  }
  return documents
}

function readDiscovery(get: JsonGetter): Promise<DiscoveryList[]> {
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'
  return Promise.all(['/api', '/apis'].map((path) => get(path, accept) as Promise<DiscoveryList>))
}
