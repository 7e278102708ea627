import { livingConditions } from '@agents/status'
import { validated } from '../../gate.ts'

export const secretBindingConditions = livingConditions({
  gates: [
    validated({
      NoSubjects: 'No subjects are specified.',
      NoSecrets: 'No Secrets are specified.',
    }),
  ],
})
