import { livingConditions } from '@agents/status'
import { credentialsResolved } from '../../gate.ts'

export const memoryConditions = livingConditions({
  gates: [
    credentialsResolved,
    {
      type: 'Reachable',
      doc: { True: 'The store is reachable.', False: 'The store is not reachable.' },
      reasons: {
        Reachable: 'The store is reachable.',
        NotProbed: 'Stores of this type are not probed.',
        Unreachable: 'The store is not reachable.',
        InvalidConnection: 'The Secret does not contain a valid connection string.',
      },
    },
  ],
})
