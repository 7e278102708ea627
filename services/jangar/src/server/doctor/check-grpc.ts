import { connect } from 'node:http2'
import { create, fromBinary, toBinary } from '@bufbuild/protobuf'
import { Code } from '@connectrpc/connect'
import {
  HealthCheckRequestSchema,
  HealthCheckResponseSchema,
  HealthCheckResponse_ServingStatus as ServingStatus,
} from '../grpc/generated/grpc/health/v1/health_pb.ts'
import type { Finding } from './finding.ts'
import { whyUnreachable } from './why-unreachable.ts'

const answerMs = 5_000

/** Whether the server as a whole says that it serves, as kubelets ask it. The address is `host:port`. */
export async function checkGrpc(address: string, signal: AbortSignal): Promise<Finding> {
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
    answer = await callHealth(address, stop)
  } catch (error) {
    return bad(
      whyUnreachable(error) ?? 'what answers does not speak gRPC',
      'Look at grpc.enabled and grpc.servicePort of the chart, the pods behind that Service, and NetworkPolicies.',
    )
  }
  if (answer.code !== 0) {
    return bad(
      `what answers does not know health checks (${Code[answer.code] ?? answer.code})`,
      'It is not the server of the platform. Look at what the Service selects: kubectl describe service.',
    )
  }
  if (answer.status !== ServingStatus.SERVING) {
    return bad(
      'the server says that it is not serving',
      'Its /readyz?verbose says which check fails, and its log why.',
    )
  }
  return { about, verdict: 'good', says: `${address} is serving` }
}

interface Answer {
  /** Of gRPC. */
  readonly code: number
  readonly status?: ServingStatus
}

/** One byte says that nothing is compressed, four how long the message is. */
const prefixLength = 5

/** Without the library's client: that keeps the connection, whose later errors would have no listener. */
function callHealth(address: string, signal: AbortSignal): Promise<Answer> {
  const session = connect(`http://${address}`)
  const answer = new Promise<Answer>((resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason as unknown), { once: true })
    session.on('error', reject)
    session.on('close', () => reject(new Error('the connection ended')))
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
      if (code === undefined) return reject(new Error('an answer without a gRPC status'))
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
