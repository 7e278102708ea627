import {
  integer,
  object,
  oneOfStrings,
  optional,
  statusObject,
  string,
  timestamp,
} from '@agents/crd'
import { localRef } from '../reference.ts'
import { gitTargetPhases } from './phase.ts'

const count = (description: string) => integer(description, { format: 'int32', minimum: 0 })

const commitId = (description: string) =>
  string(description, { maxLength: 64, pattern: '^[0-9a-f]{40}([0-9a-f]{24})?$' })

export const gitTargetStatus = statusObject({
  phase: optional(
    oneOfStrings(
      'Where it stands. Follows from the conditions, for people; automation reads those.',
      gitTargetPhases,
    ),
  ),
  lastReconcileTime: optional(timestamp('When the target was last looked at and found changed.')),
  workerRef: optional(
    object('Who writes to the branch. All targets on one branch share a worker.', {
      name: string('Name of the worker: repository and branch.'),
      uid: string('Changes when the worker is started anew.'),
    }),
  ),
  encryption: optional(
    object('How Secrets are encrypted.', {
      mode: oneOfStrings(
        'Disabled: Secrets are not mirrored. Sops: encrypted for the recipients.',
        ['Disabled', 'Sops'],
      ),
      secretRef: optional(localRef('The Secret with the age identity.')),
      recipientsHash: optional(string('Changes when the set of recipients does.')),
      lastValidatedTime: optional(timestamp('When encryption was last found to work.')),
    }),
  ),
  bootstrap: optional(
    object('The files that the mirror itself needs.', {
      targetPath: string('The folder that they are in.'),
      commit: optional(commitId('The commit that brought them.')),
      lastAppliedTime: optional(timestamp('When they were last written.')),
    }),
  ),
  snapshot: optional(
    object('The last time that cluster and path were compared as a whole.', {
      lastCompletedTime: optional(timestamp('When they last agreed.')),
      lastCommit: optional(commitId('The commit at which they agreed.')),
      stats: optional(
        object('What had to be changed.', {
          created: count('Files that were new.'),
          updated: count('Files whose content changed.'),
          deleted: count('Files that were removed.'),
        }),
      ),
    }),
  ),
  stream: optional(
    object('The watch streams that feed the mirror.', {
      status: oneOfStrings('How the streams are as a whole.', [
        'Registering',
        'Live',
        'Disconnected',
        'Blocked',
      ]),
      total: optional(count('Streams that the rules ask for.')),
      live: optional(count('Streams that are live.')),
      registeredTime: optional(timestamp('When the streams were last opened.')),
      lastEventTime: optional(
        timestamp('When the last event came, as of the last write of this status.'),
      ),
    }),
  ),
  push: optional(
    object('What reached the repository, and what has not yet.', {
      lastCommit: optional(commitId('The last commit that was pushed and confirmed.')),
      lastPushTime: optional(timestamp('When it was pushed.')),
      pendingChanges: optional(count('Changes of the cluster that have not been pushed yet.')),
      lastError: optional(
        string('Why the last push failed; absent after one that did not. Never holds a secret.', {
          maxLength: 4096,
        }),
      ),
    }),
  ),
})
