import { describe, expect, test } from 'vitest'
import { key, serve } from '../testing/scripted-client.ts'

describe('a log', () => {
  test('is split into lines, whatever the chunks', async () => {
    const { client, server } = await serve(async (_, response) => {
      response.writeHead(200, { 'content-type': 'text/plain' })
      for (const byte of Buffer.from('erste Zeile\nzweite: ß\nno end')) {
        response.write(Buffer.of(byte))
        await new Promise(setImmediate)
      }
      response.end()
    })
    const log = await client.podLog(key, { container: 'c', follow: true, tailLines: 5 })
    const lines = []
    for await (const line of log.lines()) lines.push(line)
    expect(lines).toEqual(['erste Zeile', 'zweite: ß', 'no end'])
    expect(`${server.requests[0]?.query}`).toBe('container=c&follow=true&tailLines=5')
  })
})
