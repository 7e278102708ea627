import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { LogWriter } from './log-writer.ts'
import { type ReadLogOptions, readLog } from './read-log.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'log-'))
})
afterEach(() => rm(folder, { recursive: true }))

const limits = { maxBytes: 400, maxFiles: 3, bytesPerSecond: 1e9 }
let time = Date.parse('2026-01-01T00:00:00Z')

function writer(options = limits) {
  return new LogWriter(folder, options, () => new Date(time))
}

async function read(options: Partial<ReadLogOptions> = {}): Promise<string> {
  const pieces: Buffer[] = []
  const all = { follow: false, timestamps: false, ...options }
  for await (const piece of readLog(folder, all, new AbortController().signal)) pieces.push(piece)
  return Buffer.concat(pieces).toString('latin1')
}

describe('a log', () => {
  test('contains what was written, whatever the chunks', async () => {
    const unbounded = { ...limits, maxFiles: 10_000 }
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 30 }),
        async (pieces) => {
          await rm(folder, { recursive: true })
          folder = await mkdtemp(join(tmpdir(), 'log-'))
          const log = writer(unbounded)
          for (const piece of pieces) log.write(Buffer.from(piece))
          log.close()
          expect(await read()).toBe(Buffer.concat(pieces).toString('latin1'))
        },
      ),
      { numRuns: 100 },
    )
  })

  test('returns the requested number of last lines, across its files', async () => {
    const log = writer({ ...limits, maxFiles: 100 })
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}\n`)
    for (const line of lines) log.write(Buffer.from(line))
    log.close()
    for (const tailLines of [0, 1, 7, 50, 99, 100, 1000]) {
      expect(await read({ tailLines })).toBe(lines.slice(Math.max(0, 100 - tailLines)).join(''))
    }
  })

  test('drops its oldest files first', async () => {
    const log = writer()
    for (let index = 0; index < 200; index += 1) log.write(Buffer.from(`line ${index}\n`))
    log.close()
    expect(await readdir(folder)).toHaveLength(3)
    expect((await read()).endsWith('line 198\nline 199\n')).toBe(true)
  })

  test('continues in the last file when it is reopened', async () => {
    const first = writer()
    first.write(Buffer.from('half'))
    first.close()
    const second = writer()
    second.write(Buffer.from(' and half\nmore\n'))
    second.close()
    expect(await read()).toBe('half and half\nmore\n')
    expect(await readdir(folder)).toEqual(['log.1'])
  })

  test('has the time of each line', async () => {
    const log = writer()
    log.write(Buffer.from('a\n'))
    time += 5000
    log.write(Buffer.from('b\nc\n'))
    log.close()
    expect(await read({ since: new Date(time - 1000) })).toBe('b\nc\n')
    expect(await read({ timestamps: true, tailLines: 1 })).toBe(
      `${new Date(time).toISOString().replace('Z', '000000Z')} c\n`,
    )
  })

  test('is truncated after the requested number of bytes', async () => {
    const log = writer()
    log.write(Buffer.from('one\ntwo\n'))
    log.close()
    expect(await read({ limitBytes: 5 })).toBe('one\nt')
  })
})
