import { request } from 'node:https'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, test, vi } from 'vitest'
import { startEmbeddedServer } from '../../support/testbed/embedded-server.ts'
import { startRealCluster } from '../../support/testbed/real-cluster.ts'
import { recordedServers } from '../../support/testbed/recorded-servers.ts'
import { openRecording } from '../../support/testbed/recording.ts'
import { ground } from './corpus.ts'
import { type Oddity, oddities, pod, widgets } from './oddities.ts'
import type { Server } from './raw-connection.ts'
import { targetOf } from './raw-request.ts'

const starters = { embedded: startEmbeddedServer, real: () => startRealCluster({ fsync: false }) }
const recording = openRecording(join(import.meta.dirname, 'generated/oddities.json'))

describe.each(await recordedServers())('odd requests to the %s server', (name) => {
  let server: Awaited<ReturnType<(typeof starters)[typeof name]>>

  beforeAll(async () => {
    server = await starters[name]()
    await lay(server)
  })

  afterAll(async () => {
    await server?.stop()
    recording.save()
  })

  test.each(oddities)('get the answer of kube-apiserver: $method: $because', async (oddity) => {
    recording.expectSame(`${oddity.method}: ${oddity.because}`, await send(server, oddity))
  })
})

/** In the real cluster no controller runs that would create the service account of a namespace. */
const account = {
  because: '',
  method: 'POST',
  target: '/api/v1/namespaces/fuzz/serviceaccounts',
  body: JSON.stringify({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default' } }),
  type: 'application/json',
}

async function lay(server: Server & { adminToken: string }): Promise<void> {
  const isThere = async (target: string): Promise<boolean> =>
    (await send(server, { because: '', method: 'GET', target })).code === 200
  const isLaid = async (): Promise<boolean> => {
    for (const one of ground) {
      const { method, body } = one
      const target = targetOf(one)
      const made = body === undefined ? {} : { body, type: 'application/json' }
      await send(server, { because: '', method, target, ...made })
      if (one === ground[0]) await send(server, account)
    }
    return (await isThere(pod)) && (await isThere(`${widgets}/first`))
  }
  // The real server accepts objects of a new kind a moment after its definition, and pods after their service account.
  await vi.waitUntil(isLaid, { timeout: 120_000, interval: 200 })
}

interface Answer {
  readonly code: number
  /** Reason and message of a Status; the message without what differs from run to run. */
  readonly reason: unknown
  readonly message: unknown
}

function send(
  { url, caPem, adminToken }: Server & { adminToken: string },
  { method, target, body, type }: Oddity,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${adminToken}`,
      ...(body === undefined
        ? {}
        : { 'content-type': type ?? '', 'content-length': Buffer.byteLength(body) }),
    }
    const { hostname, port } = new URL(url)
    const sent = request({ hostname, port, path: target, method, headers, ca: caPem }, (answer) => {
      let text = ''
      answer.setEncoding('utf8')
      answer.on('data', (chunk: string) => {
        text += chunk
      })
      answer.on('end', () => resolve({ code: answer.statusCode ?? 0, ...statusOf(text) }))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

function statusOf(text: string): Pick<Answer, 'reason' | 'message'> {
  const value = text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {}
  if (value.kind !== 'Status') return { reason: undefined, message: undefined }
  const uid = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g
  const message = String(value.message ?? '')
    .replaceAll(uid, 'UID')
    .replaceAll(/record \(\d+\)/g, 'record (RV)')
  return { reason: value.reason, message }
}
