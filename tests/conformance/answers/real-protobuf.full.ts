import { request } from 'node:https'
import { buffer } from 'node:stream/consumers'
import { startApiServer } from '@agents/apiserver'
import { silentLogger } from '@agents/log'
import { expect, test } from 'vitest'
import { realClusterAvailable, startRealCluster } from '../../support/testbed/real-cluster.ts'
import { normalizeAnswer } from './normalize-answer.ts'
import { type RecordedRequest, readRecording } from './recorded-requests.ts'
import { type AnswerSource, sendRequests } from './send-requests.ts'

const availability = await realClusterAvailable()
const protobuf = 'application/vnd.kubernetes.protobuf'

test.skipIf(!availability.available)(
  'objects that the real server encodes as protobuf are decoded unchanged',
  async () => {
    const cluster = await startRealCluster({ fsync: false })
    const server = await startApiServer({
      logger: silentLogger,
    })
    const embedded = {
      url: server.url,
      caPem: server.caCertificate,
      adminToken: server.adminToken,
    }
    try {
      await Promise.all([sendRequests(cluster, []), sendRequests(embedded, [])])
      const accepted = (await readRecording()).filter(isAcceptedDryRun)
      expect(accepted.length).toBeGreaterThan(50)
      for (const { because, path, body, answer } of accepted) {
        const encoded = await post(cluster, path, Buffer.from(JSON.stringify(body)), protobuf)
        const read = await post(embedded, path, encoded.body, 'application/json', protobuf)
        const json: unknown = JSON.parse(read.body.toString())
        expect(normalizeAnswer({ status: read.status, body: json }), because).toEqual(answer)
      }
    } finally {
      await Promise.all([cluster.stop(), server.stop()])
    }
  },
)

/** Jobs contain the uid that the first server assigned, so that a second one rejects them. */
function isAcceptedDryRun({ method, path, answer }: RecordedRequest): boolean {
  return (
    method === 'POST' &&
    path.endsWith('?dryRun=All') &&
    !path.includes('/jobs') &&
    (answer as { status: number }).status === 201
  )
}

function post(
  { url, caPem, adminToken }: AnswerSource,
  path: string,
  body: Buffer,
  accept: string,
  type = 'application/json',
): Promise<{ status: number; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${adminToken}`, accept, 'content-type': type }
    const sent = request(new URL(path, url), { method: 'POST', ca: caPem, headers }, (response) => {
      buffer(response).then(
        (answer) => resolve({ status: response.statusCode ?? 0, body: answer }),
        reject,
      )
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
