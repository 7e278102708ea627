import type { Resource, Subresource } from '../registry/resource.ts'

const whileTerminating = ['delete', 'deletecollection', 'get', 'list', 'watch']

/** The verbs of a resource, without create while its definition is being deleted. */
export function discoveredVerbs(resource: Resource): readonly string[] {
  return resource.isTerminating === true ? whileTerminating : resource.verbs
}

/** The subresources: for custom resources in the order of the definition (status, scale), otherwise sorted by name. */
export function discoveredSubresources({ isCustom, subresources }: Resource): Subresource[] {
  const found = [...subresources.values()]
  return isCustom ? found : found.sort((a, b) => (a.name < b.name ? -1 : 1))
}
