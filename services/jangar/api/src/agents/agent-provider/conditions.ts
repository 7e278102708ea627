import { livingConditions } from '@agents/status'
import { validated } from '../../gate.ts'

export const agentProviderConditions = livingConditions({
  gates: [
    validated({
      MissingBinary: 'No program is specified.',
      InvalidTemplate: 'A template is invalid or refers to an unknown value.',
      InvalidInputFile: 'The path of an input file is not absolute, or is used twice.',
    }),
  ],
})
