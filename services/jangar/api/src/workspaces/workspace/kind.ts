import {
  defineKind,
  list,
  type ObjectOf,
  object,
  optional,
  statusObject,
  string,
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
  spec: object('What volume to provide.', {
    storageClassName: optional(string('Storage class; left out, the cluster’s default.')),
    size: optional(
      string('How large, as a Kubernetes quantity. No volume can be provided without it.'),
    ),
    accessModes: optional(
      list(
        'How it may be mounted; left out, ReadWriteOnce.',
        string('One access mode, such as ReadWriteOnce.'),
      ),
    ),
    ttlSeconds: optional(
      int32('How long after creation the volume is removed; 0 or left out keeps it for good.'),
    ),
  }),
  specOptional: true,
  status: statusObject({
    phase: phaseField(workspacePhase),
    volumeName: optional(string('Name of the volume that is bound.')),
  }),
  columns: [
    phase,
    { name: 'Volume', type: 'string', jsonPath: '.status.volumeName' },
    { name: 'Size', type: 'string', jsonPath: '.spec.size', priority: 1 },
    ready,
    readyReason,
    readyMessage,
  ],
  summary: 'Ready',
})

export type Workspace = ObjectOf<typeof workspace>
