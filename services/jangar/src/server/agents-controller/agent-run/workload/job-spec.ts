import type { Container, EnvVar, JobSpec, PodSpec, PodTemplate } from '@agents/kube'
import { TERMINATION_MESSAGE_PATH } from '../../../../runner/contract/runner-spec.ts'
import { WORKSPACE } from '../../../../runner/workspace/workspace-path.ts'
import type { AgentsPorts } from '../../ports.ts'
import type { ResolvedWork } from '../resolution/resolution.ts'
import { containerSecurity, podSecurity } from './pod-security.ts'
import type { Mounted } from './pod-volumes.ts'

export const CONTAINER_NAME = 'agent-runner'

export interface PodParts extends Mounted {
  readonly args: readonly string[]
  readonly env: readonly EnvVar[]
}

/** Without a time to live: the outcome must be recorded before the Job may go. */
export function jobSpec(
  work: ResolvedWork,
  parts: PodParts,
  metadata: NonNullable<PodTemplate['metadata']>,
  config: AgentsPorts['config'],
): JobSpec {
  return {
    backoffLimit: work.settings.backoffLimit ?? config.runner.backoffLimit,
    ...deadline(work),
    template: { metadata, spec: podSpec(work, parts, config) },
  }
}

/** In seconds; time to pull an image, and for the controller, which stops what takes too long, to come first. */
const DEADLINE_MARGIN = 300

/** Stops the work when there is no controller to do it. */
function deadline({ timeoutSeconds, runTimeoutSeconds }: ResolvedWork) {
  const limits = [timeoutSeconds, runTimeoutSeconds].filter((seconds) => seconds > 0)
  if (limits.length === 0) return {}
  return { activeDeadlineSeconds: Math.min(...limits) + DEADLINE_MARGIN }
}

function podSpec(work: ResolvedWork, parts: PodParts, { runner }: AgentsPorts['config']): PodSpec {
  const { settings, serviceAccount } = work
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
    containers: [container(work, parts)],
    volumes: [...parts.volumes],
  }
}

function container(work: ResolvedWork, { args, env, mounts }: PodParts): Container {
  const { provider, image, workload, secrets } = work
  const { requests, limits } = workload.resources ?? {}
  return {
    name: CONTAINER_NAME,
    image,
    command: [provider.spec.binary],
    ...(args.length > 0 && { args: [...args] }),
    workingDir: WORKSPACE,
    env: [...env],
    ...(secrets.length > 0 && { envFrom: secrets.map(({ name }) => ({ secretRef: { name } })) }),
    ...(workload.resources && {
      resources: { ...(requests && { requests }), ...(limits && { limits }) },
    }),
    volumeMounts: [...mounts],
    securityContext: containerSecurity(),
    terminationMessagePath: TERMINATION_MESSAGE_PATH,
    // So that a program that says nothing there is quoted all the same when it fails.
    terminationMessagePolicy: 'FallbackToLogsOnError',
  }
}
