import { livingReconciler } from '@agents/controller'
import {
  type GitTarget,
  gitTargetClock,
  gitTargetConditions,
  gitTargetPhase,
} from '@agents/gittarget-api'
import type { KeyWaker } from '../kubernetes/key-waker.ts'
import type { LivingController } from '../kubernetes/living-controller.ts'
import { bootstrapped } from './gates/bootstrapped.ts'
import { encryptionConfigured } from './gates/encryption-configured.ts'
import { eventStreamLive } from './gates/event-stream-live.ts'
import { snapshotSynced } from './gates/snapshot-synced.ts'
import { validated } from './gates/validated.ts'
import { gitTargetSources } from './sources.ts'
import type { GitTargetPorts, TargetScope } from './target-ports.ts'

interface GitTargetControllerPorts extends GitTargetPorts {
  /** Wakes the targets that compete for a path when a claim on it changes. */
  readonly claimChanges: KeyWaker
}

export function gitTargetController(ports: GitTargetControllerPorts): LivingController<GitTarget> {
  const { caches, claims, claimChanges, mirrors } = ports
  return {
    primary: caches.gitTargets,
    reconciler: livingReconciler({
      kind: 'GitTarget',
      conditions: gitTargetConditions,
      phase: gitTargetPhase,
      clockFields: gitTargetClock,
      scope: (): TargetScope => ({}),
      gates: [
        validated(ports),
        encryptionConfigured(ports),
        bootstrapped(ports),
        snapshotSynced(ports),
        eventStreamLive(ports),
      ],
    }),
    sources: [...gitTargetSources(ports), claimChanges.source('claims')],
    // Reconciles wait for remotes: a slow remote must not hold up the targets of other repositories.
    workers: 16,
    quickGates: 2,
    gone: (key) => {
      claims.forget(key)
      void mirrors.forget(key).catch(() => undefined)
    },
  }
}
