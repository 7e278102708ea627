import { connect } from 'node:tls'
import { Code } from '@connectrpc/connect'
import { describe, expect, test } from 'vitest'
import { ApiError } from '../api/api-error.ts'
import type { Answer } from '../http/route.ts'
import type { CallRoute, RouteRequest } from '../http/route-caller.ts'
import { makeCertificateFolders } from '../testing/certificate-folders.ts'
import { codeOf, pollOptions, serveGrpc } from './testing/serve-grpc.ts'

type Asked = [authorization: string | undefined, request: RouteRequest]

/** A server whose operations answer with this. */
async function serve(answer: Answer | Error, choice: Parameters<typeof serveGrpc>[0] = {}) {
  const asked: Asked[] = []
  const route: CallRoute = async (authorization, request) => {
    asked.push([authorization, request])
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
