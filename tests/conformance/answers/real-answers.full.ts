import { expect, test } from 'vitest'
import { realClusterAvailable, startRealCluster } from '../../support/testbed/real-cluster.ts'
import { readRecording } from './recorded-requests.ts'
import { sendRequests } from './send-requests.ts'

const availability = await realClusterAvailable()

test.skipIf(!availability.available)('the recorded answers match the real server', async () => {
  const cluster = await startRealCluster({ fsync: false })
  try {
    const recording = await readRecording()
    const answers = await sendRequests(cluster, recording)
    for (const [index, { because, answer }] of recording.entries()) {
      expect(answers[index], because).toEqual(answer)
    }
  } finally {
    await cluster.stop()
  }
})
