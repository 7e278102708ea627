import { connect } from 'node:http2'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import type { Finding } from '../cluster-checks/finding.ts'
import {
  HealthCheckRequestSchema,
  HealthCheckResponseSchema,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from '../grpc/generated/grpc/health/v1/health_pb.ts'
import type { PinnedCertificate } from './pinned-certificate.ts'
import { whyUnreachable } from './why-unreachable.ts'

const answerMs = 5_000

/** Checks the health of the whole server as a kubelet does. The address is `host:port`, or `https://host:port`. */
export async function checkGrpc(
  address: string,
  signal: AbortSignal,
  pinned: PinnedCertificate = {},
): Promise<Finding> {
  const about = 'grpc'
  const bad = (says: string, advice: string): Finding => ({
    about,
    verdict: 'bad',
    says: `${address}: ${says}`,
    advice: [advice],
  })
  const stop = AbortSignal.any([signal, AbortSignal.timeout(answerMs)])
  let answer: Answer
  try {
    answer = await callHealth(address, stop, pinned)
  } catch (error) {
    return bad(
      whyUnreachable(error) ?? 'the server does not use gRPC',
      'Check grpc.enabled and grpc.servicePort of the chart, the pods of that Service, and NetworkPolicies.',
    )
  }
  if (answer.code !== 0) {
    return bad(
      `the server does not support health checks (${Code[answer.code] ?? answer.code})`,
      'It is not the server of the platform. Check the selector of the Service: kubectl describe service.',
    )
  }
  if (answer.status !== ServingStatus.SERVING) {
    return bad(
      'the server reports that it is not serving',
      'Its /readyz?verbose shows which check fails; its log contains the reason.',
    )
  }
  return { about, verdict: 'good', says: `${address} is serving` }
}

interface Answer {
  /** gRPC status code. */
  readonly code: number
  readonly status?: ServingStatus
}

/** One byte for the compression flag, four for the length of the message. */
const prefixLength = 5

/** Does not use the library's client, which keeps the connection open without a listener for later errors. */
function callHealth(
  address: string,
  signal: AbortSignal,
  pinned: PinnedCertificate,
): Promise<Answer> {
  const isSecure = address.startsWith('https://')
  const session = isSecure ? connect(address, pinned) : connect(`http://${address}`)
  const answer = new Promise<Answer>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as unknown), { once: true })
    session.on('error', reject)
    session.on('close', () => reject(new Error('the server closed the connection')))
    const stream = session.request({
      ':method': 'POST',
      ':path': '/grpc.health.v1.Health/Check',
      'content-type': 'application/grpc',
      te: 'trailers',
    })
    let code: number | undefined
    const note = (head: { readonly [name: string]: unknown }): void => {
      if (head['grpc-status'] !== undefined) code = Number(head['grpc-status'])
    }
    const chunks: Buffer[] = []
    stream.on('response', note).on('trailers', note).on('error', reject)
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    stream.on('end', () => {
      if (code === undefined) return reject(new Error('the response has no gRPC status'))
      if (code !== 0) return resolve({ code })
      const message = Buffer.concat(chunks).subarray(prefixLength)
      try {
        resolve({ code, ...fromBinary(HealthCheckResponseSchema, message) })
      } catch (error) {
        reject(error)
      }
    })
    const request = toBinary(HealthCheckRequestSchema, create(HealthCheckRequestSchema))
    const prefix = Buffer.alloc(prefixLength)
    prefix.writeUInt32BE(request.length, 1)
    stream.end(Buffer.concat([prefix, request]))
  })
  return answer.finally(() => session.destroy())
}
