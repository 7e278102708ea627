import { mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { publishSocket } from '../../run-contract/repository-plan.ts'
import { listen } from './listen.ts'

function setUp() {
  const folder = mkdtempSync(join(tmpdir(), 'agents-listen-'))
  const server = createServer()
  onTestFinished(() => {
    server.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return { folder, server, socket: join(folder, publishSocket) }
}

function modeOf(path: string) {
  return statSync(path).mode & 0o777
}

test('the socket of the publisher is open to other users from the start, and later files are not', async () => {
  const { folder, server, socket } = setUp()
  const seen: number[] = []
  server.once('listening', () => seen.push(modeOf(socket)))
  await listen(server, folder)
  expect(seen).toEqual([0o666])
  const file = join(folder, 'file')
  writeFileSync(file, '', { mode: 0o640 })
  expect(modeOf(file)).toBe(0o640)
})

test('a link instead of the socket opens no other file', async () => {
  const { folder, server, socket } = setUp()
  const victim = join(folder, 'victim')
  writeFileSync(victim, '', { mode: 0o600 })
  server.once('listening', () => {
    rmSync(socket)
    symlinkSync(victim, socket)
  })
  await listen(server, folder)
  expect(modeOf(victim)).toBe(0o600)
})
