import type { KubeObject } from '@agents/kube'
import type { BackgroundTask } from './background-task.ts'
import { type ProtectionOptions, startInUseProtection } from './in-use-protection.ts'

const claimPrefix = '/core/persistentvolumeclaims/'
const podPrefix = '/core/pods/'

interface Pod extends KubeObject {
  spec?: { nodeName?: string; volumes?: Volume[] | null }
}

interface Volume {
  readonly name: string
  readonly persistentVolumeClaim?: { readonly claimName?: string } | null
  readonly ephemeral?: object | null
}

/** Deletes PersistentVolumeClaims only when no pod on a node uses them. Like upstream, finished pods count. */
export function startClaimProtection(options: ProtectionOptions): BackgroundTask {
  const { store } = options
  const protection = startInUseProtection(options, {
    plural: 'persistentvolumeclaims',
    finalizer: 'kubernetes.io/pvc-protection',
    isUsed: (claim) =>
      store
        .list(`${podPrefix}${claim.metadata.namespace ?? ''}/`)
        .entries.some(({ value }) => usesClaim(value as Pod, claim)),
  })
  const watch = store.watch(podPrefix, store.revision, ({ entry }) => {
    const pod = entry.value as Pod
    for (const volume of pod.spec?.volumes ?? []) {
      const name = claimName(pod, volume)
      const key = `${claimPrefix}${pod.metadata.namespace ?? ''}/${name ?? ''}`
      const claim = name === undefined ? undefined : store.get(key)
      if (claim?.value.metadata.deletionTimestamp !== undefined) protection.recheck(key)
    }
  })
  return {
    async stop() {
      watch.close()
      await protection.stop()
    },
    idle: () => protection.idle(),
  }
}

/** Like upstream, a pod uses its claims from the moment it has a node. */
function usesClaim(pod: Pod, claim: KubeObject): boolean {
  if ((pod.spec?.nodeName ?? '') === '') return false
  return (pod.spec?.volumes ?? []).some((volume) => {
    if (claimName(pod, volume) !== claim.metadata.name) return false
    return isEphemeral(volume) ? isControlledBy(claim, pod) && !isShutDown(pod) : true
  })
}

/** The claim of an ephemeral volume is named after its pod and volume. */
function claimName(pod: Pod, volume: Volume): string | undefined {
  if (isEphemeral(volume)) return `${pod.metadata.name}-${volume.name}`
  return volume.persistentVolumeClaim?.claimName
}

function isEphemeral({ ephemeral }: Volume): boolean {
  return ephemeral !== undefined && ephemeral !== null
}

function isControlledBy(claim: KubeObject, pod: Pod): boolean {
  const owners = claim.metadata.ownerReferences ?? []
  return owners.some(({ controller, uid }) => controller === true && uid === pod.metadata.uid)
}

/** Whether the node has stopped the pod, which then exists only because of finalizers, or it was deleted by force. */
function isShutDown({ metadata }: Pod): boolean {
  return metadata.deletionTimestamp !== undefined && metadata.deletionGracePeriodSeconds === 0
}
