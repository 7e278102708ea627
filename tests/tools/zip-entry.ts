import { createReadStream } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { PassThrough, Readable, Transform, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { crc32, createInflateRaw } from 'node:zlib'

/**
 * Streams one entry of a ZIP file into `destination` and checks its length and CRC, so memory stays at a few buffers
 * however big the entry is. Stored and deflated entries only; no ZIP64, no encryption, one disk.
 */
export const extractZipEntry = async (
  zipPath: string,
  entryName: string,
  destination: Writable,
): Promise<void> => {
  const entry = await locateEntry(zipPath, entryName)
  const decoder = entry.method === DEFLATED ? createInflateRaw() : new PassThrough()
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

const STORED = 0
const DEFLATED = 8
const END_OF_DIRECTORY = 0x06054b50
const DIRECTORY_ENTRY = 0x02014b50
const LOCAL_HEADER = 0x04034b50
const END_OF_DIRECTORY_LENGTH = 22
const DIRECTORY_ENTRY_LENGTH = 46
const LOCAL_HEADER_LENGTH = 30
const LONGEST_COMMENT = 0xffff

const locateEntry = async (zipPath: string, entryName: string): Promise<ZipEntry> => {
  const file = await open(zipPath, 'r')
  try {
    const directory = await readDirectory(file, zipPath)
    const entry = findEntry(directory, entryName, zipPath)
    // The local header repeats the name and has an extra field of its own, whose length only it knows.
    const local = await readExactly(file, entry.dataOffset, LOCAL_HEADER_LENGTH, zipPath)
    if (local.readUInt32LE(0) !== LOCAL_HEADER) throw damaged(zipPath, `no header for ${entryName}`)
    const skip = LOCAL_HEADER_LENGTH + local.readUInt16LE(26) + local.readUInt16LE(28)
    return { ...entry, dataOffset: entry.dataOffset + skip }
  } finally {
    await file.close()
  }
}

const readDirectory = async (file: FileHandle, zipPath: string): Promise<Buffer> => {
  const { size } = await file.stat()
  const tailLength = Math.min(size, END_OF_DIRECTORY_LENGTH + LONGEST_COMMENT)
  const tail = await readExactly(file, size - tailLength, tailLength, zipPath)
  for (let at = tailLength - END_OF_DIRECTORY_LENGTH; at >= 0; at -= 1) {
    if (tail.readUInt32LE(at) !== END_OF_DIRECTORY) continue
    return readExactly(file, tail.readUInt32LE(at + 16), tail.readUInt32LE(at + 12), zipPath)
  }
  throw damaged(zipPath, 'no central directory')
}

const findEntry = (directory: Buffer, entryName: string, zipPath: string): ZipEntry => {
  let at = 0
  while (at + DIRECTORY_ENTRY_LENGTH <= directory.length) {
    if (directory.readUInt32LE(at) !== DIRECTORY_ENTRY)
      throw damaged(zipPath, 'bad directory entry')
    const nameLength = directory.readUInt16LE(at + 28)
    const nameStart = at + DIRECTORY_ENTRY_LENGTH
    const name = directory.toString('utf8', nameStart, nameStart + nameLength)
    if (name === entryName) return supported(parseEntry(directory, at, name), zipPath)
    at = nameStart + nameLength + directory.readUInt16LE(at + 30) + directory.readUInt16LE(at + 32)
  }
  throw new Error(`${zipPath} has no entry ${entryName}`)
}

const parseEntry = (directory: Buffer, at: number, name: string): ZipEntry => ({
  name,
  method: directory.readUInt16LE(at + 10),
  crc: directory.readUInt32LE(at + 16),
  compressedSize: directory.readUInt32LE(at + 20),
  size: directory.readUInt32LE(at + 24),
  dataOffset: directory.readUInt32LE(at + 42),
})

const supported = (entry: ZipEntry, zipPath: string): ZipEntry => {
  if (entry.method !== STORED && entry.method !== DEFLATED) {
    throw damaged(zipPath, `${entry.name} uses compression method ${entry.method}`)
  }
  const zip64 = [entry.compressedSize, entry.size, entry.dataOffset].includes(0xffffffff)
  if (zip64) throw damaged(zipPath, `${entry.name} needs ZIP64`)
  return entry
}

const compressedBytes = (zipPath: string, entry: ZipEntry): Readable => {
  // createReadStream has an inclusive end, so it cannot express an empty range.
  if (entry.compressedSize === 0) return Readable.from([])
  return createReadStream(zipPath, {
    start: entry.dataOffset,
    end: entry.dataOffset + entry.compressedSize - 1,
  })
}

const checksum = (entry: ZipEntry): Transform => {
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

const readExactly = async (
  file: FileHandle,
  position: number,
  length: number,
  zipPath: string,
): Promise<Buffer> => {
  const buffer = Buffer.alloc(length)
  const { bytesRead } = await file.read(buffer, 0, length, position)
  if (bytesRead !== length) throw damaged(zipPath, 'it ends too early')
  return buffer
}

const damaged = (zipPath: string, what: string): Error =>
  new Error(`${zipPath} cannot be read as a ZIP file: ${what}`)
