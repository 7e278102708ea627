import { type LivingReconciler, livingReconciler } from '@agents/controller'
import {
  type GitTarget,
  gitTargetClock,
  gitTargetConditions,
  gitTargetPhase,
} from '@agents/gittarget-api'
import { bootstrapped } from './bootstrapped.ts'
import { encryptionConfigured } from './encryption-configured.ts'
import { eventStreamLive } from './event-stream-live.ts'
import { snapshotSynced } from './snapshot-synced.ts'
import type { GitTargetPorts, TargetFindings } from './target-ports.ts'
import { validated } from './validated.ts'

export const gitTargetReconciler = (ports: GitTargetPorts): LivingReconciler<GitTarget> => {
  const findings = new WeakMap<GitTarget, TargetFindings>()
  return livingReconciler({
    kind: 'GitTarget',
    conditions: gitTargetConditions,
    phase: gitTargetPhase,
    clockFields: gitTargetClock,
    gates: [
      validated(ports, findings),
      encryptionConfigured(ports, findings),
      bootstrapped(ports, findings),
      snapshotSynced(ports),
      eventStreamLive(ports),
    ],
  })
}
