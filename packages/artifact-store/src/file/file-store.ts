import { randomUUID } from 'node:crypto'
import { mkdir, open, readdir, rename, rm, stat, unlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { ArtifactStore, Content } from '../artifact-store.ts'
import { checkedBody } from '../checked-body.ts'
import { addressAt, type ContentAddress, pathOf } from '../content-address.ts'
import { StoreError } from '../store-error.ts'
import { syncFolder } from './sync-folder.ts'

/** A store in a folder. Several processes may use it at the same time, also over a network file system. */
export function openFileStore(folder: string): ArtifactStore {
  const contentFolder = join(folder, 'content')
  const uploading = join(folder, 'uploading')
  const deleting = join(folder, 'deleting')
  const contentPath = (address: ContentAddress) => join(contentFolder, pathOf(address))
  const markPath = (address: ContentAddress) => join(deleting, pathOf(address))

  async function statContent(address: ContentAddress) {
    // In this order: a deletion that has removed its mark has removed the content before.
    if ((await sizeOf(markPath(address))) !== undefined) throw beingDeleted(address)
    const sizeBytes = await sizeOf(contentPath(address))
    return sizeBytes === undefined ? undefined : { sizeBytes }
  }

  return {
    uri: (address) => `file:content/${pathOf(address)}`,
    put: (address, content) =>
      translated(async () => {
        const target = contentPath(address)
        await mkdir(uploading, { recursive: true, mode: 0o700 })
        const partial = join(uploading, randomUUID())
        try {
          await writeWhole(partial, address, content)
          const made = await mkdir(dirname(target), { recursive: true, mode: 0o700 })
          await rename(partial, target)
          await syncFolder(dirname(target))
          if (made !== undefined) await syncFolder(contentFolder)
        } catch (error) {
          await rm(partial, { force: true })
          throw error
        }
        if ((await statContent(address)) === undefined) throw beingDeleted(address)
      }),
    stat: (address) => translated(() => statContent(address)),
    get: (address) => translated(() => openContent(contentPath(address), address)),
    delete: (address, isUsed) =>
      translated(async () => {
        const mark = markPath(address)
        await mkdir(dirname(mark), { recursive: true, mode: 0o700 })
        await writeFile(mark, '', { mode: 0o600 })
        const used = await isUsed()
        if (!used) await rm(contentPath(address), { force: true })
        await unlink(mark)
        return !used
      }),
    list: () => addressesIn(contentFolder),
    interrupted: () => addressesIn(deleting),
    clean: (time) => translated(() => removeOlder(uploading, time)),
  }
}

function beingDeleted({ digest }: ContentAddress): StoreError {
  return new StoreError('BeingDeleted', `the content ${digest} is being deleted; try again`)
}

async function writeWhole(
  path: string,
  { digest }: ContentAddress,
  { sizeBytes, body }: Content,
): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    for await (const piece of checkedBody(body, { digest, sizeBytes }, 'sender')) {
      await file.writeFile(piece)
    }
    await file.sync()
  } finally {
    await file.close()
  }
}

async function openContent(path: string, { digest }: ContentAddress): Promise<Content | undefined> {
  const file = await open(path).catch(ignoreMissing)
  if (file === undefined) return undefined
  const { size: sizeBytes } = await file.stat()
  const stream = file.createReadStream({ highWaterMark: 256 * 1024 })
  return { sizeBytes, body: checkedBody(stream, { digest, sizeBytes }, 'store') }
}

async function sizeOf(path: string): Promise<number | undefined> {
  const entry = await stat(path).catch(ignoreMissing)
  return entry?.isFile() ? entry.size : undefined
}

async function* addressesIn(folder: string): AsyncGenerator<ContentAddress> {
  for (const namespace of await namesIn(folder)) {
    for (const digest of await namesIn(join(folder, namespace))) {
      const address = addressAt(`${namespace}/${digest}`)
      if (address !== undefined) yield address
    }
  }
}

async function namesIn(folder: string): Promise<string[]> {
  return translated(() => readdir(folder).catch(emptyIfMissing))
}

async function removeOlder(folder: string, time: Date): Promise<void> {
  for (const name of await namesIn(folder)) {
    const path = join(folder, name)
    const entry = await stat(path).catch(ignoreMissing)
    if (entry !== undefined && entry.mtime < time) await rm(path, { force: true })
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined
  throw error
}

function emptyIfMissing(error: NodeJS.ErrnoException): string[] {
  return ignoreMissing(error) ?? []
}

async function translated<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw error instanceof StoreError ? error : folderFailure(error as NodeJS.ErrnoException)
  }
}

const refusals = new Set(['EACCES', 'EPERM', 'EROFS'])

function folderFailure(error: NodeJS.ErrnoException): Error {
  if (error.syscall === undefined) return error
  const reason = refusals.has(error.code ?? '') ? 'Refused' : 'Unavailable'
  const message = `the store's folder fails with ${error.code}`
  return new StoreError(reason, message, { cause: error })
}
