import { defineKind, type ObjectOf, object, optional, statusObject, string } from '@agents/crd'
import { group, platform } from '../../group.ts'
import { int32 } from '../../integer.ts'
import { phase, ready, readyMessage, readyReason } from '../../printer-column.ts'
import { looseLocalRef } from '../../reference.ts'
import { phaseField } from '../../status-field.ts'
import { artifactPhase } from './phase.ts'

export const artifact = defineKind({
  ...platform,
  group: group.artifacts,
  kind: 'Artifact',
  plural: 'artifacts',
  shortNames: ['art'],
  description: 'Something that work has left behind, and where it is kept.',
  spec: object('Where it is kept, and for how long.', {
    storageRef: optional(looseLocalRef('The storage that keeps it; left out, the platform’s own.')),
    lifecycle: optional(
      object('How long it is kept.', {
        ttlDays: optional(int32('Days after creation; 0 or left out keeps it for good.')),
      }),
    ),
  }),
  specOptional: true,
  status: statusObject({
    phase: phaseField(artifactPhase),
    uri: optional(string('Where it is.')),
    checksum: optional(string('Digest of its content.')),
  }),
  columns: [
    phase,
    { name: 'URI', type: 'string', jsonPath: '.status.uri' },
    ready,
    readyReason,
    readyMessage,
  ],
  summary: 'Ready',
})

export type Artifact = ObjectOf<typeof artifact>
