/*
 * Sends the requests of recorded-answers.jsonl to a real API server and writes its answers beside them.
 * Run: node --import ./scripts/require-node.mjs tests/conformance/answers/record-answers.ts
 */
import { writeFile } from 'node:fs/promises'
import { startRealCluster } from '../../support/testbed/real-cluster.ts'
import { readRecording, recordingPath } from './recorded-requests.ts'
import { sendRequests } from './send-requests.ts'

const cluster = await startRealCluster({ fsync: false })
try {
  const requests = await readRecording()
  const answers = await sendRequests(cluster, requests)
  const lines = requests.map((request, index) =>
    JSON.stringify({ ...request, answer: answers[index] }),
  )
  await writeFile(recordingPath, `${lines.join('\n')}\n`)
} finally {
  await cluster.stop()
}
