import { describe, expect, test } from 'vitest'
import { gitTargetConditions } from './conditions.ts'

const whenUnknown = ['NotChecked', 'Blocked', 'CheckFailed']

describe('the conditions of a GitTarget', () => {
  test.each([
    [
      'Validated',
      'OK',
      'ProviderNotFound',
      'BranchNotAllowed',
      'PathTemplateInvalid',
      'TargetConflict',
    ],
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
  ])('%s has only the documented reasons', (type, ...reasons) => {
    const declared = gitTargetConditions.all.find((condition) => condition.type === type)
    expect(Object.keys(declared?.reasons ?? {})).toEqual([...reasons, ...whenUnknown])
  })

  test('are in the order of the lifecycle', () => {
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
