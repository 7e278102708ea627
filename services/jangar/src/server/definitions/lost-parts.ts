import type { CustomResourceDefinition } from '@agents/kube'

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly additionalProperties?: Schema | boolean
}

type Version = CustomResourceDefinition['spec']['versions'][number] & {
  readonly schema?: { readonly openAPIV3Schema?: Schema }
}

/**
 * Versions in which objects may be stored but which the planned definition lacks: the API server could not read those
 * objects.
 */
export function lostStoredVersions(
  present: CustomResourceDefinition,
  planned: CustomResourceDefinition,
): readonly string[] {
  const names = planned.spec.versions.map(({ name }) => name)
  return (present.status?.storedVersions ?? []).filter((name) => !names.includes(name))
}

/** Versions and fields that exist now but not in the planned definition, which is therefore older. */
export function lostParts(
  present: CustomResourceDefinition,
  planned: CustomResourceDefinition,
): readonly string[] {
  const kept = new Set(partsOf(planned))
  return partsOf(present).filter((part) => !kept.has(part))
}

function partsOf({ spec }: CustomResourceDefinition): readonly string[] {
  return (spec.versions as readonly Version[]).flatMap(({ name, schema }) => [
    name,
    ...fieldsOf(schema?.openAPIV3Schema ?? {}).map((path) => `${name} ${path}`),
  ])
}

function fieldsOf(schema: Schema, path = ''): readonly string[] {
  const { properties = {}, items, additionalProperties } = schema
  return [
    ...Object.entries(properties).flatMap(([name, child]) => [
      `${path}.${name}`,
      ...fieldsOf(child, `${path}.${name}`),
    ]),
    ...(items ? fieldsOf(items, `${path}[]`) : []),
    ...(typeof additionalProperties === 'object'
      ? fieldsOf(additionalProperties, `${path}{}`)
      : []),
  ]
}
