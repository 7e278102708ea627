import type { Container, EnvVar, JobSpec, PodSpec, PodTemplate } from '@agents/kube'
import { podPaths } from '../../../../run-contract/pod-paths.ts'
import { containerNames } from '../../../jobs/container-names.ts'
import { containerSecurity } from '../../../jobs/pod-security.ts'
import { jobDeadline, podSettings } from '../../../jobs/pod-settings.ts'
import type { AgentsPorts } from '../../ports.ts'
import type { ResolvedWork } from '../resolve/resolution.ts'
import type { Mounted } from './pod-volumes.ts'
import type { RepositoryContainers } from './repository-containers.ts'
import type { SkillsContainer } from './skills-container.ts'

export interface PodParts extends Mounted {
  readonly args: readonly string[]
  readonly env: readonly EnvVar[]
  readonly repository: RepositoryContainers | undefined
  readonly skills: SkillsContainer | undefined
  /** Verifies documents. Starts first. */
  readonly documents: Container | undefined
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
    ...jobDeadline(work.timeoutSeconds, work.runTimeoutSeconds),
    template: { metadata: annotated(metadata, parts), spec: podSpec(work, parts, config) },
  }
}

/** Makes `kubectl logs` show the agent's container by default. */
function annotated(
  metadata: NonNullable<PodTemplate['metadata']>,
  { repository, skills, documents }: PodParts,
): NonNullable<PodTemplate['metadata']> {
  if ([repository, skills, documents].every((one) => one === undefined)) return metadata
  const annotations = { ...metadata.annotations, [defaultContainer]: containerNames.agent }
  return { ...metadata, annotations }
}

const defaultContainer = 'kubectl.kubernetes.io/default-container'

function podSpec(work: ResolvedWork, parts: PodParts, { runner }: AgentsPorts['config']): PodSpec {
  const { settings, serviceAccount } = work
  const shared = podSettings(settings, serviceAccount, runner)
  const { runAsUser } = shared.securityContext
  const beside = parts.repository?.containers({ runAsUser, mounts: parts.mounts })
  const initContainers = [
    ...(parts.documents ? [parts.documents] : []),
    ...(beside?.initContainers ?? []),
    ...(parts.skills ? [parts.skills.container(runAsUser)] : []),
  ]
  return {
    ...shared,
    ...(initContainers.length > 0 && { initContainers }),
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
