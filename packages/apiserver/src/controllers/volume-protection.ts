import type { KubeObject } from '@agents/kube'
import type { BackgroundTask } from './background-task.ts'
import { type ProtectionOptions, startInUseProtection } from './in-use-protection.ts'

/** Deletes PersistentVolumes only when they are not bound to a claim. */
export function startVolumeProtection(options: ProtectionOptions): BackgroundTask {
  return startInUseProtection(options, {
    plural: 'persistentvolumes',
    finalizer: 'kubernetes.io/pv-protection',
    isUsed: (volume: KubeObject & { status?: { phase?: string } }) =>
      volume.status?.phase === 'Bound',
  })
}
