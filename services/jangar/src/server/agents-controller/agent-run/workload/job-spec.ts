import type { Container, EnvVar, JobSpec, PodSpec, PodTemplate } from '@agents/kube'
import { podPaths } from '../../../../run-contract/pod-paths.ts'
import { containerNames } from '../../../jobs/container-names.ts'
import type { AgentsPorts } from '../../ports.ts'
import type { ResolvedWork } from '../resolve/resolution.ts'
import { containerSecurity, podSecurity } from './pod-security.ts'
import type { Mounted } from './pod-volumes.ts'
import type { RepositoryContainers } from './repository-containers.ts'

export interface PodParts extends Mounted {
  readonly args: readonly string[]
  readonly env: readonly EnvVar[]
  readonly repository: RepositoryContainers | undefined
}

/** Sets no TTL: the Job must not be deleted before its outcome is recorded. */
export function jobSpec(
  work: ResolvedWork,
  parts: PodParts,
  metadata: NonNullable<PodTemplate['metadata']>,
  config: AgentsPorts['config'],
): JobSpec {
  return {
    backoffLimit: work.settings.backoffLimit ?? config.runner.backoffLimit,
    ...deadline(work),
    template: { metadata: annotated(metadata, parts), spec: podSpec(work, parts, config) },
  }
}

/** Makes `kubectl logs` show the agent's container by default. */
function annotated(
  metadata: NonNullable<PodTemplate['metadata']>,
  { repository }: PodParts,
): NonNullable<PodTemplate['metadata']> {
  if (repository === undefined) return metadata
  const annotations = { ...metadata.annotations, [defaultContainer]: containerNames.agent }
  return { ...metadata, annotations }
}

const defaultContainer = 'kubectl.kubernetes.io/default-container'

/** In seconds. Leaves time to pull an image, and for the controller to stop the work first. */
const deadlineMargin = 300

/** Limits the work even if no controller is running. */
function deadline({ timeoutSeconds, runTimeoutSeconds }: ResolvedWork) {
  const limits = [timeoutSeconds, runTimeoutSeconds].filter((seconds) => seconds > 0)
  if (limits.length === 0) return {}
  return { activeDeadlineSeconds: Math.min(...limits) + deadlineMargin }
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
  const securityContext = podSecurity(runner.podSecurityContext, settings.podSecurityContext)
  const { runAsUser } = securityContext
  const beside = parts.repository?.containers({ runAsUser, mounts: parts.mounts })
  return {
    restartPolicy: 'Never',
    ...(serviceAccount !== undefined && { serviceAccountName: serviceAccount }),
    automountServiceAccountToken: settings.automountServiceAccountToken ?? false,
    enableServiceLinks: false,
    securityContext,
    ...(Object.keys(nodeSelector).length > 0 && { nodeSelector: { ...nodeSelector } }),
    ...(tolerations.length > 0 && { tolerations: [...tolerations] }),
    ...(affinity && { affinity: { ...affinity } }),
    ...(spread.length > 0 && { topologySpreadConstraints: [...spread] }),
    ...(pullSecrets.length > 0 && { imagePullSecrets: pullSecrets.map((name) => ({ name })) }),
    ...(priorityClassName !== undefined && { priorityClassName }),
    ...(schedulerName !== undefined && { schedulerName }),
    ...(beside && { initContainers: beside.initContainers }),
    containers: [container(work, parts, runner), ...(beside?.publish ?? [])],
    volumes: [...parts.volumes],
  }
}

function container(
  work: ResolvedWork,
  { args, env, mounts }: PodParts,
  runner: AgentsPorts['config']['runner'],
): Container {
  const { provider, image, workload, secrets } = work
  // The policy of the default image; an image that a run specifies may need another one.
  const imagePullPolicy = image === runner.image ? runner.imagePullPolicy : undefined
  const { requests, limits } = workload.resources ?? {}
  return {
    name: containerNames.agent,
    image,
    ...(imagePullPolicy !== undefined && { imagePullPolicy }),
    command: [provider.spec.binary],
    ...(args.length > 0 && { args: [...args] }),
    workingDir: podPaths.workspace,
    env: [...env],
    ...(secrets.length > 0 && { envFrom: secrets.map(({ name }) => ({ secretRef: { name } })) }),
    ...(workload.resources && {
      resources: { ...(requests && { requests }), ...(limits && { limits }) },
    }),
    volumeMounts: [...mounts],
    securityContext: containerSecurity(),
    terminationMessagePath: podPaths.terminationMessage,
    // FallbackToLogsOnError would copy unmasked output to the pod's status. The controller masks the log itself.
    terminationMessagePolicy: 'File',
  }
}
