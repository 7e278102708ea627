import type { IncomingHttpHeaders } from 'node:http'
import { decodeStatus, isProtobuf } from '../protobuf/kubernetes.ts'
import { errorOfStatus, KubeError, reasonOfCode } from './kube-error.ts'
import { isStatus, type Status } from './status.ts'

/** The error of a response other than 2xx. */
export function failureOf(
  attempt: string,
  code: number,
  headers: IncomingHttpHeaders,
  body: Buffer,
): KubeError {
  const retryAfterMs = retryAfter(headers['retry-after'])
  const status = statusIn(headers, body)
  if (status !== undefined) return errorOfStatus(attempt, status, { code, retryAfterMs })
  const text = body.subarray(0, 200).toString('utf8').replace(/\s+/g, ' ').trim()
  return new KubeError(`${attempt}: status ${code}${text === '' ? '' : `, ${text}`}`, {
    code,
    reason: reasonOfCode(code),
    retryAfterMs,
  })
}

function statusIn(headers: IncomingHttpHeaders, body: Buffer): Status | undefined {
  try {
    const value = decodeAs(headers['content-type'], body)
    return isStatus(value) ? value : undefined
  } catch {
    return undefined
  }
}

function decodeAs(type: string | undefined, body: Buffer): unknown {
  if (isProtobuf(type)) return decodeStatus(body)
  return type?.includes('json') ? JSON.parse(body.toString('utf8')) : undefined
}

/** The value in seconds; no API server uses the form with a date. */
function retryAfter(header: string | undefined): number | undefined {
  if (header === undefined || !/^\d{1,9}$/.test(header)) return undefined
  return Number(header) * 1000
}
