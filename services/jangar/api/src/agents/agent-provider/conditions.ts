import { livingConditions } from '@agents/status'
import { validated } from '../../gate.ts'

export const agentProviderConditions = livingConditions({
  gates: [
    validated({
      MissingBinary: 'No program is named.',
      InvalidTemplate: 'A template cannot be read, or refers to something that there never is.',
      InvalidInputFile: 'The path of an input file is not absolute, or is used twice.',
    }),
  ],
})
