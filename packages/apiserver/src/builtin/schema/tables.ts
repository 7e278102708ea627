import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CompactDefinition } from './compact-definition.ts'

/** One resource of `generated/discovery.json`. */
export interface DiscoveredResource {
  readonly gv: string
  readonly resource: string
  readonly kind: string
  readonly singular: string
  readonly scope: 'Namespaced' | 'Cluster'
  readonly verbs: readonly string[]
  readonly short?: readonly string[]
  readonly categories?: readonly string[]
  readonly sub?: Readonly<Record<string, DiscoveredSubresource>>
}

interface DiscoveredSubresource {
  readonly kind?: string
  readonly gv?: string
  readonly verbs: readonly string[]
}

export type ProtobufField =
  | readonly [name: string, type: string]
  | readonly [name: string, type: string, mark: 'inline' | 'omit']

interface ProtobufTable {
  readonly special: Readonly<Record<string, string>>
  readonly messages: Readonly<Record<string, Readonly<Record<string, ProtobufField>>>>
}

/** The generated tables. Each file is read when first used. */
export interface BuiltinTables {
  readonly definitions: Readonly<Record<string, CompactDefinition>>
  /** Full package names by short name: `core.v1` is `io.k8s.api.core.v1` in OpenAPI. */
  readonly packages: Readonly<Record<string, string>>
  readonly goFields: Readonly<Record<string, Readonly<Record<string, string>>>>
  readonly groupVersions: readonly string[]
  readonly resources: readonly DiscoveredResource[]
  readonly protobuf: ProtobufTable
  /** The RBAC objects of a new cluster, by kind. */
  readonly bootstrapPolicy: Readonly<Record<string, readonly PolicyObject[]>>
}

interface PolicyObject {
  readonly metadata: { readonly name: string; readonly namespace?: string }
}

export function readBuiltinTables(): BuiltinTables {
  const schemas = once<Pick<BuiltinTables, 'definitions' | 'packages'>>('schemas.json')
  const discovery = once<Pick<BuiltinTables, 'groupVersions' | 'resources'>>('discovery.json')
  const go = once<{ fields: BuiltinTables['goFields'] }>('go-fields.json')
  const protobuf = once<ProtobufTable>('protobuf-fields.json')
  const policy = once<BuiltinTables['bootstrapPolicy']>('bootstrap-policy.json')
  return {
    get definitions() {
      return schemas().definitions
    },
    get packages() {
      return schemas().packages
    },
    get goFields() {
      return go().fields
    },
    get groupVersions() {
      return discovery().groupVersions
    },
    get resources() {
      return discovery().resources
    },
    get protobuf() {
      return protobuf()
    },
    get bootstrapPolicy() {
      return policy()
    },
  }
}

function once<T>(file: string): () => T {
  let content: T | undefined
  return () => {
    content ??= JSON.parse(
      readFileSync(join(import.meta.dirname, '../generated', file), 'utf8'),
    ) as T
    return content
  }
}
