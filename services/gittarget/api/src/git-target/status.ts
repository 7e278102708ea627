import {
  integer,
  list,
  object,
  oneOfStrings,
  optional,
  statusObject,
  string,
  timestamp,
} from '@agents/crd'
import { localRef } from '../reference.ts'
import { gitTargetPhases } from './phase.ts'

/** Few, since each write of the status contains them. */
export const maxRecentCommits = 5

function count(description: string) {
  return integer(description, { format: 'int32', minimum: 0 })
}

function commitId(description: string) {
  return string(description, { maxLength: 64, pattern: '^[0-9a-f]{40}([0-9a-f]{24})?$' })
}

export const gitTargetStatus = statusObject({
  phase: optional(
    oneOfStrings(
      'Summary of the conditions for people. Automation should read the conditions.',
      gitTargetPhases,
    ),
  ),
  lastReconcileTime: optional(timestamp('When a reconcile last changed this status.')),
  workerRef: optional(
    object(
      'Worker that writes to the branch. Targets of the same provider and branch share a worker.',
      {
        name: string('Name of the worker, made from repository and branch.'),
        uid: string('ID of the worker. Changes when the worker is replaced.'),
      },
    ),
  ),
  encryption: optional(
    object('How Secrets are encrypted.', {
      mode: oneOfStrings(
        'Disabled: Secrets are not mirrored. Sops: Secrets are encrypted for the recipients.',
        ['Disabled', 'Sops'],
      ),
      secretRef: optional(localRef('Secret with the age identity.')),
      recipientsHash: optional(
        string('Hash of the recipients. Changes with the set of recipients.'),
      ),
      lastValidatedTime: optional(timestamp('When encryption was last tested successfully.')),
    }),
  ),
  bootstrap: optional(
    object('Files that the mirror adds to the folder, such as README.md.', {
      targetPath: string('Folder of the files.'),
      commit: optional(commitId('Commit that added the files.')),
      lastAppliedTime: optional(timestamp('When the files were last written.')),
    }),
  ),
  snapshot: optional(
    object('Last complete comparison of cluster and path.', {
      lastCompletedTime: optional(timestamp('When cluster and path were last in sync.')),
      lastCommit: optional(commitId('Commit at which cluster and path were in sync.')),
      retainedFiles: optional(
        count(
          'Files of objects that no longer exist, or that no rule selects any more, that prune keeps.',
        ),
      ),
      driftedFiles: optional(
        count(
          'Files of mirrored objects that were changed or deleted in Git and are not restored yet.',
        ),
      ),
      stats: optional(
        object('Files changed by the last snapshot that changed any.', {
          created: count('Files created.'),
          updated: count('Files updated.'),
          deleted: count('Files deleted.'),
        }),
      ),
    }),
  ),
  stream: optional(
    object('Watch streams of the mirror.', {
      status: oneOfStrings('Combined state of the streams.', [
        'Registering',
        'Live',
        'Disconnected',
        'Blocked',
      ]),
      total: optional(count('Number of streams that the rules require.')),
      live: optional(count('Number of live streams.')),
      registeredTime: optional(
        timestamp(
          'When the current set of streams became live. A restart of the operator does not change it.',
        ),
      ),
      lastEventTime: optional(
        timestamp('When the last event was received before this status was written.'),
      ),
    }),
  ),
  push: optional(
    object('What was pushed to the repository, and what is pending.', {
      lastCommit: optional(commitId('Last commit that was pushed and confirmed.')),
      lastPushTime: optional(timestamp('When the last commit was pushed.')),
      recentCommits: optional(
        list(
          'The last commits that were pushed and confirmed, newest first.',
          object('A commit of the mirror.', {
            commit: commitId('ID of the commit.'),
            time: timestamp('When it was confirmed.'),
          }),
          { maxItems: maxRecentCommits, 'x-kubernetes-list-type': 'atomic' },
        ),
      ),
      pendingChanges: optional(count('Number of changed objects that have not been pushed yet.')),
      pendingDeletions: optional(
        list(
          'Deleted objects whose files are still to be deleted, at most 1000. A new operator pod continues with them.',
          object('A deleted object.', {
            group: string('API group; empty for the core group.', { maxLength: 253 }),
            kind: string('Kind of the object.', { maxLength: 253 }),
            namespace: string('Namespace; empty for cluster-scoped objects.', { maxLength: 253 }),
            name: string('Name of the object.', { maxLength: 253 }),
          }),
          { maxItems: 1000, 'x-kubernetes-list-type': 'atomic' },
        ),
      ),
      lastError: optional(
        string('Why the last push failed. Absent if it succeeded. Never contains credentials.', {
          maxLength: 4096,
        }),
      ),
    }),
  ),
})
