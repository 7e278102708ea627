import { phaseTable } from '@agents/status'
import { gitTargetConditions } from './conditions.ts'

/** Derived from the conditions, for people; automation reads the conditions themselves. */
export const gitTargetPhase = phaseTable(gitTargetConditions, [
  {
    phase: 'RUNNING',
    when: { Ready: 'True' },
    doc: 'The mirror is complete and live.',
  },
  {
    phase: 'PENDING',
    when: {
      Validated: 'Unknown/NotChecked',
      EncryptionConfigured: 'Unknown/NotChecked',
      Bootstrapped: 'Unknown/NotChecked',
      SnapshotSynced: 'Unknown/NotChecked',
      EventStreamLive: 'Unknown/NotChecked',
    },
    doc: 'No condition has been checked yet.',
  },
  {
    phase: 'DEGRADED',
    when: { Bootstrapped: 'True', SnapshotSynced: 'True', EventStreamLive: 'not True' },
    doc: 'The mirror is complete as of its last commit, but not live.',
  },
  {
    phase: 'SYNCING',
    when: { Bootstrapped: 'True', SnapshotSynced: 'not True' },
    doc: 'Cluster and path are being synchronized.',
  },
  {
    phase: 'BOOTSTRAPPING',
    doc: 'Provider, branch, path, encryption or worker are not ready yet.',
  },
])

export type GitTargetPhase = ReturnType<typeof gitTargetPhase>

export const gitTargetPhases = [
  'PENDING',
  'BOOTSTRAPPING',
  'SYNCING',
  'RUNNING',
  'DEGRADED',
] as const satisfies readonly GitTargetPhase[]
