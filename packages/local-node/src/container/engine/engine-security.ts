import type { Container, Pod } from '@agents/kube'
import { ConfigError } from '../../pod-config/config-error.ts'
import type { EngineName, ImageFacts } from './engine.ts'

/** Fields of security contexts; those of the container override those of its pod. */
interface SecurityContext {
  runAsUser?: number | bigint
  runAsGroup?: number | bigint
  runAsNonRoot?: boolean
  fsGroup?: number | bigint
  supplementalGroups?: (number | bigint)[]
  readOnlyRootFilesystem?: boolean
  privileged?: boolean
  allowPrivilegeEscalation?: boolean
  capabilities?: { add?: string[]; drop?: string[] }
  seccompProfile?: { type: string }
}

/**
 * The security context of a container as flags of its engine. Throws a ConfigError if the pod forbids what the image
 * requires.
 */
export function securityArguments(
  engine: EngineName,
  pod: Pod,
  container: Container,
  image: ImageFacts,
): string[] {
  const ofPod = (pod.spec.securityContext ?? {}) as SecurityContext
  const own = (container.securityContext ?? {}) as SecurityContext
  const wish: SecurityContext = { ...ofPod, ...own }
  if (wish.runAsNonRoot === true) refuseRoot(wish.runAsUser, image)
  const groups = [...(ofPod.supplementalGroups ?? []), ofPod.fsGroup ?? []].flat()
  const { add = [], drop = [] } = own.capabilities ?? {}
  return [
    ...userArguments(wish, image),
    ...groups.flatMap((group) => ['--group-add', String(group)]),
    ...drop.flatMap((name) => ['--cap-drop', name]),
    ...add.flatMap((name) => ['--cap-add', name]),
    ...(own.privileged === true ? ['--privileged'] : []),
    ...(own.readOnlyRootFilesystem === true ? readOnly[engine] : []),
    ...(own.allowPrivilegeEscalation === false ? ['--security-opt', 'no-new-privileges'] : []),
    ...(wish.seccompProfile?.type === 'Unconfined' ? ['--security-opt', 'seccomp=unconfined'] : []),
    // Volumes are in folders of the node, which have the SELinux labels of user files.
    ...['--security-opt', 'label=disable'],
  ]
}

/** Podman would add folders in memory that a pod does not have. */
const readOnly: Readonly<Record<EngineName, readonly string[]>> = {
  docker: ['--read-only'],
  podman: ['--read-only', '--read-only-tmpfs=false'],
}

function userArguments({ runAsUser, runAsGroup }: SecurityContext, image: ImageFacts): string[] {
  if (runAsUser === undefined && runAsGroup === undefined) return []
  const user = runAsUser === undefined ? image.user.split(':')[0] || '0' : String(runAsUser)
  return ['--user', runAsGroup === undefined ? user : `${user}:${runAsGroup}`]
}

function refuseRoot(runAsUser: number | bigint | undefined, image: ImageFacts): void {
  if (runAsUser !== undefined) {
    if (Number(runAsUser) !== 0) return
    throw new ConfigError("container's runAsUser breaks non-root policy")
  }
  const [user = ''] = image.user.split(':')
  if (user === '' || user === '0' || user === 'root') {
    throw new ConfigError('container has runAsNonRoot and image will run as root')
  }
  if (/^\d+$/.test(user)) return
  throw new ConfigError(
    `container has runAsNonRoot and image has non-numeric user (${user}), cannot verify user is non-root`,
  )
}
