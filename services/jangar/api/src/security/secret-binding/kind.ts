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
  description: 'Who may use which Secrets.',
  spec: object('The permission.', {
    subjects: optional(list('Who has it.', subject('One holder of the permission.'))),
    allowedSecrets: optional(
      list('Secrets that they may use.', string('Name of a Secret in the same namespace.')),
    ),
  }),
  specOptional: true,
  status: statusObject({ phase: phaseField(secretBindingPhase) }),
  columns: [phase, ready, readyReason, readyMessage],
  summary: 'Ready',
})

export type SecretBinding = ObjectOf<typeof secretBinding>
