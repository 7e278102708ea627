/** A request as it is sent over the wire, valid or not. */
export interface RawRequest {
  method: string
  /** The segments between slashes. */
  path: string[]
  query: [name: string, value: string][]
  headers: [name: string, value: string][]
  body: Buffer | undefined
}

export function targetOf({ path, query }: RawRequest): string {
  const search = query.map(([name, value]) => `${name}=${value}`).join('&')
  return `/${path.join('/')}${search === '' ? '' : `?${search}`}`
}

/** Whether the response continues until the client closes it. */
export function isEndless({ path, query }: RawRequest): boolean {
  return (
    path.some((segment) => segment.includes('watch')) ||
    query.some(([name, value]) => `${name}=${value}`.includes('watch') || name === 'follow')
  )
}

export function wireBytes(request: RawRequest, host: string, token: string): Buffer {
  const { method, headers, body } = request
  const names = new Set(headers.map(([name]) => name.toLowerCase()))
  const lines = [`${method} ${targetOf(request)} HTTP/1.1`]
  if (!names.has('host')) lines.push(`Host: ${host}`)
  if (!names.has('authorization')) lines.push(`Authorization: Bearer ${token}`)
  for (const [name, value] of headers) lines.push(`${name}: ${value}`)
  if (body !== undefined && !names.has('content-length') && !names.has('transfer-encoding')) {
    lines.push(`Content-Length: ${body.length}`)
  }
  const head = Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'utf8')
  return body === undefined ? head : Buffer.concat([head, body])
}

/** For failure reports: text from which the request can be repeated by hand. */
export function describeRequest(request: RawRequest): string {
  const bytes = wireBytes(request, 'server', 'token')
  const text = bytes.subarray(0, 3_000).toString('latin1')
  return `${text}${bytes.length > 3_000 ? `… (${bytes.length} bytes)` : ''}`
}
