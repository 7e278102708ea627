import { createWriteStream } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { crc32, deflateRawSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { extractZipEntry } from './zip-entry.ts'

interface Entry {
  readonly name: string
  readonly content: Buffer
  readonly stored?: boolean
  readonly localExtra?: number
}

const repetitive = Buffer.from('the same line again and again\n'.repeat(20_000))

const entries: readonly Entry[] = [
  { name: 'kubectl/', content: Buffer.alloc(0), stored: true },
  { name: 'kubectl/kubectl', content: repetitive },
  { name: 'notes', content: Buffer.from('plain'), stored: true, localExtra: 28 },
  { name: 'helm/helm', content: Buffer.from([0, 255, 128, 7]) },
]

describe('extractZipEntry', () => {
  let directory = ''
  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'agents-zip-'))
  })
  afterAll(() => rm(directory, { recursive: true, force: true }))

  const extract = async (zip: Buffer, name: string): Promise<Buffer> => {
    const zipPath = join(directory, 'archive.zip')
    const target = join(directory, 'target')
    await writeFile(zipPath, zip)
    await extractZipEntry(zipPath, name, createWriteStream(target))
    return readFile(target)
  }

  test.each([
    { because: 'a deflated entry is inflated', name: 'kubectl/kubectl' },
    { because: 'a stored entry is found behind a longer local extra field', name: 'notes' },
    { because: 'the last entry is found', name: 'helm/helm' },
    { because: 'an empty entry gives an empty file', name: 'kubectl/' },
  ])('$because', async ({ name }) => {
    const wanted = entries.find((entry) => entry.name === name)?.content
    expect(await extract(zipOf(entries), name)).toEqual(wanted)
  })

  test('an archive comment does not hide the directory', async () => {
    expect(await extract(zipOf(entries, 'packed twice'), 'notes')).toEqual(Buffer.from('plain'))
  })

  test.each([
    {
      because: 'an unknown name is rejected',
      zip: () => zipOf(entries),
      message: 'has no entry absent',
      name: 'absent',
    },
    {
      because: 'changed content is detected',
      zip: () => flip(zipOf(entries), Buffer.from('plain')),
      message: 'notes is damaged',
      name: 'notes',
    },
    {
      because: 'a file that is not an archive is rejected',
      zip: () => Buffer.alloc(4096, 1),
      message: 'no central directory',
      name: 'notes',
    },
    {
      because: 'a truncated archive is rejected',
      zip: () => zipOf(entries).subarray(0, -30),
      message: 'no central directory',
      name: 'notes',
    },
  ])('$because', async ({ zip, name, message }) => {
    await expect(extract(zip(), name)).rejects.toThrow(message)
  })
})

function zipOf(files: readonly Entry[], comment = ''): Buffer {
  const bodies: Buffer[] = []
  const directory: Buffer[] = []
  let offset = 0
  for (const file of files) {
    const data = file.stored === true ? file.content : deflateRawSync(file.content)
    const local = Buffer.alloc(30)
    local.writeUInt32LE(0x04034b50, 0)
    local.writeUInt16LE(file.name.length, 26)
    local.writeUInt16LE(file.localExtra ?? 0, 28)
    const body = Buffer.concat([
      local,
      Buffer.from(file.name),
      Buffer.alloc(file.localExtra ?? 0),
      data,
    ])
    directory.push(directoryEntry(file, data.length, offset))
    bodies.push(body)
    offset += body.length
  }
  const listing = Buffer.concat(directory)
  const end = Buffer.alloc(22)
  end.writeUInt32LE(0x06054b50, 0)
  end.writeUInt32LE(listing.length, 12)
  end.writeUInt32LE(offset, 16)
  end.writeUInt16LE(comment.length, 20)
  return Buffer.concat([...bodies, listing, end, Buffer.from(comment)])
}

function directoryEntry(file: Entry, compressedSize: number, offset: number): Buffer {
  const entry = Buffer.alloc(46)
  entry.writeUInt32LE(0x02014b50, 0)
  entry.writeUInt16LE(file.stored === true ? 0 : 8, 10)
  entry.writeUInt32LE(crc32(file.content), 16)
  entry.writeUInt32LE(compressedSize, 20)
  entry.writeUInt32LE(file.content.length, 24)
  entry.writeUInt16LE(file.name.length, 28)
  entry.writeUInt32LE(offset, 42)
  return Buffer.concat([entry, Buffer.from(file.name)])
}

function flip(zip: Buffer, within: Buffer): Buffer {
  const changed = Buffer.from(zip)
  const at = changed.indexOf(within)
  changed.writeUInt8((changed[at] ?? 0) ^ 1, at)
  return changed
}
