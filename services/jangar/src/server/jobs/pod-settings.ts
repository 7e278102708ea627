import type { JobSpec, PodSpec } from '@agents/kube'
import type { ControllersConfig } from '../../config/controllers.ts'
import { podSecurity } from './pod-security.ts'

type Runner = ControllersConfig['runner']

/** Settings of a pod that a run may choose. If omitted, those of the platform apply. */
interface ChosenSettings
  extends Partial<
    Pick<
      Runner,
      | 'nodeSelector'
      | 'tolerations'
      | 'affinity'
      | 'topologySpreadConstraints'
      | 'imagePullSecrets'
      | 'schedulerName'
    >
  > {
  readonly automountServiceAccountToken?: boolean | undefined
  readonly podSecurityContext?: Parameters<typeof podSecurity>[1]
  readonly priorityClassName?: string | undefined
}

/** The part of a pod that does not depend on what runs in it: where, as whom and with which rights. */
export function podSettings(
  settings: ChosenSettings,
  serviceAccount: string | undefined,
  runner: Runner,
): Omit<PodSpec, 'containers'> & { readonly securityContext: Record<string, unknown> } {
  const nodeSelector = settings.nodeSelector ?? runner.nodeSelector
  const tolerations = settings.tolerations ?? runner.tolerations
  const affinity = settings.affinity ?? runner.affinity
  const spread = settings.topologySpreadConstraints ?? runner.topologySpreadConstraints
  const pullSecrets = settings.imagePullSecrets ?? runner.imagePullSecrets
  const priorityClassName = settings.priorityClassName ?? runner.priorityClass
  const schedulerName = settings.schedulerName ?? runner.schedulerName
  return {
    restartPolicy: 'Never',
    ...(serviceAccount !== undefined && { serviceAccountName: serviceAccount }),
    automountServiceAccountToken: settings.automountServiceAccountToken ?? false,
    enableServiceLinks: false,
    securityContext: podSecurity(runner.podSecurityContext, settings.podSecurityContext),
    ...(Object.keys(nodeSelector).length > 0 && { nodeSelector: { ...nodeSelector } }),
    ...(tolerations.length > 0 && { tolerations: [...tolerations] }),
    ...(affinity && { affinity: { ...affinity } }),
    ...(spread.length > 0 && { topologySpreadConstraints: [...spread] }),
    ...(pullSecrets.length > 0 && { imagePullSecrets: pullSecrets.map((name) => ({ name })) }),
    ...(priorityClassName !== undefined && { priorityClassName }),
    ...(schedulerName !== undefined && { schedulerName }),
  }
}

/** In seconds. Leaves time to pull an image, and for the controller to stop the work first. */
const deadlineMargin = 300

/** Limits the work even if no controller is running. 0: no limit. */
export function jobDeadline(
  ...timeoutsSeconds: readonly number[]
): Pick<JobSpec, 'activeDeadlineSeconds'> {
  const limits = timeoutsSeconds.filter((seconds) => seconds > 0)
  if (limits.length === 0) return {}
  return { activeDeadlineSeconds: Math.min(...limits) + deadlineMargin }
}
