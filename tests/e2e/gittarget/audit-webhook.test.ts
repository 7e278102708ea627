import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@agents/controller'
import { createLogger } from '@agents/log'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createCertificate } from '../../../packages/apiserver/src/auth/pki/certificate.ts'
import { createKeyMaterial } from '../../../packages/apiserver/src/auth/pki/key-material.ts'
import { AuditWebhook } from '../../../services/gittarget/src/audit/audit-webhook.ts'
import type { AuditedWrite } from '../../../services/gittarget/src/audit/audited-write.ts'
import { until } from '../../support/testbed/until.ts'

const now = new Date()
/** Two authorities; ours signs the certificate of the webhook and those of clients. */
const [ours, others] = [createKeyMaterial(now), createKeyMaterial(now)] as const
const token = 'token-of-the-audit-webhook'

function clientCertificate({ caKey }: typeof ours): { cert: string; key: string } {
  const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const cert = createCertificate({
    subject: { commonName: 'kube-apiserver' },
    issuer: { commonName: 'agents-local-ca' },
    publicKey,
    issuerKey: createPrivateKey(caKey),
    notBefore: new Date(now.getTime() - 86_400_000),
    notAfter: new Date(now.getTime() + 86_400_000),
    usage: 'client',
  })
  return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
}

const event = {
  stage: 'ResponseComplete',
  verb: 'update',
  requestURI: '/api/v1/namespaces/team/configmaps/a',
  user: { username: 'developer' },
  objectRef: { resource: 'configmaps', namespace: 'team', name: 'a' },
  responseStatus: { code: 200 },
  requestReceivedTimestamp: '2026-01-02T03:04:05.1Z',
  stageTimestamp: '2026-01-02T03:04:05.2Z',
}
const batch = JSON.stringify({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1', items: [event] })

interface Running {
  readonly port: number
  readonly folder: string
  readonly writes: AuditedWrite[]
  readonly log: string[]
  readonly webhook: AuditWebhook
  stop(): Promise<void>
}

async function start(files: { token?: string; clientAuthority?: string }): Promise<Running> {
  const folder = await mkdtemp(join(tmpdir(), 'agents-audit-webhook-'))
  const file = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, name), text, { mode: 0o600 })
    return join(folder, name)
  }
  const writes: AuditedWrite[] = []
  const log: string[] = []
  const stopping = new AbortController()
  const webhook = new AuditWebhook({
    host: '127.0.0.1',
    port: 0,
    certificateFile: await file('tls.crt', ours.servingCertificate),
    keyFile: await file('tls.key', ours.servingKey),
    tokenFile: files.token === undefined ? undefined : await file('token', files.token),
    clientAuthorityFile:
      files.clientAuthority === undefined ? undefined : await file('ca.crt', files.clientAuthority),
    reloadMs: 50,
    clock: systemClock,
    log: createLogger({ level: 'debug', sink: { write: (line) => log.push(line) } }),
    onWrite: (write) => {
      writes.push(write)
      return true
    },
  })
  await webhook.start()
  const ended = webhook.run(stopping.signal)
  return {
    port: webhook.port,
    folder,
    writes,
    log,
    webhook,
    stop: async () => {
      stopping.abort()
      await ended
      await rm(folder, { recursive: true })
    },
  }
}

interface Sent {
  readonly authorization?: string | undefined
  readonly headers?: Record<string, string>
  readonly method?: string
  readonly path?: string
  readonly client?: { cert: string; key: string }
}

/** The status of the answer, or the code of the error. */
function send({ port }: Running, body: string | Buffer, sent: Sent = {}): Promise<string> {
  const { authorization = `Bearer ${token}`, method = 'POST', path = '/audit', client } = sent
  return new Promise((resolve) => {
    const outgoing = request(
      {
        ...{ host: '127.0.0.1', port, method, path, agent: false, ...client },
        ca: ours.caCertificate,
        headers: {
          ...(authorization !== '' && { authorization }),
          'content-type': 'application/json',
          ...sent.headers,
        },
      },
      (answer: IncomingMessage) => {
        answer.resume()
        resolve(String(answer.statusCode))
      },
    )
    outgoing.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'))
    outgoing.end(body)
  })
}

