import { at } from './chart-snapshot.ts'

/** The values of an inlined schema by path, including removed ones. Groups are not values. */
export function schemaLeaves(schema: unknown, path = ''): ReadonlyMap<string, unknown> {
  const leaves = new Map<string, unknown>()
  for (const [name, property] of Object.entries(at(schema, 'properties') ?? {})) {
    const here = path === '' ? name : `${path}.${name}`
    const isGroup = at(property, 'properties') !== undefined && !('default' in Object(property))
    if (!isGroup) leaves.set(here, property)
    else for (const [below, leaf] of schemaLeaves(property, here)) leaves.set(below, leaf)
  }
  return leaves
}
