import { readFileSync } from 'node:fs'
import { Agent, request } from 'node:https'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type EmbeddedServer, startEmbeddedServer } from '../../support/testbed/embedded-server.ts'
import { isFull } from '../../support/tier.ts'

/** The bodies of the tests that Kubernetes has for its limits: just below 3 MiB, or far above. */
const limit = 3 * 1024 * 1024
const huge = 'x'.repeat(10 * 1024 * 1024)
const blanks = ' '.repeat(limit - 200)
const nested = `${'['.repeat(limit / 2 - 100)}${']'.repeat(limit / 2 - 100)}`

function operations(count: number): string {
  return JSON.stringify(
    Array.from({ length: count }, () => ({ op: 'add', path: '/foo', value: 0 })),
  )
}

const json = 'application/json'
const yaml = 'application/yaml'
const jsonPatch = 'application/json-patch+json'
const mergePatch = 'application/merge-patch+json'
const strategicPatch = 'application/strategic-merge-patch+json'
const applyPatch = 'application/apply-patch+yaml'
const secrets = '/api/v1/namespaces/default/secrets'
const secret = `${secrets}/test`
const configMaps = '/api/v1/namespaces/default/configmaps'
const head = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: mytest\n'

type Row = readonly [
  because: string,
  code: number,
  method: string,
  path: string,
  body: string,
  type: string,
]

const rows: readonly Row[] = [
  ['a huge create', 413, 'POST', secrets, huge, json],
  ['a huge delete', 413, 'DELETE', secret, huge, json],
  [
    'a nested JSON patch',
    413,
    'PATCH',
    secret,
    `[{"op":"add","path":"/foo","value":${nested}}]`,
    jsonPatch,
  ],
  [
    'a long JSON patch',
    200,
    'PATCH',
    secret,
    `[{"op":"add","path":"/foo","value":0${blanks}}]`,
    jsonPatch,
  ],
  ['a nested merge patch', 413, 'PATCH', secret, `{"value":${nested}}`, mergePatch],
  ['a long merge patch', 200, 'PATCH', secret, `{"value":0${blanks}}`, mergePatch],
  ['a nested strategic merge patch', 413, 'PATCH', secret, `{"value":${nested}}`, strategicPatch],
  ['a long strategic merge patch', 200, 'PATCH', secret, `{"value":0${blanks}}`, strategicPatch],
  ['a nested apply', 413, 'PATCH', `${secret}?fieldManager=a`, `{"value":${nested}}`, applyPatch],
  [
    'a long apply',
    200,
    'PATCH',
    `${secret}?fieldManager=a`,
    `{"apiVersion":"v1","kind":"Secret"${blanks}}`,
    applyPatch,
  ],
  [
    'nested JSON',
    413,
    'POST',
    configMaps,
    `{"metadata":{"name":"mytest"},"values":${nested}}`,
    json,
  ],
  ['nested YAML', 413, 'POST', configMaps, `${head}values: ${'['.repeat(limit - 500)}`, yaml],
  ['many lines of YAML', 413, 'POST', configMaps, head + 'a: b\n'.repeat(600_000), yaml],
  ['long YAML', 201, 'POST', configMaps, head + blanks, yaml],
  ['too many operations', 413, 'PATCH', secret, operations(10_001), jsonPatch],
  ['as many operations as allowed', 200, 'PATCH', secret, operations(10_000), jsonPatch],
]

let server: EmbeddedServer
const agent = new Agent({ keepAlive: true })

beforeAll(async () => {
  server = await startEmbeddedServer()
  const created = await send('POST', secrets, '{"metadata":{"name":"test"}}', json)
  expect(created.code, created.text).toBe(201)
})

afterAll(async () => {
  agent.destroy()
  await server.stop()
})

function send(method: string, path: string, body: string, type: string) {
  return new Promise<{ code: number; text: string }>((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${server.adminToken}`,
      'content-type': type,
      'content-length': Buffer.byteLength(body),
    }
    const options = { method, agent, ca: server.caPem, headers }
    const sent = request(server.url + path, options, async (response) => {
      resolve({ code: response.statusCode ?? 0, text: await text(response) })
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

/** CPU time of the server in milliseconds: unlike the duration, it does not depend on what else the machine does. */
function cpuMs(): number {
  const { pid } = server.program
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? []
  const ticksPerSecond = 100
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond
}

describe('bodies at the limits', () => {
  test('are answered, all of them together in five seconds of work', async () => {
    const before = cpuMs()
    for (const [because, code, ...sent] of rows) {
      const answer = await send(...sent)
      expect(answer.code, `${because}: ${answer.text.slice(0, 300)}`).toBe(code)
    }
    if (isFull) expect(cpuMs() - before).toBeLessThan(5000)
  })
})
