import { parseApiVersion } from '../group-version.ts'
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

export function controllerOf({
  metadata,
}: Pick<KubeObject, 'metadata'>): OwnerReference | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller === true)
}

/** A kind as owner references name it: the version does not matter. */
interface KindOfOwner {
  readonly group: string
  readonly kind: string
}

/**
 * The controller of the object if it is of this kind. The group counts: admission policies guard references to kinds of
 * the platform only, so anybody may name a kind of another group that is called the same.
 */
export function controllerOfKind(
  object: Pick<KubeObject, 'metadata'>,
  { group, kind }: KindOfOwner,
): OwnerReference | undefined {
  const controller = controllerOf(object)
  if (controller?.kind !== kind) return undefined
  return parseApiVersion(controller.apiVersion).group === group ? controller : undefined
}

/** What identifies an owner. The version of the API does not. */
export interface Owner extends Pick<KubeObject, 'apiVersion' | 'kind'> {
  readonly metadata: Pick<KubeObject['metadata'], 'namespace' | 'name' | 'uid'>
}

/**
 * Whether this very owner controls the object. A UID alone proves nothing, since users write owner references too: the
 * API group, the kind, the name and the namespace have to be those of the owner as well.
 */
export function isControlledBy(object: Pick<KubeObject, 'metadata'>, owner: Owner): boolean {
  const { namespace, name, uid } = owner.metadata
  const { group } = parseApiVersion(owner.apiVersion)
  const controller = controllerOfKind(object, { group, kind: owner.kind })
  if (controller === undefined || uid === undefined) return false
  // A reference names an owner in its own namespace, whatever UID it has.
  const isInReach = namespace === undefined || namespace === object.metadata.namespace
  return isInReach && controller.uid === uid && controller.name === name
}
