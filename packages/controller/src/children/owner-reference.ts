import type { KubeObject, New, OwnerReference } from '@agents/kube'

/** The object belongs to somebody else: it is neither ours to change nor to count on. */
export class OwnershipError extends Error {
  override name = 'OwnershipError'
}

export function controllerOf(object: {
  metadata: Pick<KubeObject['metadata'], 'ownerReferences'>
}) {
  return object.metadata.ownerReferences?.find(({ controller }) => controller === true)
}

/** The child with its owner as the one controller: it is deleted with it, and its changes bring the owner to mind. */
export function withController<T extends KubeObject>(child: New<T>, owner: KubeObject): New<T> {
  const metadata = child.metadata as New<KubeObject>['metadata']
  requireReach(metadata, owner)
  const reference = referenceTo(owner)
  const controller = controllerOf({ metadata })
  if (controller && controller.uid !== reference.uid) {
    throw new OwnershipError(
      `${metadata.name ?? 'the object'} is controlled by ${controller.kind} ${controller.name} already`,
    )
  }
  const others = (metadata.ownerReferences ?? []).filter(({ uid }) => uid !== reference.uid)
  return { ...child, metadata: { ...child.metadata, ownerReferences: [...others, reference] } }
}

/** Throws unless the object is controlled by just this owner, and not by an earlier one of the same name. */
export function requireControlledBy(object: KubeObject, owner: KubeObject): void {
  const controller = controllerOf(object)
  if (controller && controller.uid === owner.metadata.uid) return
  const whose = controller ? `${controller.kind} ${controller.name} (${controller.uid})` : 'nobody'
  throw new OwnershipError(
    `${object.kind} ${object.metadata.name} is there already and controlled by ${whose}`,
  )
}

function referenceTo({ apiVersion, kind, metadata }: KubeObject): OwnerReference {
  const { name, uid } = metadata
  if (uid === undefined)
    throw new TypeError(`${kind} ${name} has no uid, so it cannot own anything`)
  return { apiVersion, kind, name, uid, controller: true, blockOwnerDeletion: true }
}

/** A reference has no namespace: the garbage collector would look in the wrong one and delete the child. */
function requireReach(child: { readonly namespace?: string }, owner: KubeObject): void {
  const { namespace } = owner.metadata
  if (namespace === undefined || namespace === child.namespace) return
  throw new TypeError(
    `${owner.kind} ${namespace}/${owner.metadata.name} cannot own an object in ${child.namespace ?? 'the cluster scope'}`,
  )
}
