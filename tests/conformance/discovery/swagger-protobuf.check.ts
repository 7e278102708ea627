import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { type ApiServer, startApiServer } from '@agents/apiserver'
import { silentLogger } from '@agents/log'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ensureGoProgram } from '../../support/testbed/go-program.ts'
import { apiCaller } from '../table/api-client.ts'
import { everyKeyword } from './every-keyword.ts'

const program = await ensureGoProgram(join(import.meta.dirname, 'compare-swagger'))

describe.skipIf(program === undefined)('OpenAPI v2, decoded by the library of kube-openapi', () => {
  let server: ApiServer
  let directory: string

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'agents-swagger-'))
    server = await startApiServer({ logger: silentLogger })
    const call = apiCaller({ ...server, caPem: server.caCertificate })
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions'
    await call('POST', path, { body: everyKeyword })
  })
  afterAll(async () => {
    await server?.stop()
    await rm(directory, { recursive: true, force: true })
  })

  test('is the same in protobuf as in JSON', async () => {
    const document = await untilPublished()
    const protobuf = await get('application/com.github.proto-openapi.spec.v2@v1.0+protobuf')
    expect(protobuf).toMatchObject({
      status: 200,
      type: 'application/com.github.proto-openapi.spec.v2.v1.0+protobuf',
      etag: document.etag,
    })
    expect(await differenceOf(document.body, protobuf.body)).toBe('')
    const changed = document.body.toString().replace('"maxProperties":7', '"maxProperties":8')
    expect(await differenceOf(Buffer.from(changed), protobuf.body)).toMatch(
      /max_properties: expected 8, got 7$/,
    )
  })

  async function untilPublished(): Promise<Answer> {
    for (;;) {
      const answer = await get('application/json')
      if (answer.body.includes('dev.example.keywords.v1.Keyword')) return answer
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }

  async function differenceOf(json: Buffer, protobuf: Buffer): Promise<string> {
    const paths = [join(directory, 'swagger.json'), join(directory, 'swagger.pb')] as const
    await Promise.all([writeFile(paths[0], json), writeFile(paths[1], protobuf)])
    return promisify(execFile)(program ?? '', paths).then(
      ({ stdout }) => stdout.trim(),
      (error: { stdout: string }) => error.stdout.trim(),
    )
  }

  function get(accept: string): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const headers = { authorization: `Bearer ${server.adminToken}`, accept }
      const options = { ca: server.caCertificate, headers }
      request(new URL('/openapi/v2', server.url), options, (response) => {
        const { etag, 'content-type': type } = response.headers
        buffer(response).then(
          (body) => resolve({ status: response.statusCode, type, etag, body }),
          reject,
        )
      })
        .on('error', reject)
        .end()
    })
  }
})

interface Answer {
  readonly status: number | undefined
  readonly type: string | undefined
  readonly etag: string | undefined
  readonly body: Buffer
}
