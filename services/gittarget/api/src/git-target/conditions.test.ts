import { describe, expect, test } from 'vitest'
import { gitTargetConditions } from './conditions.ts'

const whenUnknown = ['NotChecked', 'Blocked', 'CheckFailed']

describe('the conditions of a GitTarget', () => {
  test.each([
    ['Validated', 'OK', 'ProviderNotFound', 'BranchNotAllowed', 'TargetConflict'],
    [
      'EncryptionConfigured',
      'OK',
      'NotRequired',
      'MissingSecret',
      'InvalidRecipients',
      'SecretCreateDisabled',
    ],
    ['Bootstrapped', 'BootstrapApplied', 'BootstrapNotNeeded', 'WorkerNotFound', 'BootstrapFailed'],
    ['SnapshotSynced', 'Completed', 'Running', 'SnapshotFailed'],
    ['EventStreamLive', 'Registered', 'RegistrationFailed', 'Disconnected'],
    [
      'Ready',
      'OK',
      'ValidationFailed',
      'EncryptionNotConfigured',
      'BootstrapNotComplete',
      'InitialSyncInProgress',
      'StreamNotLive',
    ],
  ])('%s says only what alerts may be written for', (type, ...reasons) => {
    const declared = gitTargetConditions.all.find((condition) => condition.type === type)
    expect(Object.keys(declared?.reasons ?? {})).toEqual([...reasons, ...whenUnknown])
  })

  test('read as the lifecycle', () => {
    expect(gitTargetConditions.all.map(({ type }) => type)).toEqual([
      'Ready',
      'Reconciling',
      'Stalled',
      'Validated',
      'EncryptionConfigured',
      'Bootstrapped',
      'SnapshotSynced',
      'EventStreamLive',
    ])
  })
})
