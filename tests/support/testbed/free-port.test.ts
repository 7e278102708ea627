import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { freePort } from './free-port.ts'

test('a port is not given out twice before its program listens', async () => {
  const here = await Promise.all(Array.from({ length: 50 }, freePort))
  const file = JSON.stringify(join(import.meta.dirname, 'free-port.ts'))
  const script = `
    import { freePort } from ${file}
    console.log(JSON.stringify(await Promise.all(Array.from({ length: 50 }, freePort))))`
  const args = ['--input-type=module', '-e', script]
  const there = JSON.parse((await promisify(execFile)(process.execPath, args)).stdout)
  expect(new Set([...here, ...there]).size).toBe(100)
})

test('a program can listen on it', async () => {
  const server = createServer().listen(await freePort(), '127.0.0.1')
  await once(server, 'listening')
  server.close()
})
