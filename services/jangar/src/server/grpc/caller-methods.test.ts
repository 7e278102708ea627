import { connect } from 'node:tls'
import { Code } from '@connectrpc/connect'
import { describe, expect, test } from 'vitest'
import { ApiError } from '../api/api-error.ts'
import type { Answer } from '../http/route.ts'
import type { CallRoute, RouteRequest } from '../http/route-caller.ts'
import { makeCertificateFolders } from '../testing/certificate-folders.ts'
import { codeOf, pollOptions, serveGrpc } from './testing/serve-grpc.ts'

type Asked = [authorization: string | undefined, request: RouteRequest & { operation: string }]

/** A server whose operations answer with this. */
async function serve(answer: Answer | Error, choice: Parameters<typeof serveGrpc>[0] = {}) {
  const asked: Asked[] = []
  const route: CallRoute = async (authorization, operation, read) => {
    asked.push([authorization, { operation, ...read() }])
    if (answer instanceof Error) throw answer
    return answer
  }
  return { asked, ...(await serveGrpc({ callRoute: () => route, ...choice })) }
}

const headers = { authorization: 'Bearer of-the-cluster' }

describe('a method', () => {
  test('calls the operation of its name with what is set, as its caller', async () => {
    const { agentctl, asked } = await serve({ text: '{"items":[]}\n' }, { token: 'server' })
    const request = { namespace: 'red', label: ['a=b', 'c'], limit: 3 }
    expect((await agentctl.listRuns(request, { headers })).json).toBe('{"items":[]}')
    expect(asked).toHaveLength(1)
    const [[authorization, { operation, query }] = [undefined, { operation: '' }]] = asked
    expect([authorization, operation]).toEqual([headers.authorization, 'listRuns'])
    expect(String(query)).toBe('namespace=red&label=a%3Db&label=c&limit=3')
  })

  test('submits a run with its key', async () => {
    const { agentctl, asked } = await serve({ json: { run: {} } })
    await agentctl.submitRun({ namespace: 'red', specJson: '{"a":1}', idempotencyKey: 'k' })
    expect(asked[0]?.[1]).toMatchObject({
      operation: 'submitRun',
      headers: { 'idempotency-key': 'k' },
      body: { namespace: 'red', spec: { a: 1 } },
    })
    expect(Object.keys(asked[0]?.[1].body as object)).toEqual(['namespace', 'spec'])
    const broken = agentctl.submitRun({ namespace: 'red', specJson: '{' })
    expect(await codeOf(broken)).toBe(Code.InvalidArgument)
  })

  test('reads nothing of a stranger', async () => {
    const route: CallRoute = () => Promise.reject(new ApiError('Unauthenticated', 'who are you?'))
    const { agentctl } = await serveGrpc({ callRoute: () => route })
    const broken = agentctl.submitRun({ namespace: 'red', specJson: '{' })
    expect(await codeOf(broken)).toBe(Code.Unauthenticated)
  })

  test('waits no time if told so, and as long as usual if not', async () => {
    const { agentctl, asked } = await serve({ json: {} })
    await agentctl.waitForRun({ namespace: 'red', name: 'one', timeoutSeconds: 0 })
    await agentctl.waitForRun({ namespace: 'red', name: 'one' })
    expect(asked.map(([, { query }]) => String(query))).toEqual(['timeoutSeconds=0', ''])
  })

  test('sends streams as they come', async () => {
    async function* chunks() {
      yield 'id: 1\nevent: ready\ndata: {}\n\n: alive\n\nid: 2\nevent: change\n'
      yield Buffer.from('data: {"type":"ADDED"}\n\n')
    }
    const { agentctl } = await serve({ contentType: 'text/event-stream', chunks: chunks() })
    const seen = []
    for await (const { id, event, json } of agentctl.readEvents({})) seen.push([id, event, json])
    expect(seen).toEqual([
      ['1', 'ready', '{}'],
      ['2', 'change', '{"type":"ADDED"}'],
    ])
  })

  test('passes filters of the audit, the inbox, usage and the archive on', async () => {
    const { agentctl, asked } = await serve({ json: { items: [] } })
    await agentctl.listAudit({ actor: 'reader', outcome: 'denied', before: 7n })
    await agentctl.listDeliveries({ namespace: 'red', state: 'dead', before: '9' })
    await agentctl.getDelivery({ namespace: 'red', delivery: '9' })
    await agentctl.sumUsage({ by: 'label', label: 'team' })
    await agentctl.importArchive({ namespace: 'red', lines: Buffer.from('{}\n') })
    const seen = asked.map(([, { operation, query, path, content }]) => [
      ...[operation, String(query ?? ''), path, content && Buffer.from(content).toString()],
    ])
    expect(seen).toEqual([
      ['listAudit', 'actor=reader&outcome=denied&before=7', undefined, undefined],
      ['listDeliveries', 'namespace=red&state=dead&before=9', undefined, undefined],
      ['getDelivery', '', { namespace: 'red', delivery: '9' }, undefined],
      ['sumUsage', 'by=label&label=team', undefined, undefined],
      ['importArchive', 'namespace=red', undefined, '{}\n'],
    ])
  })

  test('gives a table as it is', async () => {
    const { agentctl } = await serve({ contentType: 'text/csv', text: 'group,runs\r\n' })
    expect((await agentctl.exportUsage({})).csv).toBe('group,runs\r\n')
  })

  test('sends a large stream in messages that every client takes, and whole', async () => {
    async function* chunks() {
      yield 'x'.repeat(9 * 1024 * 1024)
      yield Buffer.from('end')
    }
    const { agentctl } = await serve({ contentType: 'application/x-ndjson', chunks: chunks() })
    const sizes = []
    for await (const { data } of agentctl.exportArchive({})) sizes.push(data.length)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(1024 * 1024)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(9 * 1024 * 1024 + 3)
  })

  test('ends a stream that breaks with an error, and shows no detail', async () => {
    async function* chunks() {
      yield 'begun'
      throw new Error('secret detail')
    }
    const { agentctl } = await serve({ contentType: 'application/octet-stream', chunks: chunks() })
    const read = async () => {
      let text = ''
      const content = agentctl.getArtifactContent({ namespace: 'red', name: 'one' })
      for await (const { data } of content) text += Buffer.from(data).toString()
      return text
    }
    const failed = await read().catch((error: unknown) => error)
    expect(failed).toMatchObject({ code: Code.Internal })
    expect(String(failed)).not.toContain('secret detail')
  })

  test.each([
    { because: 'refused', error: new ApiError('Forbidden', 'no'), code: Code.PermissionDenied },
    { because: 'in conflict', error: new ApiError('Conflict', 'no'), code: Code.Aborted },
    { because: 'unexpected', error: new Error('secret detail'), code: Code.Internal },
  ])('that is $because answers with its code', async ({ error, code }) => {
    const { agentctl } = await serve(error)
    const failed = await agentctl.getRun({ namespace: 'red', name: 'one' }).catch(String)
    expect(failed).not.toContain('secret detail')
    expect(await codeOf(agentctl.getRun({ namespace: 'red', name: 'one' }))).toBe(code)
  })

  test('is not answered before the HTTP API is open', async () => {
    const { agentctl } = await serveGrpc()
    expect(await codeOf(agentctl.listKinds({}, { headers }))).toBe(Code.Unavailable)
  })

  test('takes no token of the cluster without TLS, except on loopback', async () => {
    const { agentctl, asked } = await serve({ json: {} }, { host: '0.0.0.0', token: 'server' })
    const code = await codeOf(agentctl.listKinds({}, { headers }))
    expect([code, asked]).toEqual([Code.FailedPrecondition, []])
  })
})

describe('with TLS', () => {
  test('it is served on every address, and the certificate is renewed', async () => {
    const { files, oldAuthority, newAuthority, install } = await makeCertificateFolders()
    const choice = { host: '0.0.0.0', tls: { ...files, ca: oldAuthority } }
    const { agentctl, url, lines } = await serve({ json: { items: [] } }, choice)
    expect((await agentctl.listKinds({}, { headers })).json).toBe('{"items":[]}')
    const port = Number(new URL(url).port)
    expect(await trusted(port, newAuthority)).toBe(false)
    install('new', 'apiserver.crt', 'apiserver.key')
    await expect.poll(() => trusted(port, newAuthority), pollOptions).toBe(true)
    expect(lines.join('\n')).toContain('certificate renewed')
  })
})

function trusted(port: number, ca: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port, ca, ALPNProtocols: ['h2'] }, () => {
      socket.destroy()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })
}
