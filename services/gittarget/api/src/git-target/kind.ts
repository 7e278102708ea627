import { defineKind, type ObjectOf, type PrinterColumn } from '@agents/crd'
import { gitops } from '../group.ts'
import { message, ready, reason } from '../printer-column.ts'
import { gitTargetSpec } from './spec.ts'
import { gitTargetStatus } from './status.ts'

const columns: readonly PrinterColumn[] = [
  ready,
  reason,
  {
    name: 'Phase',
    type: 'string',
    jsonPath: '.status.phase',
    description: 'Summary of the conditions for people.',
  },
  {
    name: 'Branch',
    type: 'string',
    jsonPath: '.spec.branch',
    description: 'Branch of the mirror.',
  },
  { name: 'Path', type: 'string', jsonPath: '.spec.path', description: 'Folder of the mirror.' },
  {
    name: 'Commit',
    type: 'string',
    jsonPath: '.status.push.lastCommit',
    description: 'Last commit that was pushed.',
  },
  {
    name: 'Pending',
    type: 'integer',
    jsonPath: '.status.push.pendingChanges',
    description: 'Number of changed objects that have not been pushed yet.',
  },
  {
    name: 'Provider',
    type: 'string',
    jsonPath: '.spec.providerRef.name',
    description: 'The GitProvider.',
    priority: 1,
  },
  {
    name: 'Encryption',
    type: 'string',
    jsonPath: '.status.encryption.mode',
    description: 'How Secrets are encrypted.',
    priority: 1,
  },
  {
    name: 'Stream',
    type: 'string',
    jsonPath: '.status.stream.status',
    description: 'Whether changes are mirrored as they happen.',
    priority: 1,
  },
  {
    name: 'Pushed',
    type: 'date',
    jsonPath: '.status.push.lastPushTime',
    description: 'When the last commit was pushed.',
    priority: 1,
  },
  {
    name: 'Suspended',
    type: 'boolean',
    jsonPath: '.spec.suspend',
    description: 'Whether writing is suspended.',
    priority: 1,
  },
  message,
]

export const gitTarget = defineKind({
  ...gitops,
  kind: 'GitTarget',
  plural: 'gittargets',
  shortNames: ['gt'],
  scope: 'Namespaced',
  description:
    'A folder of a Git branch that mirrors the objects selected by WatchRules: sanitized, with encrypted Secrets, and updated as objects change.',
  spec: gitTargetSpec,
  status: gitTargetStatus,
  columns,
  summary: 'Ready',
})

export type GitTarget = ObjectOf<typeof gitTarget>
