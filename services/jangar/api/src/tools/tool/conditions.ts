import { livingConditions } from '@agents/status'
import { validated } from '../../gate.ts'

export const toolConditions = livingConditions({
  gates: [
    validated({
      MissingImage: 'No image is specified.',
      MissingCommand: 'Neither command nor args are specified.',
      InvalidTemplate: 'A template is invalid or refers to an unknown value.',
    }),
  ],
})
