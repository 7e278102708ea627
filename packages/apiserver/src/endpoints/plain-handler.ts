import type { IncomingHttpHeaders } from 'node:http'
import type { UserInfo } from '../request/user-info.ts'

export interface PlainRequest {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingHttpHeaders
  readonly user: UserInfo
}

export interface PlainResponse {
  readonly code: number
  /** If empty, the header is not sent. */
  readonly contentType: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body: Buffer | string
}

/** Serves paths that are not resources: discovery, OpenAPI, health, metrics. Returns `undefined` for other paths. */
export type PlainHandler = (
  request: PlainRequest,
) => PlainResponse | undefined | Promise<PlainResponse | undefined>

export function jsonResponse(value: object, headers?: Record<string, string>): PlainResponse {
  return {
    code: 200,
    contentType: 'application/json',
    body: JSON.stringify(value),
    ...(headers === undefined ? {} : { headers }),
  }
}

export function textResponse(code: number, body: string): PlainResponse {
  return { code, contentType: 'text/plain; charset=utf-8', body }
}
