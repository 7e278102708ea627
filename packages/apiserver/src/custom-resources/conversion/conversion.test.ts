import { generateKeyPairSync } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer, request as httpsRequest, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import type { Json } from '@agents/crd'
import { silentLogger } from '@agents/log'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCertificate } from '../../auth/pki/certificate.ts'
import { type ApiServer, startApiServer } from '../../server.ts'

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
const day = 86_400_000
const pollOptions = { timeout: 50_000 }

let server: ApiServer
const webhooks: Server[] = []

beforeAll(async () => {
  server = await startApiServer({ logger: silentLogger })
})

afterAll(async () => {
  for (const webhook of webhooks) {
    webhook.closeAllConnections()
    webhook.close()
  }
  await server.stop()
})

interface Answer {
  readonly code: number
  readonly body: Record<string, Json>
}

function send(method: string, path: string, body?: object): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    const headers = {
      Authorization: `Bearer ${server.adminToken}`,
      ...(bytes === undefined
        ? {}
        : { 'Content-Type': 'application/json', 'Content-Length': bytes.length }),
    }
    const options = { method, ca: server.caCertificate, headers }
    const sent = httpsRequest(server.url + path, options, async (response) => {
      const received = await text(response)
      resolve({
        code: response.statusCode ?? 0,
        body: received.startsWith('{') ? JSON.parse(received) : {},
      })
    })
    sent.on('error', reject)
    sent.end(bytes)
  })
}

interface Webhook {
  readonly port: number
  readonly caBundle: string
  readonly bodies: string[]
}

type Respond = (review: ReviewRequest, response: ServerResponse) => void

interface ReviewRequest {
  readonly uid: string
  readonly desiredAPIVersion: string
  readonly objects: readonly object[]
}

async function startWebhook(respond: Respond, dnsName?: string): Promise<Webhook> {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const subject = { commonName: 'webhook' }
  const cert = createCertificate({
    subject,
    issuer: subject,
    publicKey,
    issuerKey: privateKey,
    notBefore: new Date(Date.now() - day),
    notAfter: new Date(Date.now() + day),
    usage: 'server',
    ...(dnsName === undefined ? { ipAddresses: ['127.0.0.1'] } : { dnsNames: [dnsName] }),
  })
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
  const bodies: string[] = []
  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request)
    bodies.push(body)
    respond(JSON.parse(body === '' ? '{}' : body).request, response)
  }
  const webhook = createServer({ cert, key }, handle)
  webhooks.push(webhook)
  await new Promise<void>((resolve) => {
    webhook.listen(0, '127.0.0.1', resolve)
  })
  const { port } = webhook.address() as AddressInfo
  return { port, caBundle: Buffer.from(cert).toString('base64'), bodies }
}

const convert: Respond = ({ uid, desiredAPIVersion, objects }, response) => {
  const convertedObjects = objects.map((object) => ({ ...object, apiVersion: desiredAPIVersion }))
  response.end(
    JSON.stringify({
      apiVersion: 'apiextensions.k8s.io/v1',
      kind: 'ConversionReview',
      response: { uid, result: { status: 'Success' }, convertedObjects },
    }),
  )
}

/** Serves a kind with two versions, and creates the object `a` in the stored one. */
async function serveKind(plural: string, clientConfig: object): Promise<void> {
  const schema = {
    openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  }
  const version = (name: string, storage: boolean) => ({ name, served: true, storage, schema })
  const created = await send('POST', definitions, {
    metadata: { name: `${plural}.example.dev` },
    spec: {
      group: 'example.dev',
      scope: 'Cluster',
      names: { plural, kind: plural },
      versions: [version('v1', true), version('v2', false)],
      conversion: {
        strategy: 'Webhook',
        webhook: { clientConfig, conversionReviewVersions: ['v1'] },
      },
    },
  })
  expect(created.code, JSON.stringify(created.body)).toBe(201)
  const object = { apiVersion: 'example.dev/v1', kind: plural, metadata: { name: 'a' } }
  expect((await send('POST', `/apis/example.dev/v1/${plural}`, object)).code).toBe(201)
}

function urlOf({ port }: Webhook): string {
  return `https://127.0.0.1:${port}/convert`
}

describe('a conversion webhook', () => {
  test('gets nothing if its certificate is not that of the authority', async () => {
    const webhook = await startWebhook(convert)
    const other = await startWebhook(convert)
    await serveKind('strangers', { url: urlOf(webhook), caBundle: other.caBundle })
    const { code, body } = await send('GET', '/apis/example.dev/v2/strangers/a')
    expect(code).toBe(500)
    expect(body.message).toContain('conversion webhook for example.dev/v1, Kind=strangers failed')
    expect(webhook.bodies).toEqual([])
  })

  test('cannot redirect the server to another address', async () => {
    const target = await startWebhook(convert)
    const webhook = await startWebhook((_review, response) => {
      response.writeHead(307, { Location: urlOf(target) }).end()
    })
    await serveKind('redirects', { url: urlOf(webhook), caBundle: webhook.caBundle })
    expect((await send('GET', '/apis/example.dev/v2/redirects/a')).code).toBe(500)
    expect(webhook.bodies).toHaveLength(1)
    expect(target.bodies).toEqual([])
  })

  test('cannot make the server read an answer of any size', async () => {
    const webhook = await startWebhook((_review, response) => {
      response.write(Buffer.alloc(4 * 1024 * 1024, ' '))
      // Never ends, unless the server closes the connection.
      const more = setInterval(() => response.write(Buffer.alloc(1024 * 1024, ' ')), 10)
      response.on('close', () => clearInterval(more))
    })
    await serveKind('floods', { url: urlOf(webhook), caBundle: webhook.caBundle })
    const { code, body } = await send('GET', '/apis/example.dev/v2/floods/a')
    expect(code).toBe(500)
    expect(body.message).toContain('the answer of the webhook is too large')
  })

  test('that no longer exists does not keep its definition from being deleted', async () => {
    const clientConfig = { url: 'https://127.0.0.1:1/convert' }
    await serveKind('orphans', clientConfig)
    expect((await send('GET', '/apis/example.dev/v2/orphans')).code).toBe(500)
    await send('DELETE', `${definitions}/orphans.example.dev`)
    await expect
      .poll(async () => (await send('GET', `${definitions}/orphans.example.dev`)).code, pollOptions)
      .toBe(404)
  })

  test('is reached through an endpoint of its Service, by the name of the Service', async () => {
    const webhook = await startWebhook(convert, 'hook.default.svc')
    await send('POST', '/api/v1/namespaces/default/services', {
      metadata: { name: 'hook' },
      spec: { ports: [{ port: 443 }] },
    })
    const service = { namespace: 'default', name: 'hook', path: '/convert' }
    await serveKind('services', { service, caBundle: webhook.caBundle })
    const path = '/apis/example.dev/v2/services/a'
    expect((await send('GET', path)).body.message).toContain('no endpoints available')
    await send('POST', '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
      metadata: { name: 'hook', labels: { 'kubernetes.io/service-name': 'hook' } },
      addressType: 'FQDN',
      endpoints: [{ addresses: ['localhost'] }],
      ports: [{ name: '', port: webhook.port }],
    })
    const { code, body } = await send('GET', path)
    expect(code, JSON.stringify(body)).toBe(200)
    expect(body.apiVersion).toBe('example.dev/v2')
  })
})
