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
import { phase, ready, readyMessage, readyReason } from '../../printer-column.ts'
import { subject } from '../../reference.ts'
import { phaseField } from '../../status-field.ts'
import { secretBindingPhase } from './phase.ts'

export const secretBinding = defineKind({
  ...platform,
  group: group.security,
  kind: 'SecretBinding',
  plural: 'secretbindings',
  shortNames: ['sb'],
  description: 'Which Secrets the subjects may use.',
  spec: object('The permission.', {
    subjects: optional(list('Subjects that have the permission.', subject('A subject.'))),
    allowedSecrets: optional(
      list('Secrets that the subjects may use.', string('Name of a Secret in the same namespace.')),
    ),
  }),
  specOptional: true,
  status: statusObject({ phase: phaseField(secretBindingPhase) }),
  columns: [phase, ready, readyReason, readyMessage],
  summary: 'Ready',
})

export type SecretBinding = ObjectOf<typeof secretBinding>
