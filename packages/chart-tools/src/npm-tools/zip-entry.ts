import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { PassThrough, Readable, Transform, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32, createInflateRaw } from 'node:zlib'

/**
 * Streams one entry of a ZIP file into `destination` and checks its length and CRC, so memory stays at a few buffers
 * however big the entry is. Stored and deflated entries only; no ZIP64, no encryption, one disk.
 */
export async function extractZipEntry(
  zipPath: string,
  entryName: string,
  destination: Writable,
): Promise<void> {
  const entry = await locateEntry(zipPath, entryName)
  const decoder = entry.method === deflatedMethod ? createInflateRaw() : new PassThrough()
  await pipeline(compressedBytes(zipPath, entry), decoder, checksum(entry), destination)
}

interface ZipEntry {
  readonly name: string
  readonly method: number
  readonly crc: number
  readonly compressedSize: number
  readonly size: number
  readonly dataOffset: number
}

const stored = 0
const deflatedMethod = 8
const endOfDirectory = 0x06054b50
const directoryEntry = 0x02014b50
const localHeader = 0x04034b50
const endOfDirectoryLength = 22
const directoryEntryLength = 46
const localHeaderLength = 30
const longestComment = 0xffff

async function locateEntry(zipPath: string, entryName: string): Promise<ZipEntry> {
  const file = await open(zipPath, 'r')
  try {
    const directory = await readDirectory(file, zipPath)
    const entry = findEntry(directory, entryName, zipPath)
    // The local header repeats the name and has a separate extra field, whose length is only stored there.
    const local = await readExactly(file, entry.dataOffset, localHeaderLength, zipPath)
    if (local.readUInt32LE(0) !== localHeader) throw damaged(zipPath, `no header for ${entryName}`)
    const skip = localHeaderLength + local.readUInt16LE(26) + local.readUInt16LE(28)
    return { ...entry, dataOffset: entry.dataOffset + skip }
  } finally {
    await file.close()
  }
}

async function readDirectory(file: FileHandle, zipPath: string): Promise<Buffer> {
  const { size } = await file.stat()
  const tailLength = Math.min(size, endOfDirectoryLength + longestComment)
  const tail = await readExactly(file, size - tailLength, tailLength, zipPath)
  for (let at = tailLength - endOfDirectoryLength; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== endOfDirectory) continue
    return readExactly(file, tail.readUInt32LE(at + 16), tail.readUInt32LE(at + 12), zipPath)
  }
  throw damaged(zipPath, 'no central directory')
}

function findEntry(directory: Buffer, entryName: string, zipPath: string): ZipEntry {
  let at = 0
  while (at + directoryEntryLength <= directory.length) {
    if (directory.readUInt32LE(at) !== directoryEntry) throw damaged(zipPath, 'bad directory entry')
    const nameLength = directory.readUInt16LE(at + 28)
    const nameStart = at + directoryEntryLength
    const name = directory.toString('utf8', nameStart, nameStart + nameLength)
    if (name === entryName) return supported(parseEntry(directory, at, name), zipPath)
    at = nameStart + nameLength + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32)
  }
  throw new Error(`${zipPath} has no entry ${entryName}`)
}

function parseEntry(directory: Buffer, at: number, name: string): ZipEntry {
  return {
    name,
    method: directory.readUInt16LE(at + 10),
    crc: directory.readUInt32LE(at + 16),
    compressedSize: directory.readUInt32LE(at + 20),
    size: directory.readUInt32LE(at + 24),
    dataOffset: directory.readUInt32LE(at + 42),
  }
}

function supported(entry: ZipEntry, zipPath: string): ZipEntry {
  if (entry.method !== stored && entry.method !== deflatedMethod) {
    throw damaged(zipPath, `${entry.name} uses compression method ${entry.method}`)
  }
  const zip64 = [entry.compressedSize, entry.size, entry.dataOffset].includes(0xffffffff)
  if (zip64) throw damaged(zipPath, `${entry.name} needs ZIP64`)
  return entry
}

function compressedBytes(zipPath: string, entry: ZipEntry): Readable {
  // createReadStream has an inclusive end, so it cannot express an empty range.
  if (entry.compressedSize === 0) return Readable.from([])
  return createReadStream(zipPath, {
    start: entry.dataOffset,
    end: entry.dataOffset + entry.compressedSize - 1,
  })
}

function checksum(entry: ZipEntry): Transform {
  let crc = 0
  let length = 0
  return new Transform({
    transform(chunk: Buffer, _encoding, done) {
      crc = crc32(chunk, crc)
      length += chunk.length
      done(null, chunk)
    },
    flush(done) {
      const intact = crc === entry.crc && length === entry.size
      done(intact ? null : new Error(`${entry.name} is damaged: checksum or length is wrong`))
    },
  })
}

async function readExactly(
  file: FileHandle,
  position: number,
  length: number,
  zipPath: string,
): Promise<Buffer> {
  const buffer = Buffer.alloc(length)
  const { bytesRead } = await file.read(buffer, 0, length, position)
  if (bytesRead !== length) throw damaged(zipPath, 'it is truncated')
  return buffer
}

function damaged(zipPath: string, what: string): Error {
  return new Error(`${zipPath} cannot be read as a ZIP file: ${what}`)
}
