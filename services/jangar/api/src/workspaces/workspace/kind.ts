import {
  defineKind,
  list,
  type ObjectOf,
  object,
  optional,
  statusObject,
  string,
  timestamp,
} from '@agents/crd'
import { group, platform } from '../../group.ts'
import { int32 } from '../../integer.ts'
import { phase, ready, readyMessage, readyReason } from '../../printer-column.ts'
import { phaseField } from '../../status-field.ts'
import { workspacePhase } from './phase.ts'

export const workspace = defineKind({
  ...platform,
  group: group.workspaces,
  kind: 'Workspace',
  plural: 'workspaces',
  shortNames: ['ws'],
  description: 'A volume that runs share, as a PersistentVolumeClaim of the same name.',
  spec: object('Specification of the volume.', {
    storageClassName: optional(
      string('Storage class. If omitted, defaults to that of the cluster.'),
    ),
    size: optional(
      string('Size of the volume, as a Kubernetes quantity. Required to provision it.'),
    ),
    accessModes: optional(
      list(
        'Access modes. If omitted, defaults to ReadWriteOnce.',
        string('An access mode, such as ReadWriteOnce.'),
      ),
    ),
    ttlSeconds: optional(
      int32(
        'Seconds without use after which the volume is deleted. They count from the end of the last run that used it, or from creation. If 0 or omitted, never.',
      ),
    ),
  }),
  specOptional: true,
  status: statusObject({
    phase: phaseField(workspacePhase),
    volumeName: optional(string('Name of the bound volume.')),
    lastUsedAt: optional(timestamp('When the last run that used the workspace ended.')),
  }),
  columns: [
    phase,
    { name: 'Volume', type: 'string', jsonPath: '.status.volumeName' },
    { name: 'Size', type: 'string', jsonPath: '.spec.size', priority: 1 },
    { name: 'Last used', type: 'date', jsonPath: '.status.lastUsedAt' },
    ready,
    readyReason,
    readyMessage,
  ],
  summary: 'Ready',
})

export type Workspace = ObjectOf<typeof workspace>
