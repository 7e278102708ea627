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
import { phaseField } from '../../status-field.ts'
import { secretBindingPhase } from './phase.ts'

/** Kinds that can be subjects. Who may use a Secret is decided by what runs, not by who asked for it. */
export const secretBindingSubjects = [
  'Agent',
  'AgentRun',
  'Tool',
  'ToolRun',
  'ServiceAccount',
  'Namespace',
] as const

const subject = object('A subject.', {
  kind: string(`Kind of the subject: ${secretBindingSubjects.join(', ')}.`),
  name: string('Name of the subject. For a Namespace, that of the binding itself.'),
  namespace: optional(
    string('Namespace of the subject. It must be that of the binding, which is also the default.'),
  ),
})

export const secretBinding = defineKind({
  ...platform,
  group: group.security,
  kind: 'SecretBinding',
  plural: 'secretbindings',
  shortNames: ['sb'],
  description:
    'Which Secrets the runs of its subjects may use. A run that is a subject of a binding may use the Secrets of its bindings and no others.',
  spec: object('The permission.', {
    subjects: optional(list('Subjects whose runs may use the Secrets.', subject)),
    allowedSecrets: optional(
      list(
        'Secrets that runs of the subjects may use.',
        string('Name of a Secret in the same namespace.'),
      ),
    ),
  }),
  specOptional: true,
  status: statusObject({ phase: phaseField(secretBindingPhase) }),
  columns: [phase, ready, readyReason, readyMessage],
  summary: 'Ready',
})

export type SecretBinding = ObjectOf<typeof secretBinding>
