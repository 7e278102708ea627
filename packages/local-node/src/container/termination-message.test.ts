import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { terminationMessage } from './termination-message.ts'

function createFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'termination-message-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const messagePath = join(folder, 'termination-log')
  const read = () => {
    const intent = { startedAt: '', bootId: '', messagePath, fallBackToLog: false }
    return terminationMessage(folder, intent, 1)
  }
  return { folder, messagePath, read }
}

describe('the termination message of a container', () => {
  test('is what it wrote', async () => {
    const { messagePath, read } = createFolder()
    writeFileSync(messagePath, 'because')
    expect(await read()).toBe('because')
  })

  test('has at most 4096 bytes, however many were written', async () => {
    const { messagePath, read } = createFolder()
    writeFileSync(messagePath, 'x'.repeat(4096))
    truncateSync(messagePath, 1 << 30)
    expect(await read()).toBe('x'.repeat(4096))
  })

  test('is not read through a link: the node may read more than the container', async () => {
    const { folder, messagePath, read } = createFolder()
    writeFileSync(join(folder, 'secret'), 'MARK')
    symlinkSync('secret', messagePath)
    expect(await read()).toBeUndefined()
  })

  test('is not waited for', async () => {
    const { messagePath, read } = createFolder()
    execFileSync('mkfifo', [messagePath])
    expect(await read()).toBeUndefined()
  })

  test('is no folder', async () => {
    const { messagePath, read } = createFolder()
    mkdirSync(messagePath)
    expect(await read()).toBeUndefined()
  })
})
