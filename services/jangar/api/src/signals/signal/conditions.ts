import { livingConditions } from '@agents/status'
import { validated } from '../../gate.ts'

export const signalConditions = livingConditions({
  gates: [validated({ ChannelTaken: 'An older Signal of the namespace has the same channel.' })],
})
