import { createHash } from 'node:crypto'
import type { Schema } from '@agents/crd'
import type { KubeObject } from '@agents/kube'
import { isJsonObject } from '../json/json-value.ts'
import type { Resource, Subresource, TableColumn } from '../registry/resource.ts'
import { compareVersions } from '../registry/version-priority.ts'
import { type Convert, webhookView } from './conversion/webhook-view.ts'
import { type CustomKind, customStatusStrategy, customStrategy } from './custom-strategy.ts'
import type { Definition, DefinitionVersion } from './definition.ts'
import type { CustomSchema, DefinitionRules } from './definition-rules.ts'
import { type StorageSchemas, storageView } from './storage-view.ts'

/**
 * The resources of a definition: one for each served version. `schemaRevision` is the store revision of the last change
 * of the definition's spec: objects written later already have the served form. `isTerminating` is called for each
 * create, since a deletion of the definition changes nothing else about the resources. `convert` converts between
 * versions that differ in more than apiVersion.
 */
export function customResources(
  definition: Definition,
  rules: DefinitionRules,
  schemaRevision: number,
  isTerminating: () => boolean,
  convert: Convert | undefined,
): Resource[] {
  const { versions } = definition.spec
  const all = new Map(versions.map((version) => [version.name, rules.compile(schemaOf(version))]))
  const version = versions.find(({ storage }) => storage)?.name ?? ''
  const schema = all.get(version)
  if (schema === undefined) throw new Error(`${definition.metadata.name} stores no version`)
  const storage: StorageSchemas = { version, schema, all }
  return versions
    .filter(({ served }) => served)
    .map((served) =>
      customResource(definition, served, storage, schemaRevision, isTerminating, convert),
    )
}

function schemaOf(version: DefinitionVersion): Schema {
  return version.schema?.openAPIV3Schema ?? anySchema
}

const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch']
const anySchema: Schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true }
const ageColumn: TableColumn = {
  name: 'Age',
  type: 'date',
  jsonPath: '.metadata.creationTimestamp',
  description: '',
}

function customResource(
  definition: Definition,
  version: DefinitionVersion,
  storage: StorageSchemas,
  schemaRevision: number,
  isTerminating: () => boolean,
  convert: Convert | undefined,
): Resource {
  const { spec } = definition
  const names = definition.status?.acceptedNames ?? spec.names
  const schema = schemaOf(version)
  const compiled = storage.all.get(version.name) ?? storage.schema
  const custom: CustomKind = {
    group: spec.group,
    version: version.name,
    kind: names.kind,
    hasStatus: version.subresources?.status !== undefined,
    scale: version.subresources?.scale,
  }
  const columns = version.additionalPrinterColumns
  const selectable = (version.selectableFields ?? []).map(({ jsonPath }) => jsonPath.slice(1))
  return {
    group: spec.group,
    version: version.name,
    plural: names.plural,
    singular: names.singular ?? names.kind.toLowerCase(),
    kind: names.kind,
    listKind: names.listKind ?? `${names.kind}List`,
    namespaced: spec.scope === 'Namespaced',
    shortNames: names.shortNames ?? [],
    categories: names.categories ?? [],
    verbs,
    get isTerminating() {
      return isTerminating()
    },
    storagePrefix: `/${spec.group}/${names.plural}/`,
    storageVersionHash: versionHash(spec.group, storage.version, names.kind),
    schema,
    isCustom: true,
    strategy: customStrategy(custom, compiled),
    columns: columns === undefined || columns.length === 0 ? [ageColumn] : columns,
    subresources: subresourcesOf(custom, compiled),
    selectableFields: selectable,
    selectableField: (object, path) =>
      selectable.includes(path) ? textAt(object, path) : undefined,
    ...(version.deprecated === true
      ? { deprecated: { warning: warningOf(custom, version, spec.versions) } }
      : {}),
    ...(convert === undefined
      ? storageView(custom, storage, schemaRevision)
      : webhookView(custom, storage, schemaRevision, convert)),
  }
}

function subresourcesOf(custom: CustomKind, schema: CustomSchema): Map<string, Subresource> {
  const subresources = new Map<string, Subresource>()
  if (custom.hasStatus) {
    subresources.set('status', {
      type: 'view',
      name: 'status',
      kind: custom.kind,
      verbs: ['get', 'patch', 'update'],
      strategy: customStatusStrategy(custom, schema),
    })
  }
  if (custom.scale !== undefined) {
    subresources.set('scale', {
      type: 'scale',
      name: 'scale',
      group: 'autoscaling',
      version: 'v1',
      kind: 'Scale',
      verbs: ['get', 'patch', 'update'],
      selectorIsText: true,
      ...custom.scale,
    })
  }
  return subresources
}

function warningOf(
  { group, version, kind }: CustomKind,
  { deprecationWarning }: DefinitionVersion,
  versions: readonly DefinitionVersion[],
): string {
  if (deprecationWarning !== undefined) return deprecationWarning
  const [better] = versions
    .filter(
      ({ name, served, deprecated }) =>
        served && deprecated !== true && compareVersions(name, version) < 0,
    )
    .map(({ name }) => name)
    .sort(compareVersions)
  const use = better === undefined ? '' : `; use ${group}/${better} ${kind}`
  return `${group}/${version} ${kind} is deprecated${use}`
}

/** The hash in discovery by which clients notice a changed storage version. */
function versionHash(group: string, version: string, kind: string): string {
  return createHash('sha256')
    .update(`${group}/${version}/${kind}`)
    .digest()
    .subarray(0, 8)
    .toString('base64')
}

function textAt(object: KubeObject, path: string): string {
  let value: unknown = object
  for (const part of path.split('.')) {
    if (!isJsonObject(value) || !Object.hasOwn(value, part)) return ''
    value = value[part]
  }
  return value === null || typeof value === 'object' ? '' : String(value)
}
