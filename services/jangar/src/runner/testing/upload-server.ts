import { once } from 'node:events'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

interface Upload {
  readonly query: URLSearchParams
  readonly body: string
}

/** Receives what runs upload until the test ends, in place of the control plane. Every artifact is called demo-1. */
export async function startUploadServer(folder: string) {
  const received = new Map<string, Upload>()
  const server = createServer(async (request, response) => {
    const query = new URL(request.url ?? '', 'http://host').searchParams
    received.set(query.get('name') ?? '', { query, body: await text(request) })
    response.end('{"artifact":"demo-1"}')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const directory = join(folder, 'upload')
  mkdirSync(directory)
  writeFileSync(join(directory, 'token'), 'token')
  const env = {
    AGENT_UPLOAD_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    AGENT_UPLOAD_DIR: directory,
  }
  return { received, env }
}
