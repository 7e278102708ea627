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
  description: 'A file that a run produced, and its location.',
  spec: object('Storage and lifetime of the artifact.', {
    storageRef: optional(
      looseLocalRef('The storage. If omitted, defaults to that of the platform.'),
    ),
    lifecycle: optional(
      object('Lifetime of the artifact.', {
        ttlDays: optional(
          int32('Days after which the artifact is deleted. If 0 or omitted, never.'),
        ),
      }),
    ),
  }),
  specOptional: true,
  status: statusObject({
    phase: phaseField(artifactPhase),
    uri: optional(string('Location of the content.')),
    checksum: optional(string('Digest of the content.')),
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
