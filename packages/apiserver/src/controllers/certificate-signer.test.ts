import { generateKeyPairSync, X509Certificate } from 'node:crypto'
import { request as httpsRequest } from 'node:https'
import { text } from 'node:stream/consumers'
import type { Json } from '@agents/crd'
import { silentLogger } from '@agents/log'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { newRequest } from '../auth/pki/testing/new-request.ts'
import { type ApiServer, startApiServer } from '../server.ts'

const path = '/apis/certificates.k8s.io/v1/certificatesigningrequests'
const clientSigner = 'kubernetes.io/kube-apiserver-client'
const pollOptions = { timeout: 50_000 }
const approvers = new Map([
  ['approver-token', { name: 'approver', groups: [] }],
  ['signer-token', { name: 'signer', groups: [] }],
])

let server: ApiServer

interface Credentials {
  readonly token?: string
  readonly cert?: string
  readonly key?: string
}

interface Answer {
  readonly code: number
  readonly body: Record<string, Json>
}

function send(method: string, at: string, body?: object, as: Credentials = {}): Promise<Answer> {
  const { cert, key, token = cert === undefined ? server.adminToken : undefined } = as
  return new Promise((resolve, reject) => {
    const bytes = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
    const sent = httpsRequest(
      server.url + at,
      {
        method,
        ca: server.caCertificate,
        agent: false,
        ...(cert === undefined ? {} : { cert }),
        ...(key === undefined ? {} : { key }),
        headers: {
          ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
          ...(bytes === undefined
            ? {}
            : { 'Content-Type': 'application/json', 'Content-Length': bytes.length }),
        },
      },
      async (response) => {
        resolve({ code: response.statusCode ?? 0, body: JSON.parse(await text(response)) })
      },
    )
    sent.on('error', reject)
    sent.end(bytes)
  })
}

function create(name: string, pem: string, spec: object = {}): Promise<Answer> {
  const request = Buffer.from(pem).toString('base64')
  return send('POST', path, {
    metadata: { name },
    spec: { request, signerName: clientSigner, usages: ['client auth'], ...spec },
  })
}

async function decide(name: string, type: string, as?: Credentials): Promise<Answer> {
  const { body } = await send('GET', `${path}/${name}`)
  const conditions = [{ type, status: 'True', reason: 'Test', message: 'by the test' }]
  return send('PUT', `${path}/${name}/approval`, { ...body, status: { conditions } }, as)
}

function statusOf({ body }: Answer): {
  certificate?: string
  conditions?: { type: string; message?: string }[]
} {
  return body.status as object
}

/** Approves the request and waits until the signer has acted. */
async function outcome(name: string) {
  const approved = await decide(name, 'Approved')
  expect(approved.code, JSON.stringify(approved.body)).toBe(200)
  await expect
    .poll(async () => {
      const { certificate, conditions = [] } = statusOf(await send('GET', `${path}/${name}`))
      return certificate !== undefined || conditions.some(({ type }) => type === 'Failed')
    }, pollOptions)
    .toBe(true)
  return statusOf(await send('GET', `${path}/${name}`))
}

function pemOf({ certificate = '' }: { certificate?: string }): string {
  return Buffer.from(certificate, 'base64').toString()
}

beforeAll(async () => {
  server = await startApiServer({ logger: silentLogger, staticTokens: approvers })
  const role = (name: string, rules: object[]) =>
    send('POST', '/apis/rbac.authorization.k8s.io/v1/clusterroles', { metadata: { name }, rules })
  const subresource = (name: string) => ({
    apiGroups: ['certificates.k8s.io'],
    resources: [`certificatesigningrequests/${name}`],
    verbs: ['update', 'patch'],
  })
  await role('approver', [subresource('approval'), subresource('status')])
  await role('signer', [
    subresource('status'),
    {
      apiGroups: ['certificates.k8s.io'],
      resources: ['signers'],
      resourceNames: ['example.dev/*'],
      verbs: ['sign'],
    },
  ])
  for (const name of ['approver', 'signer']) {
    await send('POST', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings', {
      metadata: { name },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
      subjects: [{ kind: 'User', name, apiGroup: 'rbac.authorization.k8s.io' }],
    })
  }
})

afterAll(() => server.stop())

