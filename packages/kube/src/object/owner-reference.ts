import type { KubeObject, OwnerReference } from '../object.ts'

export class OwnershipError extends Error {
  override name = 'OwnershipError'
}

/**
 * Returns a copy of the object with this owner as its controller. Throws OwnershipError if the reference is invalid.
 */
export function withController<T extends Pick<KubeObject, 'metadata'>>(
  object: T,
  owner: KubeObject,
): T {
  const { name, namespace } = object.metadata
  const { uid } = owner.metadata
  if (uid === undefined) throw new OwnershipError(`${owner.metadata.name} has no uid yet`)
  const ownerNamespace = owner.metadata.namespace
  if (ownerNamespace !== undefined && ownerNamespace !== namespace) {
    throw new OwnershipError(
      `${owner.kind} ${owner.metadata.name} in ${ownerNamespace} cannot own ${name} in ${namespace ?? 'the cluster'}`,
    )
  }
  const references = object.metadata.ownerReferences ?? []
  const other = references.find((each) => each.controller === true && each.uid !== uid)
  if (other !== undefined) {
    throw new OwnershipError(`${name} is already controlled by ${other.kind} ${other.name}`)
  }
  const reference: OwnerReference = {
    apiVersion: owner.apiVersion,
    kind: owner.kind,
    name: owner.metadata.name,
    uid,
    controller: true,
    blockOwnerDeletion: true,
  }
  const ownerReferences = [...references.filter((each) => each.uid !== uid), reference]
  return { ...object, metadata: { ...object.metadata, ownerReferences } }
}

export function controllerOf({ metadata }: KubeObject): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true)
}

export function isControlledBy(object: KubeObject, owner: KubeObject): boolean {
  const controller = controllerOf(object)
  return controller !== undefined && controller.uid === owner.metadata.uid
}
