import { posix } from 'node:path'
import type { EnvVar, Volume } from '@agents/kube'
import { podPaths } from '../../../../run-contract/pod-paths.ts'
import type { AgentsPorts } from '../../ports.ts'
import type { ResolvedWork } from '../resolve/resolution.ts'

/** Tokens of pods for the control plane are issued for this audience, so that they are of no use elsewhere. */
const audience = 'agents.proompteng.ai'
/** The cluster renews it while the pod runs. */
const tokenSeconds = 86_400

interface UploadAccess {
  readonly volume: Volume
  readonly env: readonly EnvVar[]
}

/** What the runner needs to upload artifacts; undefined if uploads are off, or the program runs without it. */
export function uploadAccess(
  { provider }: Pick<ResolvedWork, 'provider'>,
  { artifactUploads }: AgentsPorts['config'],
): UploadAccess | undefined {
  const { url, certificateAuthority } = artifactUploads ?? {}
  if (url === undefined || posix.basename(provider.spec.binary) !== 'agent-runner') return undefined
  const serviceAccountToken = { audience, expirationSeconds: tokenSeconds, path: 'token' }
  return {
    volume: { name: 'agents-upload', projected: { sources: [{ serviceAccountToken }] } },
    env: [
      { name: 'AGENT_UPLOAD_URL', value: url },
      { name: 'AGENT_UPLOAD_DIR', value: podPaths.upload },
      ...(certificateAuthority === undefined
        ? []
        : [{ name: 'AGENT_UPLOAD_CA', value: certificateAuthority }]),
    ],
  }
}
