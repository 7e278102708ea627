import { livingConditions } from '@agents/status'
import { validated } from '../../gate.ts'

export const toolConditions = livingConditions({
  gates: [
    validated({
      MissingImage: 'No image is given.',
      MissingCommand: 'Neither command nor args are given.',
      InvalidTemplate: 'A template cannot be read, or refers to something that there never is.',
    }),
  ],
})
