import type { Resource } from '../registry/resource.ts'
import type { Subresource } from '../registry/subresource.ts'

const whileTerminating = ['delete', 'deletecollection', 'get', 'list', 'watch']

/** A definition that is being deleted lets nothing new in. */
export function discoveredVerbs(resource: Resource): readonly string[] {
  return resource.isTerminating === true ? whileTerminating : resource.verbs
}

/** Custom ones as their definition has them (status, scale), built-in ones by name. */
export function discoveredSubresources({ isCustom, subresources }: Resource): Subresource[] {
  const found = [...subresources.values()]
  return isCustom ? found : found.sort((a, b) => (a.name < b.name ? -1 : 1))
}
