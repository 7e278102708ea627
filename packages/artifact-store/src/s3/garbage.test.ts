import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import type { ArtifactStore } from '../artifact-store.ts'
import { addressOf, contentOf, textOf } from '../testing/content.ts'
import { openS3Store } from './s3-store.ts'

const secretAccessKey = 'very-secret-value'
const text = 'content'
const address = addressOf(text)
const large = 'x'.repeat(9 * 1024 * 1024)

let server: Server | undefined
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

async function storeAt(answer: RequestListener): Promise<ArtifactStore> {
  server = createServer((request, response) => {
    request.resume().on('end', () => answer(request, response))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const settings = {
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    bucket: 'artifacts',
    prefix: '',
    pathStyle: true,
    accessKeyId: 'key',
    secretAccessKey,
  }
  return openS3Store(settings, 1)
}

async function listed(store: ArtifactStore): Promise<void> {
  for await (const _ of store.list()) {
    // Only how it ends matters.
  }
}

function xmlError(status: number, code: string): RequestListener {
  return (_, response) => {
    response.writeHead(status, { 'content-type': 'application/xml' })
    response.end(`<Error><Code>${code}</Code><Message>because &amp; so</Message></Error>`)
  }
}

const html: RequestListener = (_, response) => void response.end('<html>It works!</html>')

describe('an S3 that answers something else', () => {
  test.each([
    { because: 'a web site', answer: html, reason: 'BadAnswer', message: /no ETag/ },
    {
      because: 'a redirect',
      answer: ((_, response) => {
        response.writeHead(301, { location: 'http://127.0.0.1:1/' }).end()
      }) as RequestListener,
      reason: 'BadAnswer',
      message: /status 301/,
    },
    {
      because: 'wrong credentials',
      answer: xmlError(403, 'SignatureDoesNotMatch'),
      reason: 'Refused',
      message: /status 403/,
    },
    {
      because: 'a missing bucket',
      answer: xmlError(404, 'NoSuchBucket'),
      reason: 'Refused',
      message: /NoSuchBucket/,
    },
    {
      because: 'a failing server',
      answer: xmlError(503, 'SlowDown'),
      reason: 'Unavailable',
      message: /status 503/,
    },
    {
      because: 'a server that hangs up',
      answer: ((request) => void request.socket.destroy()) as RequestListener,
      reason: 'Unavailable',
      message: /UND_ERR_SOCKET|ECONNRESET/,
    },
  ])('is named: $because', async ({ answer, reason, message }) => {
    const store = await storeAt(answer)
    const named = { reason, message: expect.stringMatching(message) }
    await expect(store.get(address)).rejects.toMatchObject(named)
    await expect(store.put(address, contentOf(text))).rejects.toMatchObject({ reason })
    await expect(store.put(addressOf(large), contentOf(large))).rejects.toMatchObject({ reason })
    await expect(listed(store)).rejects.toMatchObject({ reason })
    const failure = await store.get(address).catch((error: Error) => String(error.stack))
    expect(failure).not.toContain(secretAccessKey)
  })

  test('is named if the parts are not joined, after status 200', async () => {
    const store = await storeAt(({ method, url }, response) => {
      if (method === 'POST' && url?.endsWith('?uploads=')) {
        return response.end(
          '<InitiateMultipartUploadResult><UploadId>u</UploadId></InitiateMultipartUploadResult>',
        )
      }
      if (method === 'PUT') return response.writeHead(200, { etag: '"1"' }).end()
      return response.end('<Error><Code>InternalError</Code></Error>')
    })
    await expect(store.put(addressOf(large), contentOf(large))).rejects.toMatchObject({
      reason: 'BadAnswer',
      message: expect.stringContaining('InternalError'),
    })
  })

  test('is not believed about content', async () => {
    const store = await storeAt((_, response) => {
      response.writeHead(200, { etag: '"1"', 'content-length': text.length }).end('CONTENT')
    })
    const content = await store.get(address)
    await expect(textOf(content)).rejects.toMatchObject({ reason: 'Corrupted' })
  })

  test('does not fill the memory with one answer, nor the log', async () => {
    const store = await storeAt((_, response) => {
      response.write(`<ListBucketResult>`)
      const more = (): void => {
        while (response.write('<a>'.repeat(10_000)));
        response.once('drain', more)
      }
      more()
    })
    await expect(listed(store)).rejects.toMatchObject({ reason: 'BadAnswer' })
  })

  test('ends a list that does not end', async () => {
    const store = await storeAt((_, response) => {
      response.end(
        '<ListBucketResult><NextContinuationToken>t</NextContinuationToken></ListBucketResult>',
      )
    })
    await expect(listed(store)).rejects.toMatchObject({ reason: 'BadAnswer' })
  })

  test('cannot inject keys of others', async () => {
    const key = '../../etc/passwd'
    const store = await storeAt((_, response) => {
      response.end(
        `<ListBucketResult><Contents><Key>content/${key}</Key></Contents></ListBucketResult>`,
      )
    })
    await expect(listed(store)).resolves.toBeUndefined()
    const found: unknown[] = []
    for await (const one of store.list()) found.push(one)
    expect(found).toEqual([])
  })
})
