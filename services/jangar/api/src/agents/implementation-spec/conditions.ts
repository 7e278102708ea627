import { livingConditions } from '@agents/status'
import { validated, versionControlResolved } from '../../gate.ts'

export const implementationSpecConditions = livingConditions({
  gates: [
    validated({
      MissingText: 'The text is empty.',
      InvalidContract: 'A required key is blank, or a mapping is incomplete.',
    }),
    versionControlResolved,
  ],
})