describe('the built-in signers', () => {
  test('sign an approved request, and the certificate authenticates its subject', async () => {
    const { key, request } = newRequest({
      subject: [
        ['O', 'devs'],
        ['CN', 'jane'],
      ],
    })
    expect((await create('jane', request, { expirationSeconds: 3600 })).code).toBe(201)
    const cert = pemOf(await outcome('jane'))
    const certificate = new X509Certificate(cert)
    expect(certificate.verify(new X509Certificate(server.caCertificate).publicKey)).toBe(true)
    expect(certificate.ca).toBe(false)
    const life = certificate.validToDate.getTime() - Date.now()
    expect(life).toBeLessThanOrEqual(3_600_000)
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }
    const { body } = await send(
      'POST',
      '/apis/authentication.k8s.io/v1/selfsubjectreviews',
      review,
      { cert, key },
    )
    expect(body.status).toMatchObject({
      userInfo: { username: 'jane', groups: ['devs', 'system:authenticated'] },
    })
  })

  test('sign nothing that is not approved, or that is denied', async () => {
    const { request } = newRequest({ subject: [['CN', 'waiting']] })
    await create('pending', request)
    await create('denied', request)
    expect((await decide('denied', 'Denied')).code).toBe(200)
    // A request that is signed later shows that the signer has seen these two.
    await create('later', request)
    await outcome('later')
    expect(statusOf(await send('GET', `${path}/pending`)).certificate).toBeUndefined()
    expect(statusOf(await send('GET', `${path}/denied`)).certificate).toBeUndefined()
    // A decision is final.
    const reversed = await decide('denied', 'Approved')
    expect(reversed.code).toBe(422)
  })

  test.each([
    ['plain text', 'system:masters'],
    [
      'BMPString',
      Buffer.concat([Buffer.of(0x1e, 28), Buffer.from('system:masters', 'utf16le').swap16()]),
    ],
    ['T61String', Buffer.concat([Buffer.of(0x14, 14), Buffer.from('system:masters')])],
  ])('refuse a request for the superusers as %s', async (_type, group) => {
    const { request } = newRequest({
      subject: [
        ['O', 'devs'],
        ['O', group],
        ['CN', 'evil'],
      ],
    })
    const { code, body } = await create('evil', request)
    expect(code).toBe(403)
    expect(body.message).toContain('with system:masters group is not allowed')
  })

  test('do not sign for the superusers with any signer', async () => {
    const { request } = newRequest({
      subject: [
        ['O', 'system:masters'],
        ['CN', 'system:node:evil'],
      ],
    })
    await create('evil-node', request, {
      signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
      usages: ['digital signature', 'client auth'],
    })
    const status = await outcome('evil-node')
    expect(status.certificate).toBeUndefined()
    expect(status.conditions?.at(-1)?.message).toBe('subject organization is not system:nodes')
  })

  test('do not sign names with control characters', async () => {
    const { request } = newRequest({
      subject: [
        ['O', 'system:masters\u0000x'],
        ['CN', 'evil'],
      ],
    })
    await create('control', request)
    expect((await outcome('control')).conditions?.at(-1)?.message).toBe(
      'the subject contains control characters',
    )
  })

  test('a serving certificate does not authenticate a client', async () => {
    const { key, request } = newRequest({
      subject: [
        ['O', 'system:nodes'],
        ['CN', 'system:node:one'],
      ],
      dnsNames: ['one.example'],
    })
    await create('serving', request, {
      signerName: 'kubernetes.io/kubelet-serving',
      usages: ['digital signature', 'server auth'],
    })
    const cert = pemOf(await outcome('serving'))
    expect(new X509Certificate(cert).subjectAltName).toBe('DNS:one.example')
    const { code } = await send('GET', path, undefined, { cert, key })
    expect(code).toBe(403)
  })

  test('refuse usages that would make another kind of certificate', async () => {
    const { request } = newRequest({ subject: [['CN', 'authority']] })
    await create('authority', request, { usages: ['client auth', 'cert sign'] })
    expect((await outcome('authority')).conditions?.at(-1)?.message).toBe(
      'invalid usage for client certificate: cert sign',
    )
  })
})

describe('requests', () => {
  test('must be signed by their own key', async () => {
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const { request } = newRequest({ subject: [['CN', 'jane']], signer: other.privateKey })
    const { code, body } = await create('stolen', request)
    expect(code).toBe(422)
    expect(body.message).toContain('spec.request')
  })

  test('name who created them, whatever their body says', async () => {
    const { request } = newRequest({ subject: [['CN', 'jane']] })
    const { body } = await create('forged', request, { username: 'boss', groups: ['bosses'] })
    expect(body.spec).toMatchObject({ username: 'admin' })
    expect(JSON.stringify(body.spec)).not.toContain('boss')
    const changed = { ...body, spec: { ...(body.spec as object), username: 'boss' } }
    const updated = await send('PUT', `${path}/forged`, changed)
    expect(updated.body.spec).toMatchObject({ username: 'admin' })
  })

  test('cannot be approved without the right to approve for the signer', async () => {
    const { request } = newRequest({ subject: [['CN', 'jane']] })
    await create('guarded', request)
    const { code, body } = await decide('guarded', 'Approved', { token: 'approver-token' })
    expect(code).toBe(403)
    expect(body.message).toContain('user not permitted to approve requests with signerName')
  })

  test('cannot be approved or signed through the status without these rights', async () => {
    const { request } = newRequest({ subject: [['CN', 'jane']] })
    await create('by-status', request)
    const { body } = await send('GET', `${path}/by-status`)
    const approved = { conditions: [{ type: 'Approved', status: 'True' }] }
    const byAdmin = await send('PUT', `${path}/by-status/status`, { ...body, status: approved })
    expect(byAdmin.code).toBe(422)
    const forged = { certificate: Buffer.from(server.caCertificate).toString('base64') }
    const as = { token: 'signer-token' }
    const byOther = await send('PUT', `${path}/by-status/status`, { ...body, status: forged }, as)
    expect(byOther.code).toBe(403)
    expect(byOther.body.message).toContain('user not permitted to sign requests with signerName')
  })

  test('of other signers are signed by whoever has the right to sign for them', async () => {
    const { request } = newRequest({ subject: [['CN', 'jane']] })
    const { body } = await create('foreign', request, { signerName: 'example.dev/one' })
    const status = { certificate: Buffer.from(server.caCertificate).toString('base64') }
    const as = { token: 'signer-token' }
    const signed = await send('PUT', `${path}/foreign/status`, { ...body, status }, as)
    expect(signed.code, JSON.stringify(signed.body)).toBe(200)
  })
})
