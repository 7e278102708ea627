import {
  defineKind,
  type ObjectOf,
  object,
  oneOfStrings,
  optional,
  statusObject,
  string,
  withRules,
} from '@agents/crd'
import { group, platform } from '../../group.ts'
import { int32, nonNegativeInt64 } from '../../integer.ts'
import { phase, ready, readyMessage, readyReason } from '../../printer-column.ts'
import { looseLocalRef } from '../../reference.ts'
import { phaseField } from '../../status-field.ts'
import { artifactPhase } from './phase.ts'

const source = object('The content, as the pod of a run uploads it. The platform sets it.', {
  type: oneOfStrings('File is a file that the run declares, Log the output of its pod.', [
    'File',
    'Log',
  ]),
  name: string('Name of the file among those of the run.'),
  pod: string('Name of the pod that uploads it.'),
  checksum: string('Digest of the content: sha256: and 64 hexadecimal digits.'),
  sizeBytes: nonNegativeInt64('Size of the content.'),
  contentType: string('Media type of the content.'),
})

export const artifact = defineKind({
  ...platform,
  group: group.artifacts,
  kind: 'Artifact',
  plural: 'artifacts',
  shortNames: ['art'],
  description: 'A file that a run produced, kept in the store of the platform.',
  spec: withRules(
    object('Content and lifetime of the artifact.', {
      source: optional(source),
      storageRef: optional(
        looseLocalRef(
          'Reserved. The platform has one storage; an Artifact with a name here is not ready (MissingStorage).',
        ),
      ),
      lifecycle: optional(
        object('Lifetime of the artifact.', {
          ttlDays: optional(
            int32('Days after which the content is deleted. If 0 or omitted, never.'),
          ),
        }),
      ),
    }),
    {
      rule: '!has(oldSelf.source) || (has(self.source) && self.source == oldSelf.source)',
      message: 'the source of an artifact cannot be changed',
      reason: 'FieldValueForbidden',
    },
  ),
  specOptional: true,
  status: statusObject({
    phase: phaseField(artifactPhase),
    uri: optional(string('Location of the content in the store.')),
    checksum: optional(string('Digest of the content.')),
    sizeBytes: optional(nonNegativeInt64('Size of the content.')),
    contentType: optional(string('Media type of the content.')),
  }),
  columns: [
    phase,
    { name: 'URI', type: 'string', jsonPath: '.status.uri' },
    { name: 'Size', type: 'integer', jsonPath: '.status.sizeBytes' },
    ready,
    readyReason,
    readyMessage,
  ],
  summary: 'Ready',
})

export type Artifact = ObjectOf<typeof artifact>
