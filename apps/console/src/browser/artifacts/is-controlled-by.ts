import type { ApiObject } from '@agents/client'

/**
 * Whether this very owner controls the object, as `isControlledBy` of the controllers has it, which a browser does not
 * load. Users write owner references too, and the API server leaves only those to a controller of the platform's own
 * kinds to the platform.
 */
export function isControlledBy({ metadata }: ApiObject, owner: ApiObject): boolean {
  const { namespace, name, uid } = owner.metadata
  const controller = metadata.ownerReferences?.find((each) => each.controller === true)
  return (
    controller !== undefined &&
    uid !== undefined &&
    controller.uid === uid &&
    controller.name === name &&
    controller.kind === owner.kind &&
    groupOf(controller.apiVersion) === groupOf(owner.apiVersion) &&
    metadata.namespace === namespace
  )
}

function groupOf(apiVersion = ''): string {
  return apiVersion.slice(0, Math.max(0, apiVersion.indexOf('/')))
}
