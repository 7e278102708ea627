import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Json } from '@agents/crd'
import { createCertificate } from '../../../packages/apiserver/src/auth/pki/certificate.ts'
import type { Fields } from './client.ts'

/** Changes the response of the webhook. */
export type Sabotage = (review: Review) => Json | Promise<Json>

export interface Review {
  readonly apiVersion: string
  readonly kind: string
  readonly response: {
    readonly uid: string
    readonly result: { readonly status: string; readonly message?: string }
    readonly convertedObjects: readonly Fields[]
  }
}

export interface ConversionWebhook {
  readonly url: string
  /** Base64 of the PEM that verifies the webhook. */
  readonly caBundle: string
  /** Number of objects that were converted. */
  readonly converted: () => number
  sabotage(change: Sabotage | undefined): void
  close(): void
}

/** A webhook that converts between `spec.size` in v1 and `spec.dimensions.width` in v2. */
export async function startConversionWebhook(): Promise<ConversionWebhook> {
  const { cert, key } = servingCertificate()
  let change: Sabotage | undefined
  let converted = 0
  const server = createServer({ cert, key }, async (request, response) => {
    const { apiVersion, kind, request: wanted } = JSON.parse(await text(request))
    const objects = (wanted.objects as Fields[]).map((each) =>
      convert(each, wanted.desiredAPIVersion),
    )
    converted += objects.length
    const result = { status: 'Success' }
    const review: Review = {
      apiVersion,
      kind,
      response: { uid: wanted.uid, result, convertedObjects: objects },
    }
    const sent = change === undefined ? review : await change(review)
    response.setHeader('Content-Type', 'application/json')
    if (sent === null) response.statusCode = 503
    response.end(JSON.stringify(sent))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `https://127.0.0.1:${(server.address() as AddressInfo).port}/convert`,
    caBundle: Buffer.from(cert).toString('base64'),
    converted: () => converted,
    sabotage: (next) => {
      change = next
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

function convert(object: Fields, apiVersion: string): Fields {
  const { size, dimensions, ...rest } = (object.spec ?? {}) as Fields
  const width = size ?? (dimensions as Fields | undefined)?.width
  if (width === undefined) return { ...object, apiVersion }
  const own: Fields = apiVersion.endsWith('/v1') ? { size: width } : { dimensions: { width } }
  return { ...object, apiVersion, spec: { ...rest, ...own } }
}

function servingCertificate(): { cert: string; key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const subject = { commonName: 'conversion' }
  const hour = 3_600_000
  const cert = createCertificate({
    subject,
    issuer: subject,
    publicKey,
    issuerKey: privateKey,
    notBefore: new Date(Date.now() - hour),
    notAfter: new Date(Date.now() + 24 * hour),
    usage: 'server',
    ipAddresses: ['127.0.0.1'],
  })
  return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
}
