import { createHash, createHmac } from 'node:crypto'
import type { S3Settings } from './s3-settings.ts'

interface Unsigned {
  readonly method: string
  readonly url: URL
  readonly payloadSha256: string
  readonly now: Date
}

type Signer = Pick<S3Settings, 'region' | 'accessKeyId' | 'secretAccessKey'>

/** The headers that sign a request to S3: AWS Signature Version 4. The path of `url` is encoded already. */
export function signatureHeaders(
  { method, url, payloadSha256, now }: Unsigned,
  { region, accessKeyId, secretAccessKey }: Signer,
): Record<string, string> {
  const time = now.toISOString().replaceAll(/[-:]|\.\d{3}/g, '')
  const date = time.slice(0, 8)
  const signed = {
    host: url.host,
    'x-amz-content-sha256': payloadSha256,
    'x-amz-date': time,
  }
  const names = Object.keys(signed).join(';')
  const canonical = [
    method,
    url.pathname,
    canonicalQuery(url.searchParams),
    ...Object.entries(signed).map(([name, value]) => `${name}:${value}`),
    '',
    names,
    payloadSha256,
  ].join('\n')
  const scope = `${date}/${region}/s3/aws4_request`
  const text = ['AWS4-HMAC-SHA256', time, scope, sha256Hex(canonical)].join('\n')
  const key = [date, region, 's3', 'aws4_request'].reduce<string | Buffer>(
    hmac,
    `AWS4${secretAccessKey}`,
  )
  const signature = hmac(key, text).toString('hex')
  return {
    'x-amz-content-sha256': payloadSha256,
    'x-amz-date': time,
    authorization: `AWS4-HMAC-SHA256 Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`,
  }
}

/** Every character but the unreserved ones of RFC 3986 in percent form. */
export function percentEncoded(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

export function sha256Hex(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex')
}

function canonicalQuery(parameters: URLSearchParams): string {
  return [...parameters]
    .map(([name, value]) => `${percentEncoded(name)}=${percentEncoded(value)}`)
    .toSorted()
    .join('&')
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}