describe('the audit webhook with a token', () => {
  let running: Running
  beforeAll(async () => {
    running = await start({ token: `${token}\n` })
  })
  afterAll(() => running.stop())

  test('takes the writes of a batch', async () => {
    expect(await send(running, batch)).toBe('200')
    expect(running.writes.map(({ user }) => user)).toEqual(['developer'])
  })

  test.each([
    ['no token', ''],
    ['another token', 'Bearer token-of-the-audit-webhooK'],
    ['an empty token', 'Bearer '],
    ['a longer token', `Bearer ${token}x`],
    ['another scheme', `Basic ${token}`],
  ])('takes nothing with %s', async (_what, authorization) => {
    const before = running.writes.length
    expect(await send(running, batch, { authorization })).toBe('401')
    expect(running.writes).toHaveLength(before)
    expect(running.log.join('')).not.toContain(token)
  })

  test.each<[string, string, string | Buffer, Sent]>([
    ['malformed JSON', '400', '{"kind":', {}],
    ['another object', '400', '{"kind":"Pod","apiVersion":"v1"}', {}],
    ['no body', '400', '', {}],
    ['a large body', '413', Buffer.alloc(4 * 1024 * 1024 + 1, 32), {}],
    [
      'a large body of unknown length',
      '413',
      Buffer.alloc(5 * 1024 * 1024, 32),
      { headers: { 'transfer-encoding': 'chunked' } },
    ],
    ['a compressed body', '415', batch, { headers: { 'content-encoding': 'gzip' } }],
    ['another method', '405', batch, { method: 'PUT' }],
    ['another path', '404', batch, { path: '/metrics' }],
  ])('refuses %s', async (_what, status, body, sent) => {
    const before = running.writes.length
    // A server that refuses a body may close the connection while it is still being sent.
    const answer = await send(running, body, sent)
    expect([status, ...(status === '413' ? ['EPIPE', 'ECONNRESET'] : [])]).toContain(answer)
    expect(running.writes).toHaveLength(before)
    expect(running.webhook.answers.get(status)).toBeGreaterThan(0)
  })

  test('checks the token before it reads the body', async () => {
    const large = Buffer.alloc(5 * 1024 * 1024, 32)
    const answer = await send(running, large, { authorization: 'Bearer wrong' })
    expect(['401', 'EPIPE', 'ECONNRESET']).toContain(answer)
    expect(await send(running, '{', { authorization: 'Bearer wrong' })).toBe('401')
  })

  test('takes a new token and certificate without a restart', async () => {
    const { folder } = running
    await writeFile(join(folder, 'token'), 'another-token-of-the-webhook')
    const authorization = 'Bearer another-token-of-the-webhook'
    await until(async () => (await send(running, batch, { authorization })) === '200')
    expect(await send(running, batch)).toBe('401')
    await writeFile(join(folder, 'token'), token)
    await until(async () => (await send(running, batch)) === '200')
    await writeFile(join(folder, 'tls.key'), others.servingKey)
    await writeFile(join(folder, 'tls.crt'), others.servingCertificate)
    // The certificate of the other authority is not trusted by the client.
    await until(async () => !/^\d/.test(await send(running, batch)))
    await writeFile(join(folder, 'tls.key'), ours.servingKey)
    await writeFile(join(folder, 'tls.crt'), ours.servingCertificate)
    await until(async () => (await send(running, batch)) === '200')
  })
})

test('the audit webhook with an authority for clients takes only their certificates', async () => {
  const running = await start({ clientAuthority: ours.caCertificate })
  const authorization = ''
  try {
    const client = clientCertificate(ours)
    expect(await send(running, batch, { authorization, client })).toBe('200')
    expect(await send(running, batch, { authorization })).not.toBe('200')
    const foreign = clientCertificate(others)
    expect(await send(running, batch, { authorization, client: foreign })).not.toBe('200')
    expect(running.writes).toHaveLength(1)
  } finally {
    await running.stop()
  }
})

test('the audit webhook requires both if both are set', async () => {
  const running = await start({ token, clientAuthority: ours.caCertificate })
  try {
    const client = clientCertificate(ours)
    expect(await send(running, batch, { client })).toBe('200')
    expect(await send(running, batch, { client, authorization: '' })).toBe('401')
    expect(await send(running, batch)).not.toBe('200')
    expect(running.writes).toHaveLength(1)
  } finally {
    await running.stop()
  }
})

test.each([
  ['an empty token', { token: '\n' }, /at least 16 characters/],
  ['a short token', { token: 'short' }, /at least 16 characters/],
  ['nothing to authenticate with', {}, /token or an authority/],
  ['an authority that is no certificate', { token, clientAuthority: 'x' }, /certificate/i],
])('the audit webhook does not start with %s', async (_what, files, message) => {
  await expect(start(files)).rejects.toThrow(message)
})
