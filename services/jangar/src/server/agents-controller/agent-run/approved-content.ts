import type { AgentRun } from '@agents/jangar-api'
import type { ApprovalContent, ApprovalObstacle } from '../../approvals/approval-content.ts'
import type { AgentsPorts } from '../ports.ts'
import { agentRunContent, type VerifiedWork } from './approval-content.ts'
import { type ContentDigests, readOnce } from './resolve/content-digests.ts'
import type { ResolvedWork } from './resolve/resolution.ts'
import { verifiedVolumes } from './workload/mapped-volumes.ts'
import { platformImage } from './workload/platform-container.ts'

interface ContentPorts {
  readonly digests: ContentDigests
  readonly config: AgentsPorts['config']
  readonly signal: AbortSignal
}

/**
 * What would run, with the content of ConfigMaps; undefined while one of them does not exist. What cannot be verified
 * in the pod cannot be approved.
 */
export async function approvedContent(
  run: AgentRun,
  works: readonly ResolvedWork[],
  { digests, config, signal }: ContentPorts,
): Promise<ApprovalContent | ApprovalObstacle | undefined> {
  const read = readOnce(digests)
  const all: VerifiedWork[] = []
  for (const work of works) {
    const verified = await verifiedVolumes(work, read, signal)
    if (verified === undefined) return undefined
    all.push({ work, verified })
  }
  const [mapped] = all.flatMap(({ verified }) => verified)
  const image = mapped && platformImage(config)
  if (mapped && image?.kind === 'refused') {
    const obstacle = `ConfigMap ${mapped.configMap} could change after an approval, and nothing would notice: ${image.message}`
    return { obstacle }
  }
  return agentRunContent(run, all)
}
