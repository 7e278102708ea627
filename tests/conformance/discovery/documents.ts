import type { Call } from '../table/api-client.ts'

export const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList'

/** Commands whose output shows what a server publishes. */
export const explained: readonly (readonly string[])[] = [
  ['explain', 'widgets'],
  ['explain', 'widgets.spec'],
  ['explain', 'wd', '--recursive'],
  ['explain', 'widgets.spec.nope'],
  ['explain', 'nope'],
  ['explain', 'deployments', '--recursive'],
  ['explain', 'pods.spec.containers', '--recursive'],
  ['api-resources', '--api-group=example.dev', '-o', 'wide'],
  ['api-resources', '--api-group=apps', '-o', 'wide'],
  ['api-resources', '--api-group=batch', '--no-headers'],
]

export interface GroupList {
  groups: { versions: { groupVersion: string }[] }[]
}

export interface ResourceList {
  resources: { name: string }[]
}

export interface Discovery {
  items: {
    metadata: { name?: string }
    versions: { version: string; resources: DiscoveredResource[] }[]
  }[]
}

export interface DiscoveredResource {
  resource: string
  subresources?: { subresource: string }[]
}

export interface Document {
  components: { schemas: Record<string, unknown> }
  paths: Record<string, Record<string, { operationId?: string }>>
}

/** Waits until the definition of widgets is part of the documents. */
export async function untilPublished(call: Call): Promise<void> {
  const deadline = performance.now() + 120_000
  const path = '/openapi/v3/apis/example.dev/v1'
  const isThere = () =>
    call('GET', path).then(
      () => true,
      () => false,
    )
  while (!(await isThere())) {
    if (performance.now() > deadline) throw new Error('the definition is not published')
    await new Promise((resolve) => setTimeout(resolve, 200))
  }
}

export async function servedBy(call: Call): Promise<string[]> {
  const { groups } = (await call('GET', '/apis')) as GroupList
  return ['v1', ...groups.flatMap(({ versions }) => versions.map((each) => each.groupVersion))]
}

export function discoveryPath(groupVersion: string): string {
  return groupVersion.includes('/') ? `/apis/${groupVersion}` : `/api/${groupVersion}`
}

export function flattened({ items }: Discovery): Map<string, DiscoveredResource> {
  return new Map(
    items.flatMap(({ metadata, versions }) =>
      versions.flatMap(({ version, resources }) =>
        resources.map(
          (each) => [`${metadata.name ?? ''}/${version}/${each.resource}`, each] as const,
        ),
      ),
    ),
  )
}

/** A reference is the same with and without an enclosing `allOf`. */
export function withoutProse(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutProse)
  if (typeof value !== 'object' || value === null) return value
  const bare = Object.fromEntries(
    Object.entries(value)
      .filter(([key, part]) => !(key === 'description' && typeof part === 'string'))
      .map(([key, part]) => [key, withoutProse(part)]),
  )
  const { allOf, ...rest } = bare
  return Array.isArray(allOf) && Object.keys(rest).length === 0 ? allOf[0] : bare
}

export function operationIds(item: Record<string, { operationId?: string }>): object {
  return Object.fromEntries(
    Object.entries(item)
      .filter(([method]) => method !== 'parameters')
      .map(([method, { operationId }]) => [method, operationId]),
  )
}

/** Removes descriptions: ours are empty for built-in kinds, and differ for common fields. */
export function fields(text: string): string[] {
  return text
    .split('\n')
    .filter((line) => /^\s*[\w$-]+\t</.test(line) || /^[A-Z]+:|^[a-z]+\s/.test(line))
}
