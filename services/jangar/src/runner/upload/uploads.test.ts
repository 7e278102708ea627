import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { createLogger } from '@agents/log'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createStop } from '../process/stop.ts'
import { openKeptLog } from './kept-log.ts'
import { createUploader } from './uploader.ts'
import { createUploads } from './uploads.ts'

interface Received {
  readonly path: string
  readonly authorization: string | undefined
  readonly body: string
}

describe('uploads of the runner', () => {
  let folder = ''
  let server: Server
  let received: Received[] = []
  let answers: ((response: ServerResponse, body: string) => void)[] = []
  const lines: string[] = []

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'agents-uploads-'))
    await writeFile(join(folder, 'token'), 'the-token\n')
    received = []
    answers = []
    lines.length = 0
    server = createServer(async (request, response) => {
      const pieces: Buffer[] = []
      request.on('error', () => undefined)
      for await (const piece of request) pieces.push(piece)
      const body = Buffer.concat(pieces).toString()
      const { authorization } = request.headers
      received.push({ path: request.url ?? '', authorization, body })
      const answer = answers.shift()
      if (answer) answer(response, body)
      else response.end('{"artifact":"run-1"}')
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  })
  afterEach(async () => {
    server.closeAllConnections()
    server.close()
    await rm(folder, { recursive: true, force: true })
  })

  const uploads = () => {
    const { port } = server.address() as AddressInfo
    const target = { url: `http://127.0.0.1:${port}`, folder }
    const log = createLogger({ sink: { write: (line) => lines.push(line) } })
    return createUploads(createUploader(target, 1), log, createStop())
  }
  const file = async (text: string) => {
    const path = join(folder, 'report.txt')
    await writeFile(path, text)
    return path
  }
  const refuse = (status: number) => (response: ServerResponse) => {
    response.writeHead(status).end('{"error":"because"}')
  }

  test('send a file with its digest and the token of the pod', async () => {
    expect(await uploads().file('report', await file('content'))).toBe('run-1')
    const { path, authorization, body } = received[0] ?? {}
    const { searchParams, pathname } = new URL(path ?? '', 'http://host')
    expect({ pathname, body, authorization }).toEqual({
      pathname: '/v1/artifacts',
      body: 'content',
      authorization: 'Bearer the-token',
    })
    expect(Object.fromEntries(searchParams)).toEqual({
      type: 'file',
      name: 'report',
      contentType: 'application/octet-stream',
      sizeBytes: '7',
      sha256: createHash('sha256').update('content').digest('hex'),
    })
  })

  test('begin again when the control plane fails or hangs up', async () => {
    answers = [refuse(503), (response) => void response.destroy(), refuse(429)]
    expect(await uploads().file('report', await file('content'))).toBe('run-1')
    expect(received.map(({ body }) => body)).toEqual(Array(4).fill('content'))
  })

  test('end when the control plane refuses, and do not fail the run', async () => {
    answers = [refuse(413)]
    expect(await uploads().file('report', await file('content'))).toBeUndefined()
    expect(received).toHaveLength(1)
    expect(lines.join('')).toContain('status 413: because')
  })

  test('give up on a control plane that always fails', async () => {
    answers = Array.from({ length: 10 }, () => refuse(500))
    expect(await uploads().file('report', await file('content'))).toBeUndefined()
    expect(received).toHaveLength(6)
  })

  test('leave folders and missing files', async () => {
    expect(await uploads().file('folder', folder)).toBeUndefined()
    expect(await uploads().file('none', join(folder, 'none'))).toBeUndefined()
    await symlink('/dev/zero', join(folder, 'device'))
    expect(await uploads().file('device', join(folder, 'device'))).toBeUndefined()
    expect(received).toEqual([])
  })

  test('send exactly what was written to both outputs, in order', async () => {
    const kept = openKeptLog(join(folder, 'reports'))
    const real = new PassThrough()
    let shown = ''
    real.on('data', (piece) => {
      shown += piece
    })
    const [stdout, stderr] = [kept.copyOf(real), kept.copyOf(real)]
    stdout.write('one ü\n')
    stderr.write('two\n')
    await new Promise<void>((resolve) => stdout.write('three', () => resolve()))
    await uploads().log(kept)
    kept.close()
    expect(received[0]?.body).toBe('one ü\ntwo\nthree')
    expect(shown).toBe('one ü\ntwo\nthree')
    expect(received[0]?.path).toContain('type=log&name=log')
    expect(lines).toEqual([])
  })

  test('keep a long output up to a limit, and say so', async () => {
    const kept = openKeptLog(folder, 10)
    const stdout = kept.copyOf(new PassThrough())
    stdout.write('123456')
    stdout.write('7890abc')
    stdout.write('def')
    await uploads().log(kept)
    expect(received[0]?.body).toBe('1234567890\n… the output is longer; the rest was not kept\n')
    kept.close()
  })
})
