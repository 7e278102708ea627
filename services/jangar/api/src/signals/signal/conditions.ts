import { livingConditions } from '@agents/status'
import { validated } from '../../gate.ts'

export const signalConditions = livingConditions({
  gates: [
    validated({
      InvalidSchema: 'The schema is not a structural schema, or is too large.',
      InvalidPayload: 'The default payload does not fit the schema, or is too large.',
    }),
  ],
})
