import { livingConditions } from '@agents/status'
import { credentialsResolved } from '../../gate.ts'

export const memoryConditions = livingConditions({
  gates: [
    credentialsResolved,
    {
      type: 'Reachable',
      doc: { True: 'The store answers.', False: 'The store does not answer.' },
      reasons: {
        Reachable: 'It answers.',
        NotProbed: 'Stores of this type are taken to be there.',
        Unreachable: 'It does not answer.',
        InvalidConnection: 'The Secret holds no usable connection string.',
      },
    },
  ],
})
