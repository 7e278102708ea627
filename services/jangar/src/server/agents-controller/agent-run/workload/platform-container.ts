import type { Container, EnvVar, Volume } from '@agents/kube'
import { podPaths } from '../../../../run-contract/pod-paths.ts'
import { containerSecurity } from '../../../jobs/pod-security.ts'
import { publisherIds } from '../../../primitives-policy/pod-security-settings.ts'
import type { AgentsPorts } from '../../ports.ts'
import { type Found, found, refused } from '../resolve/problem.ts'
import type { Refused, VcsAuth } from '../resolve/resolution.ts'
import { type Mount, secretFile } from './pod-volumes.ts'
import { credentialEnvironment, knownHostsFolder, sshFolder } from './vcs-environment.ts'

/** The image of the platform's own containers, in the version that matches this controller. */
export function platformImage({ runner, pod }: AgentsPorts['config']): Found<string, Refused> {
  const image = runner.publisherImage ?? pod?.image ?? runner.image ?? runner.fallbackImage
  if (image !== undefined) return found(image)
  return refused(
    'MissingWorkloadImage',
    'the platform has no image for its own containers, which fetch repositories and verify large input; ask an administrator to set JANGAR_AGENT_PUBLISHER_IMAGE',
  )
}

interface CredentialContainer {
  readonly name: string
  readonly image: string
  readonly command: string[]
  readonly env: readonly EnvVar[]
  readonly mounts: readonly Mount[]
  readonly credential: Credential
  /** The user of the agent's container, which gets another one. */
  readonly agentUser: unknown
}

/** A container of the platform that holds a credential. Nothing of the run gets into its environment or volumes. */
export function credentialContainer(options: CredentialContainer): Container {
  const { name, image, command, env, mounts, credential, agentUser } = options
  const user = publisherIds.find((one) => one !== Number(agentUser)) ?? publisherIds[0]
  return {
    ...platformContainer(name, image, command),
    env: [...env, ...credential.env],
    volumeMounts: [...mounts, ...credential.mounts],
    securityContext: {
      ...containerSecurity(),
      runAsNonRoot: true,
      runAsUser: user,
      runAsGroup: user,
      readOnlyRootFilesystem: true,
    },
  }
}

export function platformContainer(name: string, image: string, command: string[]): Container {
  return {
    name,
    image,
    command,
    resources: { requests: { cpu: '10m', memory: '64Mi' } },
    terminationMessagePath: podPaths.terminationMessage,
    terminationMessagePolicy: 'File',
  }
}

/** How a container gets a credential: in its environment, or as files. */
interface Credential {
  readonly env: readonly EnvVar[]
  readonly mounts: readonly Mount[]
  readonly volumes: readonly Volume[]
}

/** Readable by its owner only: ssh refuses a key that others can read. */
const privateMode = 0o400

/** `prefix` starts the names of its volumes. */
export function credentialOf(auth: VcsAuth, prefix: string): Credential {
  const env = credentialEnvironment(auth)
  if (auth.kind !== 'ssh') return { env, mounts: [], volumes: [] }
  const { secret, knownHosts } = auth
  const key = `${prefix}-ssh`
  const hosts = `${prefix}-known-hosts`
  return {
    env,
    mounts: [
      { name: key, mountPath: sshFolder, readOnly: true },
      ...(knownHosts === undefined
        ? []
        : [{ name: hosts, mountPath: knownHostsFolder, readOnly: true }]),
    ],
    volumes: [
      { name: key, ...secretFile(secret.name, secret.key, privateMode) },
      ...(knownHosts === undefined
        ? []
        : [
            {
              name: hosts,
              configMap: {
                name: knownHosts.name,
                items: [{ key: knownHosts.key, path: knownHosts.key }],
              },
            },
          ]),
    ],
  }
}
