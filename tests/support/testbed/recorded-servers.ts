import type { ServerName } from './server.ts'
import { serversOfTier } from './servers-of-tier.ts'

/** With CONFORMANCE_RECORD=1, the answers of the real server are written to the recordings. */
export const isRecording = process.env.CONFORMANCE_RECORD === '1'

/** The servers whose answers are compared with the recorded ones. */
export async function recordedServers(): Promise<readonly ServerName[]> {
  return isRecording ? ['real'] : serversOfTier()
}
