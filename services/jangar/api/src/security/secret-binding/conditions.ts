import { livingConditions } from '@agents/status'
import { validated } from '../../gate.ts'

export const secretBindingConditions = livingConditions({
  gates: [
    validated({
      NoSubjects: 'No subjects are specified.',
      NoSecrets: 'No Secrets are specified.',
      UnsupportedSubject: 'A subject is of a kind that uses no Secrets.',
      ForeignNamespace: 'A subject is in another namespace.',
      InvalidSecret: 'A name cannot be that of a Secret.',
    }),
  ],
})
