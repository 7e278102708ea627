import { livingConditions } from '@agents/status'
import { validated } from '../../gate.ts'

export const secretBindingConditions = livingConditions({
  gates: [
    validated({
      NoSubjects: 'Nobody is given the permission.',
      NoSecrets: 'No Secret is allowed.',
    }),
  ],
})
